import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { useHost, type PreviewOf } from '$lib/api';
import { findings } from '$lib/axe';
import { settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import App from '../../App.svelte';
import { drawing, faces } from '../canvas/__fixtures__/delivery';
import { edge } from '../canvas/__fixtures__/found';

const like = workflow().steps[0]!;
const steps = faces.map(({ step, ordinal }) => ({ ...like, step, ordinal }));
const file = workflow({ drawing, faces, steps });
const KINDS = [
  { kind: 'work', label: 'Work', help: 'Somebody does something.' },
  { kind: 'gate', label: 'Decision', help: 'A person decides.' },
];
afterEach(() => {
  location.hash = '';
});

/** A workflow whose lines take steps; `refused`: why a gesture cannot be made. */
async function open(
  refused: (of: PreviewOf) => string | null = () => null,
  palette: () => object = () => ({ kinds: KINDS, gestures: { steps: true, gates: true } }),
) {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('workflow.open', () => file)
    .on('workflow.palette', palette)
    .on('workflow.form', () => ({ revision: 'r1', form: null, known: [] }))
    .on('workflow.preview', (of: PreviewOf) => {
      const message = refused(of);
      return { source: message === null ? 'other' : file.source, entails: [], refused: message && { message } };
    });
  location.hash = '#/workflow/flows/shape.yaml';
  useHost(host);
  render(App, { host });
  await screen.findAllByTestId('graph-node');
  const user = userEvent.setup();
  const plus = { name: 'Add a step between Analysis and Requirements' };
  /** Presses the + of a line, by keys. */
  const press = async () => {
    // What can be done is told after the picture.
    await vi.waitFor(() => {
      edge('analysis', 'requirements').focus();
      expect(screen.getByRole('button', plus)).toBeVisible();
    });
    screen.getByRole('button', plus).focus();
    await user.keyboard('{Enter}');
  };
  return { host, user, press, plus: () => screen.getByRole('button', plus) };
}

it('the + of a line has the focus again when its dialog is closed', async () => {
  const { user, press, plus } = await open();
  await press();
  await vi.waitFor(() => expect(screen.getByTestId('add-step-name')).toHaveFocus());
  await user.keyboard('{Escape}');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await vi.waitFor(() => expect(plus()).toHaveFocus());
  // Whoever goes on from there leaves it.
  await user.tab();
  expect(plus).toThrow();
});

it('also where no step can stand there, and that is said', async () => {
  const { user, press, plus } = await open(() => 'A step cannot stand on this line.');
  await press();
  const dialog = await screen.findByRole('dialog');
  expect(dialog).toHaveTextContent('A step cannot stand on this line.');
  await vi.waitFor(() => expect(dialog).toContainElement(document.activeElement as HTMLElement));
  await user.keyboard('{Escape}');
  await vi.waitFor(() => expect(plus()).toHaveFocus());
});

it('a kind that cannot stand there says why before anything is typed, and is not what is offered', async () => {
  const { user, press } = await open(({ edits }) => (JSON.stringify(edits).includes('work') ? 'No work here.' : null));
  await press();
  const [work, decision] = await screen.findAllByTestId('add-step-kind');
  expect(work).toBeDisabled();
  expect(work?.closest('label')).toHaveTextContent('No work here.');
  expect(decision).toBeEnabled();
  // What is typed speaks of the kind that cannot be.
  await user.type(screen.getByTestId('add-step-name'), 'Work on it');
  expect(decision).toBeChecked();
});

it('a step that is refused by its name keeps what was typed, and says why', async () => {
  const taken = 'There is a step of that name.';
  const { host, user, press } = await open(({ edits }) => (JSON.stringify(edits).includes('Twice') ? taken : null));
  host.on('workflow.edit', () => ({ outcome: 'saved', merged: false, view: file }));
  await press();
  const name = await screen.findByTestId('add-step-name');
  await user.type(name, 'Twice{Enter}');
  expect(await screen.findByTestId('add-step-refused')).toHaveTextContent(taken);
  expect(name).toHaveValue('Twice');
  expect(name).toHaveFocus();
  expect(await findings(screen.getByRole('dialog'))).toEqual([]);
  await user.clear(name);
  expect(screen.queryByTestId('add-step-refused')).toBeNull();
  await user.type(name, 'Once{Enter}');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(host.called('workflow.edit')).toHaveLength(1);
  // Where the focus goes is settled after that.
  await new Promise((done) => setTimeout(done, 20));
});

it('a kind that runs another workflow asks which one, by its title', async () => {
  const runs = { field: 'workflow', label: 'Workflow', help: 'Another workflow.', of: 'workflow' } as const;
  const kinds = [...KINDS, { kind: 'workflow', label: 'Workflow', help: 'It is run.', names: runs }];
  const names = [
    ['documents/publish.yaml', 'Publish the pages'],
    ['check.runbook.md', 'Check it'],
  ];
  let known: unknown = [{ of: 'workflow', names }];
  const { host, user, press } = await open(undefined, () => ({ kinds, gestures: { steps: true, gates: true }, known }));
  host.on('workflow.edit', () => ({ outcome: 'saved', merged: false, view: file }));
  await press();
  await user.type(await screen.findByTestId('add-step-name'), 'Publish');
  expect(screen.queryByTestId('add-step-names')).toBeNull();
  await user.click(screen.getAllByTestId('add-step-kind')[2] as HTMLElement);
  const which = screen.getByTestId('add-step-names');
  expect(which).toHaveAccessibleName('Workflow');
  expect(screen.getByTestId('add-step-make')).toBeDisabled();
  await user.selectOptions(which, screen.getByRole('option', { name: 'Publish the pages (documents/publish.yaml)' }));
  expect(await findings(screen.getByRole('dialog'))).toEqual([]);
  await user.click(screen.getByTestId('add-step-make'));
  await vi.waitFor(() => expect(host.called('workflow.edit')).toHaveLength(1));
  const [{ edits }] = host.called('workflow.edit') as [{ edits: { step: unknown }[] }];
  expect(edits[0]?.step).toEqual({
    kind: 'workflow',
    name: 'Publish',
    fields: { workflow: 'documents/publish.yaml' },
  });
  // Where there is none, meanwhile, nothing is made up.
  known = [{ of: 'workflow', names: [] }];
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await press();
  await user.type(await screen.findByTestId('add-step-name'), 'Again');
  await user.click(screen.getAllByTestId('add-step-kind')[2] as HTMLElement);
  await vi.waitFor(() => expect(screen.getByTestId('add-step-none')).toHaveTextContent('There is no other'));
  expect(screen.getByTestId('add-step-make')).toBeDisabled();
});

it('a line that is chosen has a card: a person is asked on the way, or the line goes', async () => {
  const { host, user } = await open();
  const edited = () => (host.called('workflow.edit') as { edits: unknown[] }[]).map(({ edits }) => edits[0]);
  host.on('workflow.edit', () => ({ outcome: 'saved', merged: false, view: file }));
  const card = async () => {
    await user.click(edge('analysis', 'requirements'));
    return within(await screen.findByTestId('edge-card'));
  };
  // What can be done is told after the picture.
  await screen.findByTestId('add-open');
  await user.click((await card()).getByTestId('edge-gate'));
  await vi.waitFor(() => expect(edited()).toEqual([{ kind: 'gate', step: 'requirements', gate: { at: 'before' } }]));
  expect(screen.queryByTestId('edge-card')).toBeNull();
  await user.click((await card()).getByTestId('edge-remove'));
  await vi.waitFor(() => expect(edited().at(-1)).toMatchObject({ kind: 'disconnect', from: 'analysis' }));
});
