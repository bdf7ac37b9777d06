import { useHost, type PipelineRow, type StartBrief, type WorkflowCard } from '$lib/api';
import { runRow, settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import App from '../App.svelte';

vi.setConfig({ testTimeout: 20_000 });
afterEach(() => {
  location.hash = '';
});

const card = (path: string, over: Partial<WorkflowCard> = {}): WorkflowCard => ({
  path,
  id: path,
  title: path,
  description: null,
  format_label: 'Pipeline',
  steps: 2,
  gates: 0,
  loops: 0,
  errors: 0,
  warnings: 0,
  last_run: null,
  waiting: 0,
  drawing: workflow().drawing,
  faces: [],
  search_text: path,
  ...over,
});
const row = (path: string): PipelineRow => ({
  id: path,
  path,
  name: path,
  status: 'not_started',
  status_word: 'pending',
  created: '2026-03-10',
  stages: 2,
  run_id: null,
  problem: null,
});
const plan = (path: string): StartBrief => ({
  path,
  title: path,
  errors: [],
  trusted: true,
  rehearse_first: null,
  unbound: [],
  agents: [],
  asks: [],
  writes: [`${path}.md`],
  uses: [],
  runbooks: [],
  can_prompt: false,
  scenarios: [],
});

async function open(cards: WorkflowCard[]) {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({ project: 'p', folders: [{ path: '', workflows: cards }], unreadable: [] }))
    .on('pipeline.list', () => ({ folder: 'p', pipelines: cards.map((one) => row(one.path)), active: null }))
    .on('run.brief', ({ path }: { path: string }) => plan(path));
  location.hash = '#/library';
  useHost(host);
  render(App, { host });
  await screen.findAllByTestId('card-run');
  return { host, user: userEvent.setup() };
}

it('what was chosen for one pipeline is not offered for another', async () => {
  const { host, user } = await open([card('a.yaml'), card('b.yaml')]);
  const [first, second] = screen.getAllByTestId('card-run');
  await user.click(first as HTMLElement);
  await user.type(await screen.findByTestId('start-subject'), 'Northwind');
  await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  // The plan of the other is on its way: nothing of the first stands in for it.
  let answer: () => void = () => {};
  host.on('run.brief', ({ path }: { path: string }) => new Promise((then) => (answer = () => then(plan(path)))));
  await user.click(second as HTMLElement);
  expect(await screen.findByRole('heading', { name: /Start “b.yaml”/ })).toBeVisible();
  expect(screen.queryByText('a.yaml.md')).toBeNull();
  expect(screen.getByTestId('start-confirm')).toBeDisabled();
  answer();
  expect(await screen.findByTestId('start-subject')).toHaveValue('');
  expect(screen.getByRole('radio', { name: 'For real' })).toBeChecked();
  expect(screen.getByText('b.yaml.md')).toBeVisible();
});

it('a card says that its last run was a rehearsal', async () => {
  await open([card('a.yaml', { last_run: runRow({ rehearsal: true }) }), card('b.yaml', { last_run: runRow() })]);
  await waitFor(() => expect(screen.getAllByTestId('workflow-card')[0]).toHaveTextContent('Rehearsal'));
  expect(screen.getAllByTestId('workflow-card')[1]).not.toHaveTextContent('Rehearsal');
});

it('says that the list is as it was while nothing answers, and no more once something does', async () => {
  const { host, user } = await open([card('a.yaml')]);
  expect(screen.queryByTestId('library-outdated')).toBeNull();
  host.link('lost');
  const said = 'shown as they were when Gatehouse last answered';
  expect(await screen.findByTestId('library-outdated')).toHaveTextContent(said);
  const list = { project: 'p', folders: [{ path: '', workflows: [card('a.yaml')] }], unreadable: [] };
  host.on('library.list', () => {
    throw { code: 'unreachable', message: 'Gatehouse does not answer.', hint: null };
  });
  host.link('open');
  await waitFor(() => expect(screen.getByTestId('library-outdated')).toHaveTextContent('Gatehouse does not answer.'));
  expect(screen.getByTestId('workflow-card')).toBeVisible();
  host.on('library.list', () => list);
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(screen.queryByTestId('library-outdated')).toBeNull());
});

it('the card of a pipeline speaks of the run that its button opens', async () => {
  const rehearsed = runRow({ run_id: 'run-9', status: 'blocked', rehearsal: true });
  const { host } = await open([card('a.yaml', { last_run: rehearsed }), card('b.yaml', { last_run: rehearsed })]);
  const first = () => screen.getAllByTestId('workflow-card')[0];
  // None was started for real: what is told is the last one, and that it was a rehearsal.
  await waitFor(() => expect(first()).toHaveTextContent(/Last run.*waits for a person.*Rehearsal/));
  const started = (run_id: string): PipelineRow => ({ ...row('a.yaml'), run_id, status: 'done' });
  const list = (run_id: string) => () => ({ folder: 'p', pipelines: [started(run_id)], active: null });
  host.on('pipeline.list', list('run-1'));
  host.send({ kind: 'library' });
  const href = '#/run/run-1';
  await waitFor(() => expect(screen.getByTestId('card-open-run')).toHaveAttribute('href', href));
  expect(first()).toHaveTextContent(/Its run\s*done/);
  expect(first()).not.toHaveTextContent(/Rehearsal|waits/);
});

it('the card of a pipeline that was run somewhere else says so', async () => {
  const { host } = await open([card('a.yaml')]);
  const problem = 'The file of pipeline a says “completed”, but this project knows nothing of a run.';
  const elsewhere: PipelineRow = { ...row('a.yaml'), status: 'done', status_word: 'completed', problem };
  host.on('pipeline.list', () => ({ folder: 'p', pipelines: [elsewhere], active: null }));
  host.send({ kind: 'library' });
  await waitFor(() => expect(screen.getByTestId('card-problem')).toHaveTextContent(problem));
  expect(screen.getByTestId('workflow-card')).toHaveTextContent('run somewhere else');
  expect(screen.getByTestId('workflow-card')).not.toHaveTextContent('no errors, no warnings');
});

it('begins with a question where there is no workflow, and leads on', async () => {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({ project: 'contracts', folders: [], unreadable: [] }))
    .on('pipeline.list', () => ({ folder: 'p', pipelines: [], active: null }))
    .on('workflow.new', () => ({ formats: [], folders: [] }));
  location.hash = '#/library';
  useHost(host);
  render(App, { host });
  expect(await screen.findByRole('heading', { name: 'What has to be decided, or done?' })).toBeVisible();
  expect(screen.getByText(/There is no workflow in “contracts” yet/)).toBeVisible();
  // The head does not offer the same once more.
  await userEvent.click(screen.getByRole('button', { name: 'New workflow' }));
  expect(await screen.findByRole('dialog', { name: 'A new workflow' })).toBeVisible();
});

it('is read anew for a file that changes only while somebody looks at it, and when it is looked at again', async () => {
  let title = 'First';
  const { host, user } = await open([card('a.yaml')]);
  host.on('library.list', () => ({
    project: 'p',
    folders: [{ path: '', workflows: [card('a.yaml', { title })] }],
    unreadable: [],
  }));
  host.on('runs.list', () => ({ runs: [], total: 0 }));
  const notice = async () => {
    host.send({ kind: 'workflow', path: 'a.yaml' });
    await new Promise((done) => setTimeout(done, 150));
  };
  const asked = () => host.called('library.list').length;
  const before = asked();
  await notice();
  expect(await screen.findByText('First')).toBeVisible();
  expect(asked()).toBe(before + 1);
  location.hash = '#/settings';
  await waitFor(() => expect(screen.queryByTestId('workflow-card')).toBeNull());
  title = 'Second';
  await notice();
  await notice();
  expect(asked()).toBe(before + 1);
  // The palette finds what there is now, and asks once for it.
  for (const _ of [1, 2]) {
    await user.keyboard('{Control>}k{/Control}');
    expect(await screen.findByText('Second')).toBeVisible();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByText('Second')).toBeNull());
  }
  expect(asked()).toBe(before + 2);
});

it('what was handed over says so on every page, and offers to make nothing', async () => {
  const read_only = 'This was handed over: its runs can be looked at.';
  const host = new FakeHost()
    .on('settings.get', () => ({ ...settings, read_only }))
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }))
    .on('pipeline.list', () => ({ folder: 'p', pipelines: [], active: null }));
  location.hash = '#/library';
  useHost(host);
  render(App, { host });
  expect(await screen.findByText('There is no workflow file here')).toBeVisible();
  expect(screen.getByTestId('only-look-bar')).toHaveTextContent(`Only to look at. ${read_only}`);
  expect(screen.queryByTestId('new-workflow-open')).toBeNull();
  expect(screen.queryByTestId('new-pipeline')).toBeNull();
  // By its address neither.
  location.hash = '#/library?new=workflow';
  await new Promise((then) => setTimeout(then));
  expect(screen.queryByRole('dialog')).toBeNull();
  location.hash = '#/inbox';
  await waitFor(() => expect(screen.queryByText('There is no workflow file here')).toBeNull());
  expect(screen.getByTestId('only-look-bar')).toBeVisible();
});
