import { tick } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useHost, type Gesture, type StepView, type WorkflowView } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import { Open } from './__fixtures__/target.svelte';
import { Author } from './author.svelte';

const like = workflow().steps[0]!;
/** A runbook: its ids are numbers, anew after every edit. */
const runbook = (...names: string[]): WorkflowView =>
  workflow({
    steps: names.map((name, i) => ({ ...like, ordinal: i, step: { id: String(i + 1), number: String(i + 1), name } })),
  });

function open(before: WorkflowView, after: WorkflowView, step: string) {
  const host = new FakeHost().on('workflow.preview', () => ({ entails: [], refused: null }));
  useHost(host);
  const target = Object.assign(new Open('a.runbook.md', before, step), {
    make: vi.fn(async (_gestures: Gesture[], _what: string) => {
      target.view.value = after;
      return true;
    }),
  });
  return { target, host, author: new Author(target) };
}
afterEach(() => vi.restoreAllMocks());

describe('the step that was worked on stays chosen', () => {
  it('added: the new one, though another one had its id before', async () => {
    const { target, author } = open(runbook('Read', 'Send'), runbook('Read', 'Check', 'Send'), '1');
    await author.addBehind('1');
    await author.add('prompt', 'Check');
    expect(target.step).toBe('2');
  });

  it('moved: the same one in its new place', async () => {
    const { target, author } = open(runbook('Read', 'Check', 'Send'), runbook('Check', 'Read', 'Send'), '1');
    await author.move(['1'], 1);
    expect(target.step).toBe('2');
  });

  it('removed: its neighbour', async () => {
    const first = open(runbook('Read', 'Check', 'Send'), runbook('Read', 'Send'), '2');
    await first.author.remove(['2']);
    expect(first.target.step).toBe('2');
    const last = open(runbook('Read', 'Send'), runbook('Read'), '2');
    await last.author.remove(['2']);
    expect(last.target.step).toBe('1');
  });
});

it('says that a gesture could not be asked about, until the next one', async () => {
  const { author } = open(runbook('Read'), runbook('Read', 'Check'), '1');
  useHost(new FakeHost());
  await author.connect('1', '1');
  expect(author.failed?.message).toContain('workflow.preview');
  useHost(new FakeHost().on('workflow.preview', () => ({ entails: [], refused: null })));
  await author.duplicate(['1']);
  expect(author.failed).toBeNull();
});

it('a line that can mean two things says what follows from each, and is drawn as the one that is chosen', async () => {
  const fails = { as: 'value', value: 'FAIL' } as const;
  const passes = { as: 'value', value: 'PASS' } as const;
  const { target, host, author } = open(runbook('Read', 'Check', 'Send'), runbook('Read', 'Check', 'Send'), '3');
  host.on('workflow.drawn', () => ({
    ways: [
      { way: passes, label: 'If it goes well' },
      { way: fails, label: 'If it fails' },
    ],
  }));
  host.on('workflow.preview', ({ edits }: { edits: { way?: { value: string } }[] }) => ({
    entails: edits[0]?.way?.value === 'PASS' ? ['the runbook no longer ends when `3` passes'] : [],
    refused: null,
  }));
  await author.connect('3', '1');
  expect(target.make).not.toHaveBeenCalled();
  expect(author.drawing?.ways.map(({ label, entails }) => [label, entails])).toEqual([
    ['If it goes well', ['the runbook no longer ends when `3` passes']],
    ['If it fails', []],
  ]);
  await author.draw(1);
  expect(target.make).toHaveBeenCalledExactlyOnceWith(
    [{ kind: 'connect', from: '3', to: '1', way: fails }],
    'Send leads to Read',
    'r1',
  );
  expect(author.drawing).toBeNull();
  // A value is written, and what follows from it is asked about before it is made.
  const value = { as: 'value', field: 'verdict', value: '' } as const;
  host.on('workflow.drawn', () => ({
    ways: [
      { way: { as: 'next' }, label: 'Always' },
      { way: value, label: 'If it reports a value', asks: '“verdict” is' },
    ],
  }));
  await author.connect('3', '1');
  await author.draw(1, 'GO');
  const said = [{ kind: 'connect', from: '3', to: '1', way: { ...value, value: 'GO' } }];
  expect(target.make).toHaveBeenLastCalledWith(said, 'Send leads to Read', 'r1');
  // Where it can mean one thing alone it is drawn as that.
  host.on('workflow.drawn', () => ({ ways: [{ way: { as: 'rejected' }, label: 'After a rejection at the gate' }] }));
  await author.connect('3', '1');
  const back = [{ kind: 'connect', from: '3', to: '1', way: { as: 'rejected' } }];
  expect(target.make).toHaveBeenLastCalledWith(back, 'Send leads to Read', 'r1');
  // A step that is led to itself is done again when it fails: there is nothing to choose.
  await author.connect('3', '3');
  expect(target.make).toHaveBeenLastCalledWith([{ kind: 'connect', from: '3', to: '3' }], 'Send leads to Send', 'r1');
});

describe('several steps', () => {
  const all = runbook('Read', 'Check', 'Send', 'File');

  it('are taken out from the last to the first, as one change', async () => {
    const { target, author } = open(all, runbook('Read', 'File'), '2');
    author.chosen.choose(['3', '2']);
    await author.remove(author.chosen.ids);
    expect(target.make).toHaveBeenCalledExactlyOnceWith(
      [
        { kind: 'remove', place: { step: 2, path: [] } },
        { kind: 'remove', place: { step: 1, path: [] } },
      ],
      '2 steps deleted',
      'r1',
    );
    expect(author.chosen.ids).toEqual(['2']);
  });

  it('are duplicated from the last to the first, and stay chosen', async () => {
    const { target, author } = open(all, runbook('Read', 'Read', 'Check', 'Send', 'File', 'File'), '1');
    await author.duplicate(['1', '4']);
    expect(author.chosen.ids).toEqual(['1', '5']);
    expect(target.make.mock.calls[0]?.[0]).toEqual([
      { kind: 'duplicate', step: '4' },
      { kind: 'duplicate', step: '1' },
    ]);
  });

  it('of a flow that lead to each other come as a second structure behind the last of them', async () => {
    const [fork, left] = ['fork', 'left'].map((id, ordinal) => ({ ...like, ordinal, step: { ...like.step, id } }));
    const view = workflow({ steps: [fork!, left!] });
    const { target, host, author } = open(view, view, 'fork');
    const parts = ['- id: fork', '- id: left'];
    host.on('workflow.copied', () => ({ format: 'stepwise', text: 'both', parts, together: true }));
    await author.duplicate(['fork', 'left']);
    const at = { where: 'after', step: 'left' };
    expect(target.make.mock.calls[0]?.slice(0, 2)).toEqual([
      [
        { kind: 'add', step: { kind: '', text: '- id: left' }, at },
        { kind: 'add', step: { kind: '', text: '- id: fork' }, at },
      ],
      '2 steps duplicated',
    ]);
  });

  it('are asked about once, and told once what follows from all of them', async () => {
    const { author, host } = open(all, all, '1');
    host.on('workflow.preview', () => ({ entails: ['It leads nowhere', 'It leads nowhere'], refused: null }));
    await author.remove(['1', '2']);
    expect(author.asking).toMatchObject({ what: '2 steps deleted', entails: ['It leads nowhere'] });
  });
});

describe('several steps put in order', () => {
  const all = runbook('Read', 'Check', 'Send', 'File');

  it('go up together: each is counted in what those before it have left, and they stay chosen in their order', async () => {
    const { target, author } = open(all, runbook('Check', 'Send', 'Read', 'File'), '3');
    author.chosen.choose(['3', '2']);
    await author.move(author.chosen.ids, -1);
    expect(target.make).toHaveBeenCalledExactlyOnceWith(
      [
        { kind: 'move', place: { step: 1, path: [] }, to: 0 },
        { kind: 'move', place: { step: 2, path: [] }, to: 1 },
      ],
      '2 steps moved',
      'r1',
    );
    expect(author.chosen.ids).toEqual(['2', '1']);
  });

  it('go down from the last to the first', async () => {
    const { target, author } = open(all, runbook('Send', 'Read', 'File', 'Check'), '1');
    await author.move(['1', '3'], 1);
    expect(target.make.mock.calls[0]?.[0]).toEqual([
      { kind: 'move', place: { step: 2, path: [] }, to: 3 },
      { kind: 'move', place: { step: 0, path: [] }, to: 1 },
    ]);
  });

  it('take along what they hold, and pass others with what those hold', async () => {
    const held = (id: string, ordinal: number, parent?: string) => ({
      ...like,
      ordinal,
      step: { id, number: id, name: id },
      parent: parent ? { id: parent, number: parent, name: parent } : null,
    });
    const file = workflow({
      steps: [held('a', 0), held('a.1', 1, 'a'), held('b', 2), held('b.1', 3, 'b'), held('c', 4)],
    });
    const { target, author } = open(file, file, 'b');
    await author.move(['b', 'b.1', 'c'], -1);
    // Behind `b` and `b.1`, which stand first now, comes `a` with its own: `c` is still the fifth.
    expect(target.make.mock.calls[0]?.[0]).toEqual([
      { kind: 'move', place: { step: 2, path: [] }, to: 0 },
      { kind: 'move', place: { step: 4, path: [] }, to: 1 },
    ]);
    target.make.mockClear();
    await author.move(['a', 'b'], 1);
    expect(target.make.mock.calls[0]?.[0]).toEqual([
      { kind: 'move', place: { step: 2, path: [] }, to: 2 },
      { kind: 'move', place: { step: 0, path: [] }, to: 1 },
    ]);
  });

  it('stay all of them where one has no place to go to, and that is said', async () => {
    toasts.list = [];
    const { target, author } = open(all, all, '1');
    expect(await author.move(['1', '3'], -1)).toBe(false);
    expect(target.make).not.toHaveBeenCalled();
    expect(toasts.list.map((one) => one.text)).toEqual(['One of them is the first one already: nothing was moved.']);
    toasts.list = [];
  });
});

describe('what cannot be', () => {
  const all = runbook('Read', 'Check', 'Send');
  const refuse = (message: string) => ({ entails: [], refused: { message } });

  it('a step: is said before anybody is asked for its name', async () => {
    const { author, host } = open(all, all, '1');
    host.on('workflow.preview', () => refuse('A step holds no other steps'));
    await author.addAt({ where: 'inside', step: '1' }, 'prompt');
    expect(author.adding).toBeNull();
    expect(author.asking).toMatchObject({ what: 'Add a step', refused: 'A step holds no other steps' });
  });

  it('a step of one kind, while others can stand there: it is asked which it shall be', async () => {
    const { author, host } = open(all, all, '1');
    const kinds = ['script', 'prompt'].map((kind) => ({ kind, label: kind, help: '' }));
    host.on('workflow.palette', () => ({ kinds, gestures: {} }));
    host.on('workflow.preview', ({ edits }: { edits: { step: { kind: string } }[] }) =>
      edits[0]?.step.kind === 'script' ? refuse('Not here') : { entails: [], refused: null },
    );
    await author.palette.refresh();
    expect(await author.mayAdd({ where: 'end' }, 'script')).toBe('Not here');
    await author.addBehind('1');
    expect(author.adding).toMatchObject({ at: { where: 'after', step: '1' }, whyNot: { script: 'Not here' } });
    await author.addAt({ where: 'end' }, 'prompt');
    expect(author.adding).toMatchObject({ kind: 'prompt', whyNot: { script: 'Not here' } });
    author.adding = null;
    await author.addAt({ where: 'end' }, 'script');
    expect(author.adding).toBeNull();
    expect(author.asking?.refused).toBe('Not here');
  });

  it('a step as it was described, or a line with the value that was written: the question stays open and is told why', async () => {
    const { target, author, host } = open(all, all, '1');
    await author.addBehind('1');
    host.on('workflow.preview', () => refuse('There is one of that name'));
    expect(await author.add('prompt', 'Read')).toBe('There is one of that name');
    expect(author.adding).not.toBeNull();
    expect(author.asking).toBeNull();
    const value = { as: 'value', field: 'verdict', value: '' } as const;
    host.on('workflow.drawn', () => ({ ways: [{ way: { as: 'next' } }, { way: value, asks: '“verdict” is' }] }));
    await author.connect('3', '1');
    expect(await author.draw(1, 'G O')).toBe('There is one of that name');
    expect(author.drawing).not.toBeNull();
    // Whoever closes a question while it is being answered makes nothing.
    host.on('workflow.preview', () => ({ entails: [], refused: null }));
    const [adding, drawing] = [author.add('prompt', 'Look'), author.draw(1, 'GO')];
    author.adding = author.drawing = null;
    expect(await Promise.all([adding, drawing])).toEqual([null, null]);
    expect(target.make).not.toHaveBeenCalled();
  });

  it('a line that is taken for a value: what was said beside it is not asked again, anything else is', async () => {
    const { target, author, host } = open(all, all, '1');
    const value = { as: 'value', field: 'verdict', value: '' } as const;
    host.on('workflow.drawn', () => ({ ways: [{ way: { as: 'next' } }, { way: value, asks: '“verdict” is' }] }));
    const told = 'No way leads to “Send” any more.';
    const more = '“Read” does not lead to “Check” for “GO” any more';
    host.on('workflow.preview', () => ({ entails: [told], refused: null }));
    await author.connect('3', '1');
    expect(await author.draw(1, 'STOP')).toBeNull();
    expect(author.asking).toBeNull();
    expect(target.make).toHaveBeenCalledOnce();
    await author.connect('3', '1');
    host.on('workflow.preview', () => ({ entails: [told, more], refused: null }));
    expect(await author.draw(1, 'GO')).toBeNull();
    expect(author.asking?.entails).toEqual([told, more]);
    expect(target.make).toHaveBeenCalledOnce();
  });

  it('a line: the program says why, also that it is there already', async () => {
    const { author, host } = open({ ...all, source: 'as it is' }, all, '1');
    host.on('workflow.drawn', () => ({ ways: [] }));
    host.on('workflow.preview', () => refuse('Both would wait for ever'));
    expect(await author.mayConnect('3', '1')).toBe('Both would wait for ever');
    host.on('workflow.preview', () => ({ source: 'as it is', entails: [], refused: null }));
    expect(await author.mayConnect('1', '2')).toBe('It is like that already: nothing would change.');
    host.on('workflow.preview', () => ({ source: 'another', entails: [], refused: null }));
    expect(await author.mayConnect('1', '3')).toBeNull();
  });

  it('a line that can mean two things: only where neither is possible', async () => {
    const { author, host } = open(all, all, '1');
    const ways = ['PASS', 'FAIL'].map((value) => ({ way: { as: 'value', value }, label: value }));
    host.on('workflow.drawn', () => ({ ways }));
    let both = false;
    host.on('workflow.preview', ({ edits }: { edits: { way: { value: string } }[] }) =>
      both || edits[0]?.way.value === 'PASS' ? refuse('Not so') : { entails: [], refused: null },
    );
    expect(await author.mayConnect('1', '3')).toBeNull();
    both = true;
    expect(await author.mayConnect('1', '3')).toBe('Not so');
  });
});

describe('a gate', () => {
  const gate: StepView['gate'] = {
    requirement: 'required',
    at: 'after',
    question: 'Send it?',
    asks: [],
    blocks: true,
    words: 'a person decides',
    policy: '',
    policy_code: '',
  };
  const [first, second] = runbook('Read', 'Send').steps;
  const file = workflow({
    steps: [
      { ...first!, gate: null },
      { ...second!, gate },
    ],
  });

  it('that is put in on the way to a step asks before its work', async () => {
    const { target, author } = open(file, file, '1');
    await author.putGate({ step: '1', before: true });
    await author.putGate({ step: '1', before: false });
    expect(target.make.mock.calls.map(([gestures, what]) => [gestures, what])).toEqual([
      [[{ kind: 'gate', step: '1', gate: { at: 'before' } }], 'a person is asked before “Read”'],
      [[{ kind: 'gate', step: '1', gate: {} }], 'a person is asked at “Read”'],
    ]);
  });

  it('is not changed by another one, nor taken out by it', async () => {
    const { target, author } = open(file, file, '1');
    expect(await author.mayGate({ step: '2', before: false })).toBe('A person is asked at “Send” already.');
    await author.putGate({ step: '2', before: true });
    expect(target.make).not.toHaveBeenCalled();
    expect(author.asking).toMatchObject({ refused: 'A person is asked at “Send” already.' });
  });
});

describe('what was copied', () => {
  const clipboard = {
    text: '',
    writeText: async (text: string) => void (clipboard.text = text),
    readText: async () => clipboard.text,
  };
  const files = runbook('Read', 'Check', 'Send');
  const pasted = runbook('Read', 'Check again', 'Send again', 'Check', 'Send');
  function start(after = pasted, step = '1') {
    vi.stubGlobal('navigator', { clipboard, language: 'en' });
    const opened = open(files, after, step);
    opened.host.on('workflow.copied', ({ steps }: { steps: string[] }) => ({
      format: 'stepwise',
      text: steps.join('\n'),
      parts: steps.map((id) => `part ${id}`),
      together: false,
    }));
    return opened;
  }
  afterEach(() => vi.unstubAllGlobals());

  it('is put behind the chosen step, in its order, and chosen', async () => {
    const { target, author, host } = start();
    expect(await author.copy(['3', '2'])).toBe(true);
    expect(host.called('workflow.copied')).toEqual([{ path: 'a.runbook.md', steps: ['2', '3'] }]);
    expect(clipboard.text).toBe('2\n3');
    await author.paste('1');
    const at = { where: 'after', step: '1' };
    expect(target.make).toHaveBeenCalledExactlyOnceWith(
      [
        { kind: 'add', step: { kind: '', text: 'part 3' }, at },
        { kind: 'add', step: { kind: '', text: 'part 2' }, at },
      ],
      '2 steps pasted',
      'r1',
    );
    expect(author.chosen.ids).toEqual(['2', '3']);
    // They are told by what the file calls them now.
    expect(toasts.list.map(({ text }) => text)).toContain('Pasted: “Check again” (`2`), “Send again” (`3`)');
    toasts.list = [];
  });

  it('is put at the end in its order', async () => {
    const { target, author } = start();
    await author.copy(['2', '3']);
    await author.paste(null);
    expect(target.make.mock.calls[0]?.[0].map((one) => (one.kind === 'add' ? one.step.text : ''))).toEqual([
      'part 2',
      'part 3',
    ]);
  });

  it('is taken out where it is cut', async () => {
    const { target, author } = start();
    await author.cut(['2']);
    expect(clipboard.text).toBe('2');
    expect(target.make).toHaveBeenCalledExactlyOnceWith(
      [{ kind: 'remove', place: { step: 1, path: [] } }],
      '“Check” deleted',
      'r1',
    );
  });

  it('is pasted as it is where it came from elsewhere: the program says whether it is a step', async () => {
    const { target, author, host } = start();
    await author.copy(['2']);
    clipboard.text = 'A shopping list';
    host.on('workflow.preview', () => ({ entails: [], refused: { message: 'This is no step' } }));
    await author.paste('1');
    expect(author.asking).toMatchObject({ refused: 'This is no step' });
    expect((host.called('workflow.preview').at(-1) as { edits: Gesture[] }).edits).toEqual([
      { kind: 'add', step: { kind: '', text: 'A shopping list' }, at: { where: 'after', step: '1' } },
    ]);
    expect(target.make).not.toHaveBeenCalled();
  });

  it('does not go into a workflow that is written in another way', async () => {
    const { author, target } = start();
    await author.copy(['2']);
    target.view.value = { ...files, format: 'pipeline' };
    expect(await author.paste('1')).toBe(false);
    expect(target.make).not.toHaveBeenCalled();
  });

  it('says that it could not be copied, and cuts nothing then', async () => {
    const { author, target, host } = start();
    host.on('workflow.copied', () => {
      throw { code: 'internal', message: 'No text' };
    });
    expect(await author.cut(['2'])).toBe(false);
    expect(author.failed?.message).toBe('No text');
    expect(target.make).not.toHaveBeenCalled();
  });
});

it('puts a step in order where it was let go, and asks before whether it may', async () => {
  const { author, target, host } = open(runbook('Read', 'Check', 'Send'), runbook('Check', 'Send', 'Read'), '1');
  expect(await author.mayMove('1', 2)).toBeNull();
  host.on('workflow.preview', () => ({ entails: [], refused: { message: 'Not there' } }));
  expect(await author.mayMove('1', 2)).toBe('Not there');
  host.on('workflow.preview', () => ({ entails: [], refused: null }));
  await author.moveTo('1', 2);
  expect(target.make.mock.calls[0]?.[0]).toEqual([{ kind: 'move', place: { step: 0, path: [] }, to: 2 }]);
  expect(target.step).toBe('3');
});

it('says of which step a field is that is changed; of the workflow there is but one', async () => {
  const { author, host } = open(runbook('Read', 'Check'), runbook('Read', 'Check'), '2');
  host.on('workflow.form', () => ({ form: null, known: [], reported: [], revision: 'r1' }));
  await author.form.refresh();
  expect(author.field('Whom')).toBe('“Check”: Whom');
});

it('says of another name of a step what it was called and what it is called now', async () => {
  const { author, host } = open(runbook('Read', 'Check'), runbook('Read', 'Check'), '2');
  const place = { step: 1, path: ['name'] };
  const form = { fields: [{ name: 'name', place }] };
  host.on('workflow.form', () => ({ form, known: [], reported: [], revision: 'r1' }));
  await author.form.refresh();
  const set = { kind: 'set' as const, place, value: 'Look' };
  expect(author.field('Name', [set])).toBe('“Check” renamed to “Look”');
  const role = { step: 1, path: ['role'] };
  expect(author.field('Role', [{ ...set, place: role }])).toBe('“Check”: Role');
  expect(author.field('Ask a person', [{ kind: 'remove', place: role }])).toBe('“Check”: Ask a person, taken out');
});

it('says of a step without a field for its name where that is changed', async () => {
  const { author, host, target } = open(runbook('Read', 'Check'), runbook('Read', 'Check'), '2');
  host.on('workflow.form', () => ({ form: null, known: [], reported: [], revision: 'r1' }));
  const info = vi.spyOn(toasts, 'info');
  expect(await author.rename('2', 'Look')).toBe(false);
  expect(info.mock.calls).toEqual([['The name of this step can be changed in the source only.']]);
  expect(target.make).not.toHaveBeenCalled();
  info.mockRestore();
});

describe('a choice that may take ways along', () => {
  const place = { step: 1, path: ['routing', 'kind'] };
  const set = (value: string) => [{ kind: 'set' as const, place, value }];
  const none = [{ kind: 'remove' as const, place }];
  const entails = ['“Check” does not lead to “Read” any more'];

  async function choosing(of: object = { control: { kind: 'choice', options: [] } }) {
    const opened = open(runbook('Read', 'Check'), runbook('Read', 'Check'), '2');
    const fields = [{ name: 'routing.kind', place, ...of }];
    opened.host.on('workflow.form', () => ({ form: { fields }, known: [], reported: [], revision: 'r1' }));
    await opened.author.form.refresh();
    const fill = vi.fn((_edits: Gesture[], _what: string, _revision?: string) => Promise.resolve<string | null>(null));
    toasts.list = [];
    Object.assign(opened.target, { fill });
    /** What the core says of a choice is on its way until then. */
    let answer = (_seen: object) => {};
    opened.host.on('workflow.preview', () => new Promise((done) => (answer = done)));
    return { ...opened, fill, answer: (seen: object = {}) => answer({ entails, refused: null, ...seen }) };
  }
  const told = () => toasts.list.map(({ text }) => text);

  it('is looked at alone: another one meanwhile waits for its turn', async () => {
    const { author, host, fill, answer } = await choosing();
    const first = author.fill(set('linear'), 'What follows');
    expect(author.looking).toBe(true);
    const second = author.fill(set('microloop'), 'What follows');
    await tick();
    expect(host.called('workflow.preview')).toHaveLength(1);
    answer({ entails: [] });
    expect(await first).toBeNull();
    await vi.waitFor(() => expect(host.called('workflow.preview')).toHaveLength(2));
    answer({ entails: [] });
    expect(await second).toBeNull();
    expect(author.looking).toBe(false);
    expect(fill.mock.calls.map(([edits]) => edits)).toEqual([set('linear'), set('microloop')]);
  });

  it('is looked at where other parts of the file use the same, and nowhere else', async () => {
    const text = { control: { kind: 'text' } };
    for (const of of [{ control: { kind: 'questions' } }, { ...text, taken_over: 'common' }]) {
      const { author, host, answer } = await choosing(of);
      const filled = author.fill(set('linear'), 'What follows');
      await tick();
      expect(host.called('workflow.preview')).toHaveLength(1);
      answer();
      await vi.waitFor(() => expect(author.asking?.entails).toEqual(entails));
      author.asking = null;
      expect(await filled).toBe('');
    }
    const { author, host, fill } = await choosing(text);
    expect(await author.fill(set('linear'), 'What follows')).toBeNull();
    expect(host.called('workflow.preview')).toHaveLength(0);
    expect(fill).toHaveBeenCalledOnce();
  });

  it('is asked about once, also where the question takes the focus from its field', async () => {
    const { author, host, fill, answer } = await choosing();
    const [first, again] = [author.fill(set('linear'), 'What follows'), author.fill(set('linear'), 'What follows')];
    answer();
    await vi.waitFor(() => expect(author.asking?.gestures).toEqual(set('linear')));
    const late = author.fill(set('linear'), 'What follows');
    // What was agreed to is being saved: the field that is left by that has nothing to add.
    const agreed = author.agree();
    expect(await author.fill(set('linear'), 'What follows')).toBeNull();
    expect(await agreed).toBe(true);
    expect(await Promise.all([first, again, late])).toEqual([null, null, null]);
    expect(host.called('workflow.preview')).toHaveLength(1);
    expect(fill).not.toHaveBeenCalled();
  });

  it('that was agreed to and could not be saved is not taken for written: what was filled in is theirs to keep', async () => {
    const { author, target, answer } = await choosing();
    const filled = author.fill(set('linear'), 'What follows');
    answer();
    await vi.waitFor(() => expect(author.asking?.entails).toEqual(entails));
    target.make.mockResolvedValueOnce(false);
    const agreed = author.agree();
    // The field is left by the dialog that goes.
    const left = author.fill(set('linear'), 'What follows');
    expect(await agreed).toBe(false);
    expect(await Promise.all([filled, left])).toEqual(['', '']);
  });

  it('is not asked about where another step, or another question, has come up meanwhile, which is said', async () => {
    const { author, target, fill, answer } = await choosing();
    const left = author.fill(set('linear'), 'What follows');
    target.step = '1';
    answer();
    expect(await left).toBeNull();
    expect(author.asking).toBeNull();
    const lost =
      'Not changed: “Check”: What follows. It also changes other things, and you had gone on before you could be asked.';
    expect(told()).toEqual([lost]);
    toasts.list = [];

    target.step = '2';
    const late = author.fill(set('linear'), 'What follows');
    const other = { gestures: [], what: 'Other', revision: 'r1', entails: ['more'], refused: null };
    author.asking = other;
    answer();
    expect(await late).toBeNull();
    expect(author.asking).toBe(other);
    expect(told()).toEqual([lost]);
    toasts.list = [];

    author.asking = null;
    const gone = author.fill(set('linear'), 'What follows');
    target.left = true;
    answer();
    expect(await gone).toBeNull();
    expect(author.asking).toBeNull();
    expect(told()).toEqual([lost]);
    expect(fill).not.toHaveBeenCalled();
  });

  it('is written to the step that it was made on where nothing follows, wherever somebody has gone meanwhile', async () => {
    const { author, host, target, fill, answer } = await choosing();
    const left = author.fill(set('linear'), 'What follows');
    target.step = '1';
    // The form is another one by now, of another version of the file.
    host.on('workflow.form', () => ({ form: { fields: [] }, known: [], reported: [], revision: 'r2' }));
    await author.form.refresh();
    answer({ entails: [] });
    expect(await left).toBeNull();
    expect(fill.mock.calls).toEqual([[set('linear'), '“Check”: What follows', 'r1']]);
    expect(target.step).toBe('1');
    expect(told()).toEqual([]);
  });

  it('is said over everything to be refused where its field is out of sight', async () => {
    const { author, target, fill, answer } = await choosing();
    fill.mockResolvedValue('There is no such way.');
    const here = author.fill(set('linear'), 'What follows');
    answer({ refused: { message: 'There is no such way.' } });
    expect(await here).toBe('There is no such way.');
    expect(told()).toEqual([]);
    const left = author.fill(set('linear'), 'What follows');
    target.step = '1';
    answer({ refused: { message: 'There is no such way.' } });
    expect(await left).toBeNull();
    expect(told()).toEqual(['Not changed: “Check”: What follows. There is no such way.']);
  });

  it('is asked about where a way, or the next step, is led elsewhere or goes', async () => {
    const { author, host, fill, answer } = await choosing();
    const fields = [
      { name: 'branches', place: { step: 1, path: ['routing', 'branches'] }, control: { kind: 'ways', ways: [] } },
      { name: 'next', place: { step: 1, path: ['routing', 'next'] }, control: { kind: 'reference', to: 'step' } },
      { name: 'role', place: { step: 1, path: ['role'] }, control: { kind: 'long_text' } },
    ];
    host.on('workflow.form', () => ({ form: { fields }, known: [], reported: [], revision: 'r1' }));
    await author.form.refresh();
    const gone: Gesture[] = [{ kind: 'remove', place: { step: 1, path: ['routing', 'branches', 'large'] } }];
    const other: Gesture[] = [{ kind: 'set', place: { step: 1, path: ['routing', 'next'] }, value: '1' }];
    for (const edits of [gone, other]) {
      const asked = author.fill(edits, 'Ways');
      answer();
      await vi.waitFor(() => expect(author.asking).toMatchObject({ gestures: edits, entails }));
      author.asking = null;
      expect(await asked).toBe('');
    }
    expect(fill).not.toHaveBeenCalled();
    await author.fill([{ kind: 'set', place: { step: 1, path: ['role'] }, value: 'Looks' }], 'Role');
    expect(fill).toHaveBeenCalledOnce();
  });

  it('is asked about where none is chosen too', async () => {
    const { author, fill, answer } = await choosing();
    const asked = author.fill(none, 'What follows');
    answer();
    await vi.waitFor(() => expect(author.asking).toMatchObject({ gestures: none, entails }));
    // Another question in its place is a no.
    author.asking = { gestures: [], what: 'Other', revision: 'r1', entails: ['more'], refused: null };
    expect(await asked).toBe('');
    expect(fill).not.toHaveBeenCalled();
    expect(told()).toEqual([]);
  });

  it('is not written where it cannot be looked at, and the field says why', async () => {
    const { author, host, fill } = await choosing();
    host.on('workflow.preview', () => {
      throw { code: 'internal', message: 'The file is gone.', hint: 'Bring it back.' };
    });
    expect(await author.fill(set('linear'), 'What follows')).toBe('The file is gone. Bring it back.');
    expect(author.looking).toBe(false);
    expect(fill).not.toHaveBeenCalled();
  });
});
