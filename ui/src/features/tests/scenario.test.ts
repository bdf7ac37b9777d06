import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  useHost,
  type FormField,
  type ScenarioAdd,
  type ScenarioRow,
  type ScenarioTable,
  type TestsView,
} from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import Framed from './__fixtures__/Framed.svelte';
import { nth } from './rows';
import { ScenarioDesk } from './scenario.svelte';

const FLOW = 'flows/release.yaml';
const FILE = 'flows/release.scenarios/it-goes-well.yaml';
const at = (...path: string[]) => ({ step: null, path });
const field = (name: string, label: string, place: string[], more: Partial<FormField> = {}): FormField => ({
  name,
  label,
  section: 'what',
  help: '',
  control: { kind: 'text' },
  place: at(...place, name),
  value: null,
  default: null,
  ...more,
});
const ENDS: FormField['control'] = {
  kind: 'choice',
  options: [
    { value: 'succeeded', label: 'Done' },
    { value: 'failed', label: 'Failed' },
  ],
};

function visit(name: string, n: number, said: Record<string, unknown> = {}, there = true, only = false): ScenarioRow {
  const place = ['steps', name, `${n}`];
  const of = (key: string, label: string, more: Partial<FormField> = {}) =>
    field(key, label, place, { value: said[key] ?? null, ...more });
  return {
    step: there ? step(name, '2') : null,
    named: name,
    nth: n + 1,
    place: at(...place),
    gone: only ? at('steps', name) : at(...place),
    form: {
      kind: 'visit',
      label: 'Visit',
      fields: [
        of('status', 'How it ends', { control: ENDS, default: 'succeeded' }),
        of('error', 'Why it failed'),
        of('report', 'What it reports', { control: { kind: 'key_value' } }),
        of('output', 'What it says', { control: { kind: 'long_text' } }),
      ],
    },
  };
}

function answer(n: number, said: Record<string, unknown>): ScenarioRow {
  const place = ['gates', 'approve', `${n}`];
  const of = (key: string, label: string) => field(key, label, place, { value: said[key] ?? null, section: 'gate' });
  return {
    step: step('approve', '3'),
    named: 'approve',
    nth: n + 1,
    place: at(...place),
    gone: at('gates', 'approve'),
    form: {
      kind: 'answer',
      label: 'Answer',
      fields: [of('answer', 'Answer'), of('by', 'Who'), of('comment', 'Comment')],
    },
  };
}

const whole = (kind: string, fields: FormField[], ...place: string[]): ScenarioRow => ({
  step: null,
  named: null,
  nth: null,
  place: at(...place),
  gone: at(...place),
  form: { kind, label: kind, fields },
});
const add = (name: string, n: number, is_gate = false): ScenarioAdd => ({
  step: step(name, is_gate ? '3' : '2'),
  is_gate,
  nth: n,
  place: n === 1 ? at(is_gate ? 'gates' : 'steps', name) : at(is_gate ? 'gates' : 'steps', name, `${n - 1}`),
  lands: at(is_gate ? 'gates' : 'steps', name, `${n - 1}`),
  value: n === 1 ? [{ status: 'succeeded' }] : { status: 'succeeded' },
});

const table = (over: Partial<ScenarioTable> = {}): ScenarioTable => ({
  path: FILE,
  revision: 'r1',
  rows: [
    whole('scenario', [field('name', 'Name', [], { value: 'it goes well' })]),
    visit('build', 0, { status: 'failed', error: 'no compiler', report: { passed: false, count: 3 } }),
    visit('build', 1, { output: 'All is built.' }),
    visit('send', 0, {}, true, true),
    answer(0, { answer: 'approve', by: 'Ada', comment: 'Go.' }),
    whole('end', [field('error', 'With this error', ['expect'])], 'expect'),
  ],
  add: [add('build', 3), add('test', 1), add('approve', 2, true)],
  known: [],
  problem: null,
  source: 'name: it goes well\n',
  undo: 'take out 2 test',
  undo_entry: 'e2',
  redo: null,
  ...over,
});

const tests = (over: Partial<TestsView['tests'][number]> = {}): TestsView => ({
  path: FLOW,
  title: 'Release',
  tests: [
    {
      name: 'it goes well',
      description: null,
      origin: FILE,
      line: null,
      start: FILE,
      passed: true,
      expects: true,
      words: 'It did what it says.',
      notes: [],
      result: 'done',
      path: [step('build', '2')],
      path_length: 1,
      steps: [2],
      edges: [],
      stations: [],
      ...over,
    },
  ],
  passed: 1,
  failed: 0,
  steps: { seen: 1, of: 2 },
  edges: { seen: 0, of: 1 },
  unseen_steps: [],
  unseen_edges: [],
  next: null,
  words: '',
});

/** The tab; the file is what `now` says. */
function show(over: { now?: () => ScenarioTable; view?: TestsView; step?: string; writable?: boolean } = {}) {
  const now = over.now ?? (() => table());
  const host = new FakeHost().on('scenario.table', now).on('scenario.edit', now);
  useHost(host);
  const changed = vi.fn();
  const desk = new ScenarioDesk(FLOW, changed);
  const calls = { onrun: vi.fn(), onchoose: vi.fn(), onwatch: vi.fn(), onstep: vi.fn(), online: vi.fn() };
  const props = { tests: over.view ?? tests(), busy: false, chosen: null, step: over.step ?? null };
  const page = render(Framed, { ...props, desk: over.writable === false ? null : desk, ...calls });
  return { page, host, desk, changed, calls, user: userEvent.setup() };
}
async function open(over: Parameters<typeof show>[0] = {}) {
  const shown = show(over);
  await shown.user.click(screen.getByTestId('scenario-edit'));
  await screen.findByTestId('scenario-visits');
  return shown;
}
const edits = (host: FakeHost) => host.called('scenario.edit').map((one) => (one as { edits: unknown[] }).edits);
const cells = (row: HTMLElement | undefined) =>
  within(row!)
    .getAllByRole('cell')
    .map((cell) => cell.textContent.trim());

afterEach(() => {
  toasts.list = [];
});

describe('a scenario as a table', () => {
  it('has a row for each visit and each answer, in short', async () => {
    await open();
    const rows = screen.getAllByTestId('scenario-row');
    expect(rows).toHaveLength(4);
    expect(within(rows[0]!).getByRole('rowheader')).toHaveTextContent('2 build');
    expect(cells(rows[0])).toEqual(['1st time', 'Failed: no compiler', 'passed: false, count: 3', '', '']);
    // What is not written is told as what holds without it.
    expect(cells(rows[1])).toEqual(['2nd time', 'Done', '', 'All is built.', '']);
    expect(cells(rows[3])).toEqual(['1st time', 'approve', 'Ada', 'Go.', '']);
    expect(screen.getByLabelText('Name', { selector: '[data-testid="field-name"]' })).toHaveValue('it goes well');
    expect(screen.getByLabelText('With this error')).toBeVisible();
    expect(screen.getByTestId('scenario-back')).toHaveFocus();
    expect(await findings(document.body)).toEqual([]);
  });

  it('a row opens to its form; what is filled in is written on the version that is shown, and tried', async () => {
    let revision = 'r1';
    const { host, changed, user } = await open({ now: () => table({ revision }) });
    const [row] = screen.getAllByTestId('scenario-row-open');
    expect(row).toHaveAttribute('aria-expanded', 'false');
    await user.click(row!);
    expect(row).toHaveAttribute('aria-expanded', 'true');
    revision = 'r2';
    await user.selectOptions(screen.getByTestId('field-status'), 'succeeded');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce());
    expect(host.called('scenario.edit')).toEqual([
      {
        path: FLOW,
        scenario: FILE,
        revision: 'r1',
        edits: [{ kind: 'set', place: at('steps', 'build', '0', 'status'), value: 'succeeded' }],
        label: '2 build, 1st time: How it ends',
      },
    ]);
    // What is reported is read as what it is.
    const value = screen.getByLabelText('count');
    await user.clear(value);
    await user.type(value, '4');
    await user.tab();
    await vi.waitFor(() => expect(edits(host)).toHaveLength(2));
    expect(host.called('scenario.edit')[1]).toMatchObject({ revision: 'r2' });
    expect(edits(host)[1]).toEqual([{ kind: 'set', place: at('steps', 'build', '0', 'report', 'count'), value: 4 }]);
  });

  it('one more visit and one more answer are added, and open then', async () => {
    let rows = table().rows;
    const { host, user } = await open({ now: () => table({ rows }) });
    expect(screen.getByTestId('scenario-visits-add')).toBeDisabled();
    await user.selectOptions(screen.getByTestId('scenario-visits-step'), '2 test, 1st time');
    rows = [...rows, visit('test', 0)];
    await user.click(screen.getByTestId('scenario-visits-add'));
    await vi.waitFor(() => expect(screen.getByRole('button', { name: '2 test, 1st time' })).toHaveFocus());
    expect(screen.getByRole('button', { name: '2 test, 1st time' })).toHaveAttribute('aria-expanded', 'true');
    await user.selectOptions(screen.getByTestId('scenario-answers-step'), '3 approve, 2nd time');
    await user.click(screen.getByTestId('scenario-answers-add'));
    await vi.waitFor(() => expect(edits(host)).toHaveLength(2));
    expect(edits(host)).toEqual([
      [{ kind: 'set', place: at('steps', 'test'), value: [{ status: 'succeeded' }] }],
      [{ kind: 'set', place: at('gates', 'approve', '1'), value: { status: 'succeeded' } }],
    ]);
  });

  it('the step that is chosen in the picture is offered', async () => {
    await open({ step: 'test' });
    expect(screen.getByTestId('scenario-visits-step')).toHaveDisplayValue('2 test, 1st time');
    expect(screen.getByTestId('scenario-answers-step')).toHaveDisplayValue('Choose a step…');
  });

  it('a row is taken out; with the last one of a step its whole entry', async () => {
    const { host, user } = await open();
    await user.click(screen.getByRole('button', { name: 'Take out 2 build, 2nd time' }));
    await user.click(screen.getByRole('button', { name: 'Take out 2 send, 1st time' }));
    expect(edits(host)).toEqual([
      [{ kind: 'remove', place: at('steps', 'build', '1') }],
      [{ kind: 'remove', place: at('steps', 'send') }],
    ]);
  });

  it('is undone with what it takes back, and read again', async () => {
    const { host, user, changed } = await open();
    host.on('workflow.undo', () => ({ outcome: 'saved', merged: false, view: null }));
    expect(screen.getByTestId('scenario-redo')).toBeDisabled();
    await user.click(screen.getByRole('button', { name: 'Undo: take out 2 test' }));
    await vi.waitFor(() => expect(host.called('scenario.table')).toHaveLength(2));
    expect(host.called('workflow.undo')).toEqual([{ path: FILE, entry: 'e2' }]);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce());
  });

  it('shows what was saved and what was taken back, as for every other edit', async () => {
    const { host, user } = await open();
    host.on('workflow.undo', () => ({ outcome: 'saved', merged: false, view: null }));
    await user.click(screen.getByRole('button', { name: 'Take out 2 send, 1st time' }));
    expect(await screen.findByTestId('scenario-said')).toHaveTextContent('Saved: take out 2 send, 1st time');
    await user.click(screen.getByRole('button', { name: 'Undo: take out 2 test' }));
    await vi.waitFor(() => expect(screen.getByTestId('scenario-said')).toHaveTextContent('Undone: take out 2 test'));
  });

  it('another program was faster: nothing is written, that is said, and it is read again', async () => {
    const { host, user } = await open();
    host.on('scenario.edit', () => {
      throw { code: 'conflict', message: 'It was changed in another program meanwhile.', hint: 'Nothing was written.' };
    });
    await user.click(screen.getByRole('button', { name: 'Take out 2 send, 1st time' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('changed in another program meanwhile');
    expect(host.called('scenario.table')).toHaveLength(2);
    const name = screen.getByTestId('field-name');
    await user.clear(name);
    await user.type(name, 'other{Enter}');
    await vi.waitFor(() => expect(name).toHaveAccessibleDescription(/another program meanwhile. Nothing was written/));
    expect(name).toHaveValue('other');
    expect(host.called('scenario.table')).toHaveLength(3);
  });

  it('says why it cannot be played, and what came of it', async () => {
    const first = await open({ now: () => table({ problem: '`takes` is no time.' }) });
    expect(screen.getByTestId('scenario-problem')).toHaveTextContent('It cannot be played as it is. takes is no time.');
    first.page.unmount();
    await open({ view: tests({ passed: false, words: 'It ended with failed.' }) });
    expect(screen.getByText('It ended with failed.')).toBeVisible();
    expect(screen.getByText('failed')).toBeVisible();
  });

  it('says what holds where nothing is written, and which steps there are not', async () => {
    const empty = await open({ now: () => table({ rows: [] }) });
    expect(screen.getByText(/^No step is named yet: each of them succeeds/)).toBeVisible();
    expect(screen.getByText('No answer is written yet: a person is asked each time.')).toBeVisible();
    empty.page.unmount();
    const strange = await open({ now: () => table({ rows: [visit('gone', 0, {}, false)], add: [] }) });
    expect(screen.getByText('The workflow has no such step.')).toBeVisible();
    // There is nobody to ask in it.
    expect(screen.queryByTestId('scenario-answers')).toBeNull();
    strange.page.unmount();
  });

  it('shows the file as it is written, and leads back to where one came from', async () => {
    const { user } = await open();
    await user.click(screen.getByText('The file as it is written'));
    expect(screen.getByRole('region', { name: 'The file as it is written' })).toHaveTextContent('name: it goes well');
    await user.click(screen.getByTestId('scenario-back'));
    expect(screen.getByTestId('scenario-edit')).toHaveFocus();
    expect(screen.queryByTestId('scenario')).toBeNull();
  });
});

describe('the scenarios of a workflow', () => {
  it('one in the workflow’s own file, or where nothing can be written, is not changed here', () => {
    const inside = show({ view: tests({ origin: FLOW, line: 3 }) });
    expect(screen.queryByTestId('scenario-edit')).toBeNull();
    expect(screen.queryByTestId('scenario-remove')).toBeNull();
    expect(screen.getByTestId('scenario-new')).toBeVisible();
    inside.page.unmount();
    show({ writable: false });
    expect(screen.queryByTestId('scenario-edit')).toBeNull();
    expect(screen.queryByTestId('scenario-new')).toBeNull();
  });

  it('a new one asks for a name, says what is wrong with it, and opens', async () => {
    const { host, user, changed, desk } = show();
    host.on('scenario.create', () => {
      throw { code: 'taken', message: 'There is one of that name.' };
    });
    await user.click(screen.getByTestId('scenario-new'));
    await vi.waitFor(() => expect(screen.getByTestId('scenario-new-name')).toHaveFocus());
    expect(screen.getByTestId('scenario-new-go')).toBeDisabled();
    await user.type(screen.getByTestId('scenario-new-name'), ' It fails {Enter}');
    expect(await screen.findByText('There is one of that name.')).toBeVisible();
    expect(changed).not.toHaveBeenCalled();
    host.on('scenario.create', () => ({ path: FILE }));
    await user.click(screen.getByTestId('scenario-new-go'));
    expect(await screen.findByTestId('scenario')).toBeVisible();
    expect(host.called('scenario.create').at(-1)).toEqual({ path: FLOW, name: 'It fails' });
    expect(changed).toHaveBeenCalledOnce();
    expect(desk.path).toBe(FILE);
    await vi.waitFor(() => expect(screen.queryByTestId('scenario-new-name')).toBeNull());
    await vi.waitFor(() => expect(screen.getByTestId('scenario-back')).toHaveFocus());
  });

  it('one is deleted from where it is shown, and comes back', async () => {
    const { host, user, changed } = await open();
    host
      .on('scenario.remove', () => ({ path: FLOW, undo_entry: 'e3' }))
      .on('workflow.undo', () => ({ outcome: 'saved' }));
    await user.click(screen.getByTestId('scenario-remove'));
    await vi.waitFor(() => expect(screen.getByTestId('scenario-new')).toHaveFocus());
    expect(host.called('scenario.remove')).toEqual([{ path: FLOW, scenario: FILE }]);
    expect(changed).toHaveBeenCalledOnce();
    const [toast] = toasts.list;
    expect(toast?.text).toBe('Deleted: it goes well');
    if (!toast?.action || !('run' in toast.action)) throw new Error('it cannot be taken back');
    toast.action.run();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    expect(host.called('workflow.undo')).toEqual([{ path: FILE, entry: 'e3' }]);
  });
});

it.each([
  [1, '1st time'],
  [2, '2nd time'],
  [3, '3rd time'],
  [4, '4th time'],
  [11, '11th time'],
  [22, '22nd time'],
])('%i is the %s', (n, said) => expect(nth(n)).toBe(said));
