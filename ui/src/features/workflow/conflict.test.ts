import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { createRawSnippet } from 'svelte';
import { expect, it, vi } from 'vitest';
import { useHost, type CompareView, type ConflictPart, type KeepOf } from '$lib/api';
import { findings } from '$lib/axe';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { numbered } from '$lib/ui/steps';
import ConflictDialog from './ConflictDialog.svelte';
import { WorkflowDesk } from './desk.svelte';
import type { Numbers } from './excerpt';

const place = { step: 1, path: ['routing', 'max_iterations'] };
const edit = { kind: 'set' as const, place, value: 7 };
const texts = createRawSnippet(
  (mine: () => string, theirs: () => string, lines: () => { mine: Numbers; theirs: Numbers }) => ({
    render: () =>
      `<div data-testid="texts">${lines().mine.join()} ${mine()} | ${lines().theirs.join()} ${theirs()}</div>`,
  }),
);

const listed = createRawSnippet((view: () => CompareView) => ({
  render: () =>
    `<ul>${view()
      .differences.map((one) => `<li>${one.what.join()} ${one.step.name}</li>`)
      .join('')}</ul>`,
}));

/** What the other program has done to two steps, as the program compares it. */
function compared(): CompareView {
  const { steps, drawing, faces, source } = workflow();
  const side = { source, drawing, faces };
  const of = (at: number, what: CompareView['differences'][number]['what'], fields: string[] = []) => {
    const { step } = steps[at]!;
    return { step, what, fields, before: step.id };
  };
  const differences = [of(1, ['changed'], ['routing']), of(0, ['removed'])];
  return { differences, elsewhere: ['title'], left: side, right: { ...side, source: 'other' } };
}

function part(): ConflictPart {
  return { steps: [workflow().steps[0]!.step], mine: 'max: 7\n', theirs: 'max: 3\n' };
}

async function open(answers: (host: FakeHost) => FakeHost, parts: ConflictPart[] = [part()]) {
  const host = answers(
    new FakeHost()
      .on('workflow.open', () => workflow())
      .on('workflow.edit', ({ keep }: { keep?: KeepOf }) =>
        keep
          ? { outcome: 'saved', merged: false, view: workflow({ revision: 'r3' }) }
          : {
              outcome: 'conflict',
              message: 'Both changed it.',
              mine: 'max: 7',
              theirs: 'max: 3',
              parts,
              base: 'r0',
              change: 'c1',
              view: workflow({ source: 'id: shape\nrouting:\nmax: 3\n' }),
            },
      ),
  );
  useHost(host);
  const desk = new WorkflowDesk('flows/shape.yaml');
  await desk.view.refresh();
  await desk.make([edit], 'Most iterations');
  render(ConflictDialog, { desk, versions: texts, steps: listed });
  return { host, desk, dialog: await screen.findByRole('dialog'), user: userEvent.setup() };
}

it('says what the other program changed, step by step, above the lines that both have changed', async () => {
  const { host, dialog } = await open((host) => host.on('workflow.compare', compared));
  const [first, second] = workflow().steps;
  const steps = within(await screen.findByTestId('conflict-steps'));
  expect(steps.getByRole('heading')).toHaveTextContent('What has changed in the file since, step by step');
  const said = steps.getAllByRole('listitem').map((one) => one.textContent?.replace(/\s+/g, ' ').trim());
  expect(said).toEqual([`changed ${second?.step.name}`, `removed ${first?.step.name}`]);
  // From the version that the change was made on, which for undo is an earlier one than is shown, to what the file says now.
  expect(host.called('workflow.compare')).toEqual([{ path: 'flows/shape.yaml', left: 'r0' }]);
  expect(dialog).toHaveTextContent('Your change: Most iterations');
  expect(screen.getByTestId('texts')).toHaveTextContent('3 max: 7 | 3 max: 3');
  expect(await findings(dialog)).toEqual([]);
});

it('shows the lines alone where the version that was edited is not known any more', async () => {
  const { desk, user, host } = await open((host) =>
    host.on('workflow.compare', () => {
      throw { code: 'unknown_revision', message: 'No such version.', hint: null };
    }),
  );
  await vi.waitFor(() => expect(host.called('workflow.compare')).toHaveLength(1));
  expect(screen.getByTestId('texts')).toHaveTextContent('3 max: 7 | 3 max: 3');
  expect(screen.queryByTestId('conflict-steps')).toBeNull();
  expect(screen.queryByTestId('conflict-all')).toBeNull();
  await user.click(screen.getByRole('radio', { name: 'Your version goes into the file' }));
  await user.click(screen.getByRole('button', { name: 'Save as chosen' }));
  await vi.waitFor(() => expect(desk.conflict).toBeNull());
  const keep = { revision: workflow().revision, change: 'c1', parts: ['mine'] };
  expect(host.called('workflow.edit').at(-1)).toMatchObject({ keep, revision: 'r1' });
});

it('can be left without a decision: nothing is written', async () => {
  const { desk, user, host } = await open((host) => host.on('workflow.compare', compared));
  await user.click(screen.getByRole('button', { name: 'Change nothing' }));
  expect(desk.conflict).toBeNull();
  expect(host.called('workflow.edit')).toHaveLength(1);
});

it('of several parts each is decided alone, and nothing is written before all are', async () => {
  const [first] = workflow().steps;
  const parts = [part(), { steps: [], mine: 'title: A\n', theirs: 'title: B\n' }];
  const { host, desk, dialog, user } = await open((host) => host.on('workflow.compare', compared), parts);
  const shown = await screen.findAllByTestId('conflict-part');
  expect(screen.getByRole('group', { name: `At ${numbered(first!.step)}` })).toHaveTextContent('max: 7');
  const elsewhere = screen.getByRole('group', { name: 'Elsewhere in the file' });
  expect(await findings(dialog)).toEqual([]);
  await user.click(within(elsewhere).getByRole('radio', { name: 'Your version goes into the file' }));
  expect(screen.getByTestId('conflict-save')).toBeDisabled();
  expect(screen.getByTestId('conflict-save')).toHaveAccessibleDescription('1 place is still to be chosen.');
  await user.click(within(shown[0]!).getByRole('radio', { name: 'The file stays as it is on disk here' }));
  await user.click(screen.getByTestId('conflict-save'));
  await vi.waitFor(() => expect(desk.conflict).toBeNull());
  const { revision } = workflow();
  expect(host.called('workflow.edit').at(-1)).toMatchObject({
    keep: { revision, change: 'c1', parts: ['theirs', 'mine'] },
  });
});
