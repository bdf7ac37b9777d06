import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useHost, type DraftView, type PipelineDraft } from '$lib/api';
import { findings } from '$lib/axe';
import { FakeHost } from '$lib/host/fake';
import Framed from './__fixtures__/Framed.svelte';
import { draftView, review } from './__fixtures__/pipeline';
import { DraftDesk } from './desk.svelte';

vi.setConfig({ testTimeout: 20_000 });

let host: FakeHost;
let desk: DraftDesk;
/** What the backend says about a draft; each test may say something else. */
let judge: (draft: PipelineDraft) => DraftView;
const oncreated = vi.fn();

beforeEach(() => {
  oncreated.mockClear();
  judge = (draft) =>
    draft.name === ''
      ? draftView({ id: null, path: null, name_problem: 'Pipeline name is required', can_create: false })
      : draftView();
  host = new FakeHost()
    .on('pipeline.templates', () => ({ templates: [review], folder: 'pipelines' }))
    .on('pipeline.draft', (draft: PipelineDraft) => judge(draft))
    .on('pipeline.create', () => ({ id: 'PIPE-1', path: 'pipelines/PIPE-1.yaml', stages: 2, estimate: {} }));
  useHost(host);
  desk = new DraftDesk();
});

async function open() {
  const user = userEvent.setup();
  render(Framed, { desk, oncreated });
  await screen.findAllByTestId('template');
  return user;
}
const last = () => host.called('pipeline.draft').at(-1) as PipelineDraft;
const settled = () => vi.waitFor(() => expect(desk.stale).toBe(false));

describe('a new pipeline', () => {
  it('is made of a template with the keyboard alone', async () => {
    const user = await open();
    await vi.waitFor(() => expect(screen.getAllByTestId('template')[0]).toHaveFocus());
    await user.tab();
    expect(screen.getAllByTestId('template')[1]).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(await screen.findByTestId('draft-name')).toHaveFocus();
    await user.keyboard('Spring');
    await settled();
    expect(screen.getByTestId('draft-path')).toHaveTextContent('pipelines/PIPE-20260131-release-093000.yaml');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await vi.waitFor(() => expect(oncreated).toHaveBeenCalledWith(expect.objectContaining({ id: 'PIPE-1' })));
    expect(host.called('pipeline.create')).toEqual([{ name: 'Spring', template: 'design_review' }]);
  });

  it('is typed from nothing: Enter in a name goes on to the next stage', async () => {
    const user = await open();
    await user.click(screen.getByText('Blank'));
    await user.keyboard('Mine');
    await user.click(screen.getByTestId('stage-name'));
    await user.keyboard('build{Enter}');
    await vi.waitFor(() => expect(screen.getByTestId('stage-name')).toHaveFocus());
    await user.keyboard('test');
    await user.type(screen.getByTestId('stage-task'), 'Try all of it.');
    await user.type(screen.getByTestId('stage-agents'), 'tester, reviewer');
    await user.click(screen.getByTestId('stage-parallel'));
    await user.type(screen.getByTestId('stage-makes'), 'report');
    await user.click(screen.getByLabelText('Yes, when it is done'));
    await user.type(screen.getByTestId('stage-question'), 'Good enough?');
    await user.type(screen.getByTestId('stage-whom'), 'legal, ops');
    await settled();
    expect(last()).toMatchObject({
      name: 'Mine',
      error_handling: 'halt',
      stages: [
        { name: 'build', depends_on: [] },
        {
          name: 'test',
          description: 'Try all of it.',
          agents: ['tester', 'reviewer'],
          parallel: true,
          depends_on: ['build'],
          outputs: ['report'],
          gate: { requirement: 'required', at: 'after', question: 'Good enough?', asks: ['legal', 'ops'] },
        },
      ],
    });
  });

  it('shows the text of a file that is still to be written as such', async () => {
    const user = await open();
    await user.click(screen.getByText('Blank'));
    await settled();
    await user.click(screen.getByTestId('draft-text-tab'));
    const said = await screen.findByTestId('source-status');
    expect(said).toHaveTextContent('So the file will be. It is written when the pipeline is created.');
  });

  it('says in plain words what happens after a failure', async () => {
    const user = await open();
    await user.click(screen.getByText('Blank'));
    await user.click(screen.getByLabelText(/Leave out what depends on it/));
    await settled();
    expect(last().error_handling).toBe('skip_dependents');
    await user.click(screen.getByLabelText(/Try again, then stop/));
    const times = screen.getByLabelText('Times');
    await user.clear(times);
    await user.type(times, '5');
    await settled();
    expect(last()).toMatchObject({ error_handling: 'retry', max_retries: 5 });
  });

  it('lets a stage wait for others by ticking them, and be moved with the keyboard', async () => {
    const user = await open();
    await user.click(screen.getByText('Blank'));
    await user.click(screen.getByTestId('stage-name'));
    await user.keyboard('a{Enter}');
    await vi.waitFor(() => expect(screen.getByTestId('stage-name')).toHaveFocus());
    await user.keyboard('b');
    const waits = within(screen.getByTestId('stage-waits')).getByRole('checkbox', { name: 'a' });
    expect(waits).toBeChecked();
    await user.click(waits);
    await user.click(screen.getByTestId('stage-name'));
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await settled();
    expect(last().stages).toMatchObject([{ name: 'b', depends_on: [] }, { name: 'a' }]);
    await vi.waitFor(() => expect(screen.getByTestId('stage-name')).toHaveFocus());
  });

  it('takes back a stage that was removed, where it stood or by the keys of undo', async () => {
    const user = await open();
    await user.click(screen.getByText('Design review'));
    const stages = () => screen.getAllByTestId('stage').map((one) => one.dataset.stage);
    await user.click(screen.getAllByTestId('stage-remove')[0] as HTMLElement);
    expect(stages()).toEqual(['review']);
    expect(screen.getByTestId('stage-removed')).toHaveTextContent('“draft” was removed.');
    expect(await findings(document.body)).toEqual([]);
    await user.click(screen.getByTestId('stage-undo'));
    expect(stages()).toEqual(['draft', 'review']);
    expect(screen.queryByTestId('stage-removed')).toBeNull();
    expect(screen.getAllByTestId('stage-open')[0]).toHaveFocus();

    await user.click(screen.getAllByTestId('stage-remove')[1] as HTMLElement);
    // A field has an undo of its own.
    await user.click(screen.getByTestId('draft-name'));
    await user.keyboard('M{Control>}z{/Control}');
    expect(stages()).toEqual(['draft']);
    await user.click(screen.getAllByTestId('stage-open')[0] as HTMLElement);
    await user.keyboard('{Control>}z{/Control}');
    expect(stages()).toEqual(['draft', 'review']);
    await settled();
    expect(last()).toMatchObject({ name: 'M', template: 'design_review' });
  });

  it('calls a removed stage without a name by the number that it has again when it is back', async () => {
    const user = await open();
    await user.click(screen.getByText('Blank'));
    for (let i = 0; i < 2; i += 1) await user.click(screen.getByTestId('stage-add'));
    await user.click(screen.getAllByTestId('stage-remove')[2] as HTMLElement);
    expect(screen.getByTestId('stage-removed')).toHaveTextContent('“stage 3” was removed.');
    // The list is shorter than when it was removed: it comes to stand at its end.
    desk.stages.pop();
    await vi.waitFor(() => expect(screen.getByTestId('stage-removed')).toHaveTextContent('“stage 2” was removed.'));
    await user.click(screen.getByTestId('stage-undo'));
    expect(screen.getAllByTestId('stage-open')[1]).toHaveTextContent('stage 2');
  });

  it('says of a closed stage which one it waits for, by its number where that has no name', async () => {
    const user = await open();
    await user.click(screen.getByText('Blank'));
    for (let i = 0; i < 3; i += 1) await user.click(screen.getByTestId('stage-add'));
    const said = () => screen.getAllByTestId('stage-open').map((stage) => stage.closest('li')?.textContent ?? '');
    expect(said()[2]).toContain('waits for stage 2');
    await user.click(screen.getAllByTestId('stage-open')[2] as HTMLElement);
    await user.type(screen.getByTestId('stage-name'), 'paint');
    await user.click(screen.getAllByTestId('stage-open')[0] as HTMLElement);
    expect(said()[3]).toContain('waits for paint');
  });

  it('shows what is wrong where it is wrong, and does not create it', async () => {
    judge = () =>
      draftView({
        can_create: false,
        problems: [
          {
            code: 'GH0401',
            severity: 'error',
            message: '“draft” and “review” wait for each other.',
            help: null,
            line: 9,
            column: 1,
            end_line: 9,
            end_column: 2,
            step: { id: 'review', number: '2', name: 'review' },
            fix: null,
          },
        ],
      });
    const user = await open();
    await user.click(screen.getByText('Design review'));
    await user.keyboard('Mine');
    await settled();
    expect(screen.getByTestId('draft-create')).toBeDisabled();
    expect(screen.getByTestId('draft-blocked')).toHaveTextContent('One problem must be solved first.');
    await user.click(within(screen.getByTestId('draft-problems')).getByRole('button'));
    const stage = screen.getAllByTestId('stage')[1] as HTMLElement;
    expect(within(stage).getByTestId('stage-name')).toHaveValue('review');
    expect(stage).toHaveTextContent('wait for each other');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(host.called('pipeline.create')).toEqual([]);
  });

  it('keeps what was typed when it is closed, and asks before it is given up', async () => {
    const user = await open();
    await user.click(screen.getByText('Design review'));
    await user.keyboard('Mine');
    await user.click(screen.getByTestId('draft-back'));
    expect(screen.getByText('What you typed will be lost.')).toBeVisible();
    await user.click(screen.getByText('Keep it'));
    expect(screen.getByTestId('draft-name')).toHaveValue('Mine');
    await user.keyboard('{Escape}');
    expect(desk.name).toBe('Mine');
    expect(desk.begun).toBe(true);
  });

  it('stays open with the reason when it is refused', async () => {
    host.on('pipeline.create', () => {
      throw { code: 'read_only', message: 'This folder cannot be written.' };
    });
    const user = await open();
    await user.click(screen.getByText('Design review'));
    await user.keyboard('Mine');
    await settled();
    await user.click(screen.getByTestId('draft-create'));
    expect(await screen.findByText('This folder cannot be written.')).toBeVisible();
    expect(oncreated).not.toHaveBeenCalled();
  });

  it('has no accessibility faults', async () => {
    const user = await open();
    expect(await findings(document.body)).toEqual([]);
    await user.click(screen.getByText('Design review'));
    await settled();
    await user.click(screen.getAllByTestId('stage-open')[1] as HTMLElement);
    expect(await findings(document.body)).toEqual([]);
  });
});
