import { FakeHost } from '$lib/host/fake';
import { useHost, type FaceView, type PipelineDraft, type ProblemView } from '$lib/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { draftView, review } from './__fixtures__/pipeline';
import { DraftDesk } from './desk.svelte';
import type { Stage } from './stage.svelte';

let host: FakeHost;
let desk: DraftDesk;
beforeEach(() => {
  vi.useFakeTimers();
  host = new FakeHost()
    .on('pipeline.templates', () => ({ templates: [review], folder: 'pipelines' }))
    .on('pipeline.draft', ({ name }: PipelineDraft) => draftView({ can_create: name !== '' }));
  useHost(host);
  desk = new DraftDesk();
});
afterEach(() => vi.useRealTimers());

const names = () => desk.stages.map((stage) => stage.name);
const waits = (i: number) =>
  desk.stages[i]?.waitsFor.map((key) => desk.stages.find((one) => one.key === key)?.name ?? '?');
/** Stages a, b, c …, each waiting for the one before. */
function row(...all: string[]) {
  desk.begin(null);
  desk.stages = [];
  for (const name of all) desk.add().name = name;
}

describe('beginning', () => {
  it('draws every template, and takes its stages', async () => {
    await desk.load();
    expect(host.called('pipeline.draft')).toEqual([{ name: 'Design review', template: 'design_review' }]);
    desk.begin(review);
    expect(names()).toEqual(['draft', 'review']);
    expect(waits(1)).toEqual(['draft']);
    expect(desk.typed).toBe(false);
    desk.name = 'Mine';
    expect(desk.typed).toBe(true);
  });

  it('does not draw what cannot be read', async () => {
    host.on('pipeline.templates', () => ({ templates: [{ ...review, problem: 'broken' }], folder: 'pipelines' }));
    await desk.load();
    expect(host.called('pipeline.draft')).toEqual([]);
  });
});

describe('a line that is drawn', () => {
  const at = { line: 1, column: 1, end_line: 1, end_column: 2 };
  const problem = (message: string): ProblemView => ({
    ...at,
    code: 'GH0301',
    severity: 'error',
    message,
    help: null,
    step: null,
    fix: null,
  });
  type Asked = { stages: { name: string; depends_on: string[] }[] };

  it('is asked about before: what would be wrong then is why it cannot be', async () => {
    row('a', 'b', 'c');
    host.on('pipeline.draft', ({ stages }: Asked) =>
      draftView({
        text: JSON.stringify(stages),
        problems: [problem('It has no name'), ...(stages[0]?.depends_on.includes('c') ? [problem('Both wait')] : [])],
      }),
    );
    await desk.look();
    const [first, second, third] = desk.stages as [Stage, Stage, Stage];
    expect(await desk.mayWait(first, third)).toBe('Both wait');
    expect(await desk.mayWait(third, first)).toBeNull();
    expect(await desk.mayWait(second, first)).toBe('It waits for it already: nothing would change.');
    expect(waits(0)).toEqual([]);
  });
});

describe('typing', () => {
  it('asks once when somebody has stopped typing', async () => {
    desk.begin(null);
    for (const name of ['R', 'Re', 'Rel']) {
      desk.name = name;
      desk.changed();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(host.called('pipeline.draft')).toEqual([]);
    expect(desk.canCreate).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(host.called('pipeline.draft')).toMatchObject([{ name: 'Rel' }]);
    expect(desk.canCreate).toBe(true);
  });

  it('shows the answer to the latest question, whatever arrives last', async () => {
    const answers: ((view: unknown) => void)[] = [];
    host.on('pipeline.draft', () => new Promise((resolve) => answers.push(resolve)));
    desk.begin(null);
    void desk.look();
    void desk.look();
    await vi.advanceTimersByTimeAsync(1);
    answers[1]?.(draftView({ text: 'second' }));
    answers[0]?.(draftView({ text: 'first' }));
    await vi.advanceTimersByTimeAsync(1);
    expect(desk.preview?.text).toBe('second');
  });

  it('does not take an answer to what was typed before for one to what stands there now', async () => {
    const answers: ((view: unknown) => void)[] = [];
    host.on('pipeline.draft', () => new Promise((resolve) => answers.push(resolve)));
    desk.begin(null);
    desk.name = 'Rel';
    void desk.look();
    await vi.advanceTimersByTimeAsync(1);
    desk.name = 'Release';
    desk.changed();
    // The backend was slow: it answers after more was typed, before that is asked about.
    answers[0]?.(draftView({ can_create: false, text: 'Rel' }));
    await vi.advanceTimersByTimeAsync(1);
    expect(desk.stale).toBe(true);
    await vi.advanceTimersByTimeAsync(500);
    answers[1]?.(draftView({ can_create: true, text: 'Release' }));
    await vi.advanceTimersByTimeAsync(1);
    expect(desk.stale).toBe(false);
    expect(desk.canCreate).toBe(true);
  });

  it('keeps the picture when the backend cannot answer, and says why', async () => {
    desk.begin(null);
    await desk.look();
    host.on('pipeline.draft', () => {
      throw { code: 'internal', message: 'No.' };
    });
    await desk.look();
    expect(desk.preview).not.toBeNull();
    expect(desk.previewError?.message).toBe('No.');
  });
});

describe('the list of stages', () => {
  it('lets a new stage wait for the one before it', () => {
    row('a', 'b');
    const between = desk.add(desk.stages[0]);
    between.name = 'x';
    expect(names()).toEqual(['a', 'x', 'b']);
    expect(waits(1)).toEqual(['a']);
    expect(desk.opened).toBe(between.key);
  });

  it('moves a stage without touching what waits for what', () => {
    row('a', 'b', 'c');
    expect(desk.move(desk.stages[2]!, -1)).toBe(true);
    expect(names()).toEqual(['a', 'c', 'b']);
    expect(waits(1)).toEqual(['b']);
    expect(desk.move(desk.stages[0]!, -1)).toBe(false);
  });

  it('closes the gap a removed stage leaves', () => {
    row('a', 'b', 'c');
    desk.remove(desk.stages[1]!);
    expect(names()).toEqual(['a', 'c']);
    expect(waits(1)).toEqual(['a']);
  });

  it('puts back a removed stage where it stood, with what waited for it and what was changed since', () => {
    row('a', 'b', 'c', 'd');
    desk.wait(desk.stages[3]!, desk.stages[1]!, true);
    desk.opened = desk.stages[1]!.key;
    desk.remove(desk.stages[1]!);
    expect([waits(1), waits(2)]).toEqual([['a'], ['c', 'a']]);
    desk.wait(desk.stages[2]!, desk.stages[1]!, false);
    expect(desk.takeBack()?.name).toBe('b');
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
    expect([waits(1), waits(2), waits(3)]).toEqual([['a'], ['b'], ['b']]);
    expect(desk.opened).toBe(desk.stages[1]?.key);
    expect(desk.takeBack()).toBeNull();
  });

  it('puts back several removed stages one by one, the latest first', () => {
    row('a', 'b', 'c');
    for (const i of [0, 0, 0]) desk.remove(desk.stages[i]!);
    expect(names()).toEqual([]);
    for (const name of ['c', 'b', 'a']) expect(desk.takeBack()?.name).toBe(name);
    expect(names()).toEqual(['a', 'b', 'c']);
    expect([waits(1), waits(2)]).toEqual([['a'], ['b']]);
  });

  it('forgets what was removed when something else is begun', () => {
    row('a', 'b');
    desk.remove(desk.stages[0]!);
    desk.begin(review);
    expect(desk.takeBack()).toBeNull();
  });

  it('finds what is wrong with a stage by its name', async () => {
    row('a', 'b');
    const problem = {
      code: 'GH0401',
      severity: 'error',
      message: 'They wait for each other.',
      help: null,
      line: 4,
      column: 1,
      end_line: 4,
      end_column: 2,
      step: { id: 'b', number: '2', name: 'b' },
      fix: null,
    };
    host.on('pipeline.draft', () => draftView({ problems: [problem as never], can_create: false }));
    await desk.look();
    expect(desk.problemsOf(desk.stages[0]!)).toEqual([]);
    expect(desk.problemsOf(desk.stages[1]!)).toHaveLength(1);
    expect(desk.errors).toBe(1);
    expect(desk.canCreate).toBe(false);
  });

  it('finds what is wrong with the later one of two of one name', async () => {
    row('a', 'b', 'a');
    const of = (id: string, number: string) => ({ id, number, name: id });
    const faces = desk.stages.map(({ name }, ordinal): FaceView => ({
      step: of(name, String(ordinal + 1)),
      ordinal,
      kind: 'agent',
      parent: null,
      dynamic: false,
      jump_only: false,
      detour_from: null,
      collapsed: null,
      sub: '',
      gate: false,
      loop_max: null,
      problem: null,
    }));
    const taken: ProblemView = {
      code: 'GH0004',
      severity: 'error',
      message: 'The name `a` is taken by an earlier stage.',
      help: null,
      line: 7,
      column: 1,
      end_line: 7,
      end_column: 2,
      step: of('a', '3'),
      fix: null,
    };
    host.on('pipeline.draft', () => draftView({ problems: [taken], faces, can_create: false }));
    await desk.look();
    const wrong = () => desk.stages.map((stage) => desk.problemsOf(stage).length);
    expect(wrong()).toEqual([0, 0, 1]);
    // What is moved or called otherwise keeps it until it is judged anew.
    desk.move(desk.stages[2]!, -1);
    desk.stages[1]!.name = 'c';
    expect(wrong()).toEqual([0, 1, 0]);
  });
});

describe('creating', () => {
  it('sends what was typed, and begins anew afterwards', async () => {
    host.on('pipeline.create', () => ({ id: 'PIPE-1', path: 'pipelines/PIPE-1.yaml', stages: 1, estimate: {} }));
    row('a');
    desk.name = 'Mine';
    expect(await desk.create()).toMatchObject({ path: 'pipelines/PIPE-1.yaml' });
    expect(host.called('pipeline.create')).toMatchObject([{ name: 'Mine', stages: [{ name: 'a' }] }]);
    expect(desk.begun).toBe(false);
  });

  it('keeps what was typed when it is refused', async () => {
    host.on('pipeline.create', () => {
      throw { code: 'read_only', message: 'This folder cannot be written.' };
    });
    row('a');
    expect(await desk.create()).toBeNull();
    expect(desk.refused?.message).toBe('This folder cannot be written.');
    expect(names()).toEqual(['a']);
  });
});
