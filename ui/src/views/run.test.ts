import { cleanup, fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { showRun } from '../features/canvas/__fixtures__/host';
import { logAfter, RUN, runAt, stepAt, timelineAt, WAITING } from '../features/canvas/__fixtures__/request';
import { shortcuts } from '../app/shortcuts.svelte';
import { useHost, type OutcomeView, type RunView } from '$lib/api';
import { support } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import userEvent from '@testing-library/user-event';
import Framed from './run/__fixtures__/Framed.svelte';

// The whole view is mounted each time; a busy machine needs longer than the usual five seconds.
vi.setConfig({ testTimeout: 20_000 });

let host: FakeHost;

beforeEach(() => {
  localStorage.clear();
  location.hash = '';
  host = showRun(new FakeHost(), (at) => runAt(at, WAITING))
    .on('run.timeline', () => timelineAt(WAITING))
    .on('run.step', ({ step, at }: { step: string; at?: number }) => stepAt(step, at ?? WAITING))
    .on('run.log', ({ after }: { after?: number }) => logAfter(after ?? 0, WAITING));
  useHost(host);
});
afterEach(cleanup);

const open = async (at: number | null = null) => {
  render(Framed, { id: RUN, at, step: null });
  await screen.findAllByTestId('graph-node');
  await vi.waitFor(() => expect(screen.getByTestId('playhead')).toHaveAttribute('aria-valuemax', '20'));
};
const status = (step: string) =>
  screen.getAllByTestId('graph-node').find((one) => one.dataset.step === step)?.dataset.status;
const where = () => Number(screen.getByTestId('playhead').getAttribute('aria-valuenow'));

describe('the view of a run', () => {
  it('opens live, asks for each thing once, and offers the decision', async () => {
    await open();
    expect(screen.getByTestId('run-status')).toHaveAttribute('data-status', 'blocked');
    expect(screen.getAllByTestId('open-decision').length).toBeGreaterThan(0);
    expect(screen.queryByTestId('past-banner')).toBeNull();
    expect(host.called('run.timeline')).toHaveLength(1);
  });

  it('goes back event by event with the keyboard, and everything follows', async () => {
    await open();
    expect(status('critique')).toBe('blocked');
    for (let i = 0; i < 8; i++) await fireEvent.keyDown(window, { key: 'ArrowLeft' });
    // What is drawn follows the playhead at its own pace.
    await vi.waitFor(() => expect(status('critique')).toBe('running'), 5_000);
    expect(where()).toBe(12);
    expect(screen.getByTestId('past-banner')).toHaveTextContent('event 13 of 22');
    // Nothing is decided in the past.
    expect(screen.queryByTestId('open-decision')).toBeNull();
    await fireEvent.keyDown(window, { key: 'End' });
    await vi.waitFor(() => expect(status('critique')).toBe('blocked'));
    expect(screen.queryByTestId('past-banner')).toBeNull();
  });

  it('plays on when Space is pressed, and stops when it is pressed again', async () => {
    await open();
    await fireEvent.keyDown(document.body, { key: ' ' });
    // From the beginning, because it stood at the end.
    await vi.waitFor(() => expect(where()).toBeLessThan(4));
    await vi.waitFor(() => expect(where()).toBe(3), { timeout: 8000 });
    expect(screen.getByTestId('playhead-play')).toHaveAccessibleName('Pause the replay');
    await fireEvent.keyDown(document.body, { key: ' ' });
    expect(screen.getByTestId('playhead-play')).toHaveAccessibleName('Play');
  });

  it('opens at the event its address names', async () => {
    await open(13);
    expect(screen.getByTestId('past-banner')).toHaveTextContent('event 13 of 22');
    expect(status('critique')).toBe('running');
    // What it says is asked for by itself.
    const says = logAfter(12, 13).lines[0]?.text ?? '?';
    await vi.waitFor(() => expect(screen.getByTestId('past-banner')).toHaveTextContent(says));
  });

  it('explains the edge that is clicked, each time it was taken', async () => {
    await open();
    const edge = screen
      .getAllByTestId('graph-edge')
      .find((one) => one.dataset.from === 'author' && one.dataset.to === 'critique');
    if (!edge) throw new Error('no edge from author to critique');
    await fireEvent.click(edge);
    const card = await screen.findByTestId('why-card');
    expect(card).toHaveAttribute('data-pass', '5');
    await fireEvent.click(screen.getByTestId('why-previous'));
    expect(card).toHaveAttribute('data-pass', '3');
    await fireEvent.click(screen.getByTestId('why-show'));
    await vi.waitFor(() => expect(screen.getByTestId('playhead')).toHaveAttribute('data-at', '12'));
  });

  it('leaves End to the log, wherever the playhead stands', async () => {
    window.addEventListener('keydown', shortcuts.handle);
    await open(13);
    await userEvent.click(screen.getByTestId('tab-log'));
    await fireEvent.keyDown(screen.getByRole('log'), { key: 'End' });
    expect(screen.getByTestId('past-banner')).toBeVisible();
    await fireEvent.keyDown(document.body, { key: 'End' });
    await vi.waitFor(() => expect(screen.queryByTestId('past-banner')).toBeNull());
    window.removeEventListener('keydown', shortcuts.handle);
  });

  it('has in its panels what was left there, when somebody comes back', async () => {
    const user = userEvent.setup();
    host.on('run.checkpoints', () => ({ checkpoints: [], closed: null }));
    await open();
    await user.click(screen.getByTestId('tab-log'));
    await user.selectOptions(await screen.findByTestId('log-filter'), '4 Critique the requirements');
    const frame = () => screen.getByRole('log');
    const high = vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(1_000);
    frame().scrollTop = 120;
    await fireEvent.scroll(frame());
    await user.click(screen.getByTestId('tab-checkpoints'));
    await user.type(await screen.findByTestId('checkpoint-name'), 'Before the talk');
    await user.click(screen.getByTestId('tab-log'));
    expect(screen.getByTestId('log-filter')).toHaveDisplayValue('4 Critique the requirements');
    expect(frame().scrollTop).toBe(120);
    expect(screen.getByRole('button', { name: 'Go to the latest line' })).toBeVisible();
    await user.click(screen.getByTestId('tab-checkpoints'));
    expect(screen.getByTestId('checkpoint-name')).toHaveValue('Before the talk');
    high.mockRestore();
  });

  it('brings a lane into sight for whoever chose its step, and for nobody else', async () => {
    const high = vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(60);
    await open();
    const frame = screen.getByTestId('timeline').querySelector<HTMLElement>('.frame');
    if (!frame) throw new Error('the timeline has no lanes');
    // Step 4 is at work, out of sight; nobody asked for it.
    expect(screen.getByRole('button', { name: 'Show step 4 Critique the requirements' })).toHaveClass('chosen');
    expect(frame.scrollTop).toBe(0);
    const critique = screen.getAllByTestId('graph-node').find((one) => one.dataset.step === 'critique');
    if (critique) await fireEvent.click(critique);
    await vi.waitFor(() => expect(frame.scrollTop).toBeGreaterThan(0));
    high.mockRestore();
  });

  it('keeps the buttons of the replay where they are', async () => {
    await open();
    const place = screen.getByTestId('playhead-where');
    const width = place.style.minWidth;
    expect(width).toMatch(/ch\)$/);
    await fireEvent.click(screen.getByTestId('playhead-prev'));
    for (let i = 0; i < 15; i++) await fireEvent.keyDown(window, { key: 'ArrowLeft' });
    await vi.waitFor(() => expect(where()).toBeLessThan(10));
    expect(place.style.minWidth).toBe(width);
  });
});

describe('the head of a run', () => {
  const show = async (over: Partial<RunView>) => {
    showRun(host, (at) => ({ ...runAt(at, WAITING), ...over }));
    await open();
  };
  const outcome = (kind: OutcomeView['kind'], words: string): OutcomeView => ({
    kind,
    words,
    by: null,
    step: null,
    comment: null,
    at: null,
  });

  it('says of a refused run who refused it, and does not call it failed', async () => {
    const words = 'rejected by Ada Lund at “Sign the contract”: Not this quarter.';
    await show({
      status: 'refused',
      status_words: words,
      outcome: outcome('refused', words),
      error: 'Rejected by Ada Lund: Not this quarter.',
      ended_at: 9,
    });
    expect(screen.getByTestId('run-error')).toHaveTextContent(words);
    expect(screen.getByTestId('run-error')).not.toHaveTextContent(/failed/);
    expect(screen.getByTestId('run-error')).toHaveAttribute('data-tone', 'refused');
  });

  it('says of a run that no way led on why it stopped', async () => {
    await show({
      status: 'stopped',
      outcome: outcome('stopped', 'stopped: no way led on'),
      error: 'No way led on from “Test”.',
      ended_at: 9,
    });
    expect(screen.getByTestId('run-error')).toHaveTextContent('Why it stopped: No way led on from “Test”.');
    expect(screen.getByTestId('run-error')).toHaveAttribute('data-tone', 'partly');
  });

  it('says who carries it out, and offers to resume it where it is not', async () => {
    await show({
      status: 'running',
      driver: null,
      actions: [{ action: 'drive', allowed: true, refusal: null }],
    });
    expect(screen.getByTestId('run-driver')).toHaveTextContent(/^not running$/);
    expect(screen.getByTestId('run-drive')).toHaveTextContent('Resume here');
    cleanup();
    await show({ status: 'running', driver: 'serve 17251@vm' });
    expect(screen.getByTestId('run-driver')).toHaveTextContent(/^carried out by Gatehouse, used in a browser$/);
    expect(screen.getByTestId('run-driver')).toHaveAttribute('title', 'serve 17251@vm');
    cleanup();
    // It waits for a person: nobody needs to go on with it.
    await show({ status: 'blocked', driver: null });
    expect(screen.queryByTestId('run-driver')).toBeNull();
  });

  it('shows its status in a word, and for as long as it goes on the whole sentence below it', async () => {
    const words = 'asks whether “Change the pages” is done';
    await show({ status: 'blocked', status_words: words, ended_at: null });
    expect(screen.getByTestId('run-status')).toHaveTextContent(/^waits for a person$/);
    expect(screen.getByTestId('run-words')).toHaveTextContent(words);
    cleanup();
  });

  it.each<[string, Partial<RunView>]>([
    ['rejected by Ada', { status: 'refused', outcome: outcome('refused', 'rejected by Ada') }],
    ['stopped by Ada: No time.', { status: 'aborted', error: 'Stopped by Ada: No time.' }],
    ['stopped by Ada: A long …', { status: 'aborted', error: 'Stopped by Ada: A long story.' }],
    ['stopped: no way led on from “Test”.', { status: 'stopped', error: 'No way led on from “Test”.' }],
    ['failed: no ink', { status: 'failed', error: 'No ink', message: 'no ink' }],
    ['completed with failures', { status: 'partly', error: 'no ink' }],
  ])('does not repeat of an ended run what is said below it: %s', async (status_words, over) => {
    await show({ status_words, ended_at: 9, ...over });
    expect(screen.queryByTestId('run-words')).toBeNull();
    if (over.status !== 'partly') expect(screen.getByTestId('run-error')).toBeVisible();
  });

  it('says once that a run was left open', async () => {
    await show({ status: 'left_open', status_words: 'left open: nobody carries it on', ended_at: null });
    expect(screen.getByTestId('run-words')).toHaveTextContent(/^nobody carries it on$/);
  });

  it('says who stopped it, and in what words, once', async () => {
    const error = 'Stopped by somebody: Supplier misspelt';
    await show({ status: 'aborted', status_words: 'stopped by somebody: Supplier misspelt', ended_at: 9, error });
    expect(screen.getByTestId('run-error')).toHaveTextContent(/^Stopped by somebody: Supplier misspelt$/);
  });

  it.each<[string, Partial<RunView>]>([
    ['completed with failures; resumed after it was rejected by Ada at “Sign”', { status: 'partly' }],
    ['failed; resumed after it was rejected by Ada at “Sign”', { status: 'failed', error: 'no ink' }],
    ['done: 3 pages were written', { status: 'done' }],
    ['stopped by Ada', { status: 'aborted', error: null }],
  ])('says of an ended run what nothing else does: %s', async (status_words, over) => {
    await show({ status_words, ended_at: 9, ...over });
    // The word of the chip stands beside it.
    expect(screen.getByTestId('run-words')).toHaveTextContent(status_words.replace(/^(done: |[^;]*; )/, ''));
    expect(screen.getByTestId('run-words')).not.toHaveTextContent(/^(failed|completed)/);
  });

  it('names the run by its subject, else by the end of its id, which can be copied', async () => {
    const user = userEvent.setup();
    await show({ run_id: '01a2b3c4-0000-7000-8000-0123456789ab' });
    expect(screen.getByText('…456789ab')).toHaveAttribute('title', '01a2b3c4-0000-7000-8000-0123456789ab');
    await user.click(screen.getByTestId('run-copy-id'));
    expect(await navigator.clipboard.readText()).toBe('01a2b3c4-0000-7000-8000-0123456789ab');
    expect(screen.getByTestId('run-copy-id')).toHaveTextContent('Copied');
    cleanup();
    await show({ subject: 'Northwind Hosting AB' });
    expect(screen.getByText('Northwind Hosting AB', { selector: '.crumbs *' })).toHaveAttribute('title', RUN);
  });

  it('keeps what the run did as a scenario, under the name of what it is about', async () => {
    const user = userEvent.setup();
    toasts.list = [];
    host.on('scenario.record', () => ({ path: 'flows/shape.scenarios/northwind.yaml' }));
    await show({ subject: 'Northwind Hosting AB' });
    await user.click(screen.getByTestId('run-menu'));
    await user.click(await screen.findByTestId('run-keep'));
    const name = await screen.findByTestId('keep-name');
    expect(name).toHaveValue('Northwind Hosting AB');
    await user.type(name, '{Enter}');
    await vi.waitFor(() =>
      expect(host.called('scenario.record')).toEqual([{ run_id: RUN, name: 'Northwind Hosting AB' }]),
    );
    await vi.waitFor(() => expect(toasts.list).toHaveLength(1));
    expect(toasts.list[0]?.action).toMatchObject({ href: expect.stringMatching(/^#\/workflow\/.+\?tab=tests$/) });
    await vi.waitFor(() => expect(screen.queryByTestId('keep-name')).toBeNull());
    toasts.list = [];
  });

  it('says of what was kept in what it goes another way when it is played', async () => {
    const user = userEvent.setup();
    toasts.list = [];
    const otherwise = 'The run should end as “Done”, and is “Failed”.';
    host.on('scenario.record', () => ({ path: 'flows/shape.scenarios/northwind.yaml', otherwise }));
    await show({ subject: 'Northwind' });
    await user.click(screen.getByTestId('run-menu'));
    await user.click(await screen.findByTestId('run-keep'));
    await user.type(await screen.findByTestId('keep-name'), '{Enter}');
    await vi.waitFor(() =>
      expect(toasts.list[0]?.text).toBe(
        'Kept as a scenario: “Northwind”. Played again it goes another way: The run should end as “Done”, and is “Failed”.',
      ),
    );
    toasts.list = [];
  });

  it('makes a new workflow of the version that it keeps', async () => {
    const user = userEvent.setup();
    host.on('workflow.create', () => ({ path: 'workflows/another.yaml', revision: 'r1' }));
    await show({});
    await user.click(screen.getByTestId('run-menu'));
    await user.click(await screen.findByTestId('run-copy'));
    const name = await screen.findByTestId('copy-name');
    await user.clear(name);
    await user.type(name, 'Another{Enter}');
    await vi.waitFor(() =>
      expect(host.called('workflow.create')).toEqual([{ name: 'Another', from: { kind: 'run', run_id: RUN } }]),
    );
    await vi.waitFor(() => expect(location.hash).toBe('#/workflow/workflows/another.yaml'));
    await vi.waitFor(() => expect(screen.queryByTestId('copy-name')).toBeNull());
  });

  it('is started again with what was entered in it: from its menu, and in sight once it has ended', async () => {
    const user = userEvent.setup();
    host.on('run.brief', () => new Promise(() => {}));
    await show({});
    await user.click(screen.getByTestId('run-menu'));
    const again = await screen.findByTestId('run-again');
    expect(again.closest('[role="menu"]')).toHaveAttribute('aria-label', 'More about this run');
    await user.click(again);
    const path = runAt(WAITING, WAITING).workflow_path;
    await vi.waitFor(() => expect(host.called('run.brief')).toEqual([{ path, like: RUN }]));
    expect(screen.getByRole('dialog')).toHaveAccessibleName(/^Start “/);
    cleanup();
    await show({ status: 'done', ended_at: 1 });
    expect(screen.getByTestId('run-again')).toBeVisible();
    cleanup();
    // The run around it starts it.
    await show({ parent: { run_id: 'run-0', step: 'all', title: 'All' } });
    await user.click(screen.getByTestId('run-menu'));
    expect(await screen.findByTestId('run-compare')).toBeInTheDocument();
    expect(screen.queryByTestId('run-again')).toBeNull();
  });

  it('says in the dialog why it was not kept', async () => {
    const user = userEvent.setup();
    host.on('scenario.record', () => {
      throw { code: 'taken', message: 'There is a file of that name.' };
    });
    await show({});
    await user.click(screen.getByTestId('run-menu'));
    await user.click(await screen.findByTestId('run-keep'));
    const name = await screen.findByTestId('keep-name');
    expect(name).toHaveValue(runAt(WAITING, WAITING).subject ?? runAt(WAITING, WAITING).workflow_title);
    await user.click(screen.getByTestId('keep-go'));
    expect(await screen.findByText('There is a file of that name.')).toBeVisible();
  });

  it('is shown as a session from its menu: its head is for what everybody reads', async () => {
    const user = userEvent.setup();
    await show({});
    expect(screen.queryByText('The run as a session of agents')).toBeNull();
    await user.click(screen.getByTestId('run-menu'));
    await user.click(await screen.findByTestId('run-session'));
    await vi.waitFor(() => expect(location.hash).toContain('#/session'));
  });

  it('is not kept where it came from elsewhere, nor where nothing can be written', async () => {
    await show({ actions: [] });
    await userEvent.setup().click(screen.getByTestId('run-menu'));
    // Looking changes nothing.
    expect(await screen.findByTestId('run-compare')).toBeInTheDocument();
    expect(screen.queryByTestId('run-keep')).toBeNull();
    cleanup();
    host.on('session.open', () => Promise.reject(new Error('not here')));
    showRun(host, (at) => ({ ...runAt(at, WAITING), imported: 'It was taken in.' }));
    render(Framed, { id: RUN, at: null, step: null });
    expect(await screen.findByTestId('run-imported')).toBeVisible();
    expect(screen.queryByTestId('run-menu')).toBeNull();
  });

  it('leads from an imported run to its workflow where one is known, and goes on with it from there', async () => {
    host.on('session.open', () => Promise.reject(new Error('not here')));
    host.on('library.list', () => ({ project: 'p', folders: [], sessions: [], unreadable: [] }));
    const crumb = () => screen.queryAllByRole('link', { name: runAt(7, WAITING).workflow_title });
    showRun(host, (at) => ({ ...runAt(at, WAITING), imported: 'It was taken in.', workflow_path: '' }));
    render(Framed, { id: RUN, at: null, step: null });
    await userEvent.setup().click(await screen.findByTestId('session-take-over'));
    expect(await screen.findByTestId('take-over-workflow')).toBeVisible();
    cleanup();
    render(Framed, { id: RUN, at: null, step: null });
    await screen.findByTestId('run-imported');
    expect(crumb()).toEqual([]);
    cleanup();
    showRun(host, (at) => ({ ...runAt(at, WAITING), imported: 'It was taken in.', workflow_path: 'docs/plan.yaml' }));
    render(Framed, { id: RUN, at: null, step: null });
    await screen.findByTestId('run-imported');
    expect(crumb()[0]).toHaveAttribute('href', expect.stringContaining('docs/plan.yaml'));
  });

  it('says in words how well its results are supported', async () => {
    const words = 'Weakest evidence: brief.md, checked automatically, valid for 12 days.';
    await show({ support: support({ words, assurance: 0.72 }) });
    expect(screen.getByTestId('run-evidence')).toHaveTextContent(words);
    expect(screen.queryByText(/0\.72/)).toBeNull();
  });
});
