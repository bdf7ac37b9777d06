import {
  useHost,
  type EditOutcome,
  type FaceView,
  type FormField,
  type KeepOf,
  type ProblemView,
  type WorkflowView,
} from '$lib/api';
import { settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { messages as m } from '$lib/ui/messages';
import { toasts } from '$lib/ui/toasts.svelte';
import { unsaved } from '$lib/unsaved.svelte';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { tick } from 'svelte';
import App from '../../App.svelte';
import { to } from '../../app/router.svelte';
import { WorkflowDesk } from './desk.svelte';
import StepInspector from './StepInspector.svelte';

const place = { step: 1, path: ['routing', 'max_iterations'] };
const edit = { kind: 'set' as const, place, value: 7 };

/** Another program has written the same lines; the file is as in `view`. */
function conflict(view: WorkflowView): EditOutcome {
  const lines = { mine: 'max: 7', theirs: 'max: 3' };
  const of = { base: 'r0', change: 'c1', view };
  return { outcome: 'conflict', message: 'Both changed it.', ...lines, parts: [{ steps: [], ...lines }], ...of };
}

/** Opens it; once it was edited the file is what the answer says. */
async function open(host: FakeHost, edited: () => ReturnType<typeof workflow> | null = () => null) {
  host.on('workflow.open', () => edited() ?? workflow());
  useHost(host);
  const desk = new WorkflowDesk('flows/shape.yaml');
  await desk.view.refresh();
  return desk;
}

describe('editing a workflow', () => {
  it('edits the version that is on screen and shows what came of it', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.edit', () => {
      file = workflow({ revision: 'r2', undo: 'Most iterations' });
      return { outcome: 'saved', merged: false, view: file };
    });
    const desk = await open(host, () => file);
    expect(await desk.make([edit], 'Most iterations')).toBe(true);
    expect(host.called('workflow.edit')).toMatchObject([
      { path: 'flows/shape.yaml', revision: 'r1', edits: [edit], label: 'Most iterations' },
    ]);
    expect(desk.view.value?.undo).toBe('Most iterations');
  });

  it('draws what came back of an edit, which was asked for as the workflow is looked at', async () => {
    const answer = workflow({ revision: 'r2' });
    const host = new FakeHost().on('workflow.edit', () => ({ outcome: 'saved', merged: false, view: answer }));
    const desk = await open(host, () => workflow({ revision: 'r2' }));
    desk.view.put(workflow());
    const asked = host.called('workflow.open').length;
    await desk.make([edit], 'Most iterations');
    expect(host.called('workflow.edit')[0]).toMatchObject({ collapsed: [], room: desk.room });
    expect(desk.view.value).toBe(answer);
    expect(host.called('workflow.open')).toHaveLength(asked);
  });

  it('shows what another program wrote before the answer came, not the answer', async () => {
    let file = workflow();
    let desk: WorkflowDesk | null = null;
    const host = new FakeHost().on('workflow.edit', async () => {
      file = workflow({ revision: 'r3' });
      await desk?.changedOnDisk();
      return { outcome: 'saved', merged: false, view: workflow({ revision: 'r2' }) };
    });
    desk = await open(host, () => file);
    await desk.make([edit], 'Most iterations');
    expect(desk.view.value?.revision).toBe('r3');
  });

  it('draws anew where a fold was opened while an edit was on its way', async () => {
    let desk: WorkflowDesk | null = null;
    const host = new FakeHost().on('workflow.edit', () => {
      desk!.collapsed = ['critique'];
      return { outcome: 'saved', merged: false, view: workflow({ revision: 'r2' }) };
    });
    desk = await open(host, () => workflow({ revision: 'r2' }));
    desk.view.put(workflow());
    await desk.make([edit], 'Most iterations');
    expect(host.called('workflow.open').at(-1)).toMatchObject({ collapsed: ['critique'] });
  });

  it('asks when another program changed the same lines, and writes nothing meanwhile', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.edit', (params: { keep?: KeepOf }) => {
      file = workflow({ revision: params.keep ? 'r10' : 'r9' });
      return params.keep ? { outcome: 'saved', merged: false, view: file } : conflict(file);
    });
    const desk = await open(host, () => file);
    expect(await desk.make([edit], 'Most iterations')).toBe(false);
    expect(desk.conflict?.found).toMatchObject({ mine: 'max: 7', theirs: 'max: 3' });
    await desk.keep(['mine']);
    const keep = { revision: 'r9', change: 'c1', parts: ['mine'] };
    expect(host.called('workflow.edit')[1]).toMatchObject({ revision: 'r1', edits: [edit], keep });
    expect(desk.conflict).toBeNull();
    expect(desk.view.value?.revision).toBe('r10');
  });

  it('asks where undo meets another change, and sends it again with what was chosen', async () => {
    let file = workflow({ undo: 'most iterations', undo_entry: 'e1' });
    const host = new FakeHost().on('workflow.undo', (params: { keep?: KeepOf }) => {
      file = workflow({ revision: params.keep ? 'r10' : 'r9', undo: 'most iterations', undo_entry: 'e2' });
      return params.keep ? { outcome: 'saved', merged: true, view: file } : conflict(file);
    });
    const desk = await open(host, () => file);
    expect(await desk.undo()).toBe(false);
    expect(desk.conflict).toMatchObject({ what: 'Undo: most iterations', typing: false });
    await desk.keep(['mine']);
    // What was seen when it was asked for is what is taken back, also when it is answered.
    expect(host.called('workflow.undo')[0]).toMatchObject({ entry: 'e1' });
    expect(host.called('workflow.undo')[1]).toMatchObject({
      entry: 'e1',
      keep: { revision: 'r9', change: 'c1', parts: ['mine'] },
    });
    expect(desk.conflict).toBeNull();
    expect(desk.said).toBe('Undone: most iterations');
  });

  it('says of an undo that left the file as it is that nothing was changed', async () => {
    let file = workflow({ undo: 'most iterations' });
    const host = new FakeHost().on('workflow.undo', (params: { keep?: KeepOf }) => {
      file = workflow({ revision: 'r9', undo: params.keep ? null : 'most iterations' });
      return params.keep ? { outcome: 'saved', merged: true, unchanged: true, view: file } : conflict(file);
    });
    const desk = await open(host, () => file);
    await desk.undo();
    await desk.keep(['theirs']);
    expect(desk.said).toBe('Nothing was changed in the file.');
  });

  it('says that a change met another one when its page has been left', async () => {
    const host = new FakeHost().on('workflow.edit', () => conflict(workflow({ revision: 'r9' })));
    const desk = await open(host);
    desk.left = true;
    toasts.list = [];
    expect(await desk.make([edit], 'Most iterations')).toBe(false);
    expect(desk.conflict).toBeNull();
    expect(toasts.list.map(({ text }) => text)).toEqual(['Both changed it.']);
  });

  it('keeps what is typed when the file changes on disk, and leads back to it from a conflict', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.write', () => conflict(file)).on('workflow.preview', () => null);
    const desk = await open(host, () => file);
    desk.type('typed\n');
    expect(desk.behind).toBe(false);
    file = workflow({ revision: 'r2', source: 'theirs\n' });
    await desk.changedOnDisk();
    expect(desk.behind).toBe(true);
    expect(await desk.write()).toBe(false);
    expect(desk.conflict?.typing).toBe(true);
    desk.leave();
    expect(desk.conflict).toBeNull();
    expect(desk.typed).toEqual({ text: 'typed\n', revision: 'r1' });
    expect(host.called('workflow.write')).toHaveLength(1);
    desk.forget();
    expect(desk.behind).toBe(false);
  });

  it('tells what would be wrong with a field as it is typed: what is there then and not now, of its step', async () => {
    const view = workflow();
    const of = (message: string, over: object = {}) => ({
      ...{ severity: 'error', code: 'GH0504', message, step: view.steps[1]?.step },
      ...over,
    });
    const file = workflow({ problems: [of('Known.'), of('Its own.')] as never });
    const other = of('Of another step.', { step: view.steps[0]?.step });
    const seen = (...problems: object[]) => ({ problems, refused: null, entails: [] });
    const host = new FakeHost();
    const desk = await open(host, () => file);
    desk.step = view.steps[1]?.step.id ?? null;
    host.on('workflow.preview', () => seen(of('Known.'), other, of('A warning.', { severity: 'warning' })));
    expect(await desk.judge([edit])).toBeNull();
    host.on('workflow.preview', () => seen(of('Known.'), of('It ends too early.')));
    expect(await desk.judge([edit], 'r1')).toBe('It ends too early.');
    host.on('workflow.preview', () => seen(of('Its own.')));
    expect(await desk.judge([edit], 'r1', 'Its own.')).toBe('Its own.');
    host.on('workflow.preview', () => ({ ...seen(), refused: { message: 'It cannot be.' } }));
    expect(await desk.judge([edit], 'r1')).toBe('It cannot be.');
    expect(host.called('workflow.edit')).toEqual([]);
  });

  it('looks at what is typed and writes it when asked, on the version that it was typed in', async () => {
    const host = new FakeHost()
      .on('workflow.preview', () => ({ problems: [], faces: [], entails: [] }))
      .on('workflow.write', () => ({ outcome: 'saved', merged: false, view: workflow() }));
    const desk = await open(host);
    desk.type('key: shape2\n');
    await vi.waitFor(() => expect(desk.preview).not.toBeNull());
    expect(host.called('workflow.write')).toEqual([]);
    expect(await desk.write()).toBe(true);
    expect(host.called('workflow.write')).toMatchObject([{ revision: 'r1', text: 'key: shape2\n' }]);
    expect(desk.typed).toBeNull();
  });

  describe('text that was typed', () => {
    const seen = (over: object = {}) => ({ problems: [], faces: [{}], drawing: {}, entails: [], ...over });
    const problem = {
      severity: 'error',
      code: 'GH0101',
      breaks_off: true,
      message: 'This line ends too early.',
      line: 36,
    };
    afterEach(() => unsaved.clear());

    it('is there again when the workflow is opened again, until it is taken back', async () => {
      const host = new FakeHost().on('workflow.preview', () => seen());
      (await open(host)).type('key: shape2\n');
      const again = await open(host);
      expect(again.typed?.text).toBe('key: shape2\n');
      await vi.waitFor(() => expect(again.preview).not.toBeNull());
      again.forget();
      expect((await open(host)).typed).toBeNull();
    });

    it('that cannot be read is told, and the last picture that could be read stays', async () => {
      let answer = seen({ drawing: { width: 7 } });
      const desk = await open(new FakeHost().on('workflow.preview', () => answer));
      desk.type('key: a\n');
      await vi.waitFor(() => expect(desk.picture?.drawing.width).toBe(7));
      expect(desk.broken).toBeNull();
      answer = seen({ drawing: { width: 1 }, problems: [problem] });
      desk.type('key: [\n');
      await vi.waitFor(() => expect(desk.broken).toMatchObject({ line: 36 }));
      expect(desk.picture?.drawing.width).toBe(7);
    });

    it('is mended where it stands: the fix changes what is typed, and writes nothing', async () => {
      const host = new FakeHost().on('workflow.preview', ({ edits = [] }: { edits?: unknown[] }) =>
        seen({ source: edits.length > 0 ? 'next: approve\n' : 'next: aprove\n', refused: null }),
      );
      const desk = await open(host);
      desk.type('next: aprove\n');
      // Not looked at yet: which problems it has is not known.
      expect(await desk.mend(edit, 'Change to approve')).toBe(false);
      await vi.waitFor(() => expect(desk.preview).not.toBeNull());
      expect(await desk.mend(edit, 'Change to approve')).toBe(true);
      expect(desk.typed).toEqual({ text: 'next: approve\n', revision: 'r1' });
      expect(host.called('workflow.preview')).toContainEqual({
        path: 'flows/shape.yaml',
        revision: 'r1',
        text: 'next: aprove\n',
        edits: [edit],
      });
      expect(host.called('workflow.edit')).toEqual([]);
    });

    it('that is saved behind an edit of a field is merged with what this window wrote: nobody else is named', async () => {
      let file = workflow();
      const host = new FakeHost()
        .on('workflow.preview', () => seen())
        .on('workflow.edit', () => ({ outcome: 'saved', merged: false, view: (file = workflow({ revision: 'r2' })) }))
        .on('workflow.write', () => ({ outcome: 'saved', merged: true, view: (file = workflow({ revision: 'r3' })) }));
      const info = vi.spyOn(toasts, 'info');
      const desk = await open(host, () => file);
      desk.type('key: shape2\n');
      await desk.make([edit], 'Most iterations');
      await desk.write();
      expect(host.called('workflow.write')).toMatchObject([{ revision: 'r1' }]);
      expect(info).not.toHaveBeenCalledWith(m.workflow.merged);
      // Another program wrote in between.
      desk.type('key: shape3\n');
      file = workflow({ revision: 'theirs' });
      await desk.view.refresh();
      await desk.write();
      expect(info).toHaveBeenCalledWith(m.workflow.merged);
      info.mockRestore();
    });

    it('is said to be behind an edit of this very window once that is written, also after the page was left and come back to', async () => {
      let file = workflow();
      let desk: WorkflowDesk | null = null;
      const seenBehind: (boolean | undefined)[] = [];
      const host = new FakeHost()
        .on('workflow.preview', () => seen())
        .on('workflow.edit', async () => {
          file = workflow({ revision: 'r2' });
          // The watcher is faster than the answer.
          await desk?.changedOnDisk();
          seenBehind.push(desk?.behind);
          return { outcome: 'saved', merged: false, view: file };
        });
      desk = await open(host, () => file);
      desk.type('key: shape2\n');
      await desk.make([edit], 'Most iterations');
      seenBehind.push(desk.behind);
      const back = await open(host, () => file);
      seenBehind.push(back.behind);
      expect(seenBehind).toEqual([false, true, true]);
      // It was taken back: what is typed in is the file again.
      file = workflow();
      await back.view.refresh();
      expect(back.behind).toBe(false);
      file = workflow({ revision: 'theirs' });
      await back.changedOnDisk();
      expect(back.behind).toBe(true);
      expect((await open(host, () => file)).behind).toBe(true);
      unsaved.clear();
    });

    it('that is typed on while it is saved is not behind itself', async () => {
      let file = workflow();
      let desk: WorkflowDesk | null = null;
      const host = new FakeHost()
        .on('workflow.preview', () => seen())
        .on('workflow.write', ({ text }: { text: string }) => {
          desk?.type(`${text}more\n`);
          return { outcome: 'saved', merged: false, view: (file = workflow({ revision: 'r2', source: text })) };
        });
      desk = await open(host, () => file);
      desk.type('key: shape2\n');
      await desk.write();
      expect(desk.typed).toMatchObject({ text: 'key: shape2\nmore\n', revision: 'r2' });
      expect(desk.behind).toBe(false);
    });

    it('is merged without a word more where it was said that another program wrote', async () => {
      let file = workflow();
      const host = new FakeHost()
        .on('workflow.preview', () => seen())
        .on('workflow.write', () => ({ outcome: 'saved', merged: true, view: (file = workflow({ revision: 'r3' })) }));
      const info = vi.spyOn(toasts, 'info');
      const desk = await open(host, () => file);
      desk.type('key: shape2\n');
      file = workflow({ revision: 'theirs' });
      await desk.changedOnDisk();
      // What is being typed says it itself, for as long as it holds.
      expect(desk.behind).toBe(true);
      expect(await desk.write()).toBe(true);
      expect(info).not.toHaveBeenCalled();
      expect(desk.said).toBe('Saved: the source');
      file = workflow({ revision: 'theirs again' });
      await desk.changedOnDisk();
      expect(info.mock.calls).toEqual([[m.workflow.changedOnDisk]]);
      info.mockRestore();
    });
  });

  it('keeps the step that is worked on when its id is changed', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.edit', () => {
      const steps = file.steps.map((one) => ({ ...one, step: { ...one.step, id: `new-${one.step.id}` } }));
      file = workflow({ revision: 'r2', steps });
      return { outcome: 'saved', merged: false, view: file };
    });
    const desk = await open(host, () => file);
    desk.step = 'critique';
    await desk.make([edit], 'Id');
    expect(desk.step).toBe('new-critique');
  });

  it('leaves what a field was refused to the field, and takes old complaints away with the next edit', async () => {
    toasts.list = [];
    let fails = true;
    const host = new FakeHost().on('workflow.edit', () => {
      if (fails) throw { code: 'internal', message: '`go` is no action.', hint: 'Nothing was changed.' };
      return { outcome: 'saved', merged: false, view: workflow() };
    });
    const desk = await open(host);
    expect(await desk.fill([edit], 'What follows')).toBe('`go` is no action. Nothing was changed.');
    expect(toasts.list).toEqual([]);
    await desk.make([edit], 'What follows');
    expect(toasts.list.map((toast) => toast.text)).toEqual(['`go` is no action.']);
    fails = false;
    expect(await desk.fill([edit], 'What follows')).toBeNull();
    expect(toasts.list).toEqual([]);
  });

  it('fills a field in when the edit that is on its way has come back, on the version that it was filled in on', async () => {
    const sent: string[] = [];
    const answers: (() => void)[] = [];
    const host = new FakeHost().on('workflow.edit', ({ label, revision }: { label: string; revision: string }) => {
      sent.push(`${label} on ${revision}`);
      return new Promise((done) =>
        answers.push(() => done({ outcome: 'saved', merged: false, view: workflow({ revision: 'r2' }) })),
      );
    });
    const desk = await open(host);
    const first = desk.make([edit], 'Gate', 'r1');
    const second = desk.fill([edit], 'Role', 'r1');
    await tick();
    expect(sent).toEqual(['Gate on r1']);
    answers.shift()?.();
    expect(await first).toBe(true);
    await vi.waitFor(() => expect(sent).toEqual(['Gate on r1', 'Role on r1']));
    answers.shift()?.();
    expect(await second).toBeNull();
  });

  it('does not call what cannot be undone', async () => {
    const host = new FakeHost();
    const desk = await open(host);
    expect(await desk.undo()).toBe(false);
    expect(host.called('workflow.undo')).toEqual([]);
  });

  it('finds the step of a line by asking, not by parsing', async () => {
    const desk = await open(new FakeHost().on('workflow.place', () => ({ step: 1, path: [] })));
    await desk.chooseLine(3);
    expect(desk.chosen?.step.id).toBe('critique');
  });
});

describe('going back to an earlier version', () => {
  afterEach(() => {
    toasts.list = [];
  });
  const offered = () => {
    const action = toasts.list.at(-1)?.action;
    return action && 'run' in action ? action : null;
  };

  it('is made on the version that is on screen, and offers the way back', async () => {
    let file = workflow();
    const saved = (revision: string) => ({ outcome: 'saved', merged: false, view: (file = workflow({ revision })) });
    const host = new FakeHost()
      .on('workflow.restore', () => ({
        ...saved('r0'),
        view: (file = workflow({ revision: 'r0', undo: 'go back' })),
      }))
      .on('workflow.undo', () => saved('r1'));
    const desk = await open(host, () => file);
    expect(await desk.goBack('v0', 'r1', 'It is what it was.')).toBe(true);
    const restored = { path: 'flows/shape.yaml', revision: 'r1', version: 'v0' };
    expect(host.called('workflow.restore')).toMatchObject([restored]);
    expect(desk.view.value?.revision).toBe('r0');
    expect(toasts.list).toMatchObject([{ severity: 'success', text: 'It is what it was.', action: { label: 'Undo' } }]);
    offered()?.run();
    await vi.waitFor(() => expect(desk.view.value?.revision).toBe('r1'));
    expect(host.called('workflow.undo')).toMatchObject([{ path: 'flows/shape.yaml' }]);
    expect(toasts.list).toEqual([]);
  });

  it('is not undone once the file was changed again', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.restore', () => {
      file = workflow({ revision: 'r0', undo: 'go back' });
      return { outcome: 'saved', merged: false, view: file };
    });
    const desk = await open(host, () => file);
    await desk.goBack('v0', 'r1', 'It is what it was.');
    const action = offered();
    file = workflow({ revision: 'r7', undo: 'something else' });
    action?.run();
    await vi.waitFor(() => expect(toasts.list.at(-1)?.text).toMatch(/nothing was undone/));
    expect(host.called('workflow.undo')).toEqual([]);
  });

  it('says that the file was changed meanwhile, and reads it again', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.restore', () => {
      file = workflow({ revision: 'theirs' });
      throw { code: 'conflict', message: 'flows/shape.yaml was changed in another program meanwhile.', hint: null };
    });
    const desk = await open(host, () => file);
    expect(await desk.goBack('v0', 'r1', 'It is what it was.')).toBe(false);
    expect(toasts.list.map((toast) => toast.text)).toEqual([
      'flows/shape.yaml was changed in another program meanwhile.',
    ]);
    expect(desk.view.value?.revision).toBe('theirs');
  });
});

describe('the view of a workflow', () => {
  const critique = workflow().steps[1]!;
  const field: FormField = {
    name: 'role',
    label: 'What this step does',
    section: 'what',
    place: { step: 1, path: ['role'] },
    control: { kind: 'text' },
    value: 'Judge',
    default: null,
    help: '',
  };
  const file = workflow();
  const host = () =>
    new FakeHost()
      .on('settings.get', () => settings)
      .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
      .on('workflow.open', () => file)
      .on('workflow.palette', () => ({ kinds: [], gestures: {} }))
      .on('workflow.form', () => ({
        revision: 'r1',
        form: { kind: 'work', label: 'Work', fields: [field] },
        known: [],
      }))
      .on('workflow.edit', () => ({ outcome: 'saved', merged: false, view: file }));
  let given: FakeHost;
  const open = async (
    hash: string,
    view: typeof workflow = () => file,
    more: (host: FakeHost) => FakeHost = (host) => host,
  ) => {
    location.hash = hash;
    given = more(host().on('workflow.open', () => view()));
    useHost(given);
    render(App, { host: given });
    return userEvent.setup();
  };
  afterEach(() => {
    vi.useRealTimers();
    unsaved.clear();
    toasts.list = [];
    location.hash = '';
  });

  it('shows that an edit is saved, for a while', async () => {
    const user = await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    await user.type(await screen.findByLabelText('What this step does'), ' it{Enter}');
    expect(await screen.findByTestId('said')).toHaveTextContent('Saved: “critique”: What this step does');
    await vi.waitFor(() => expect(screen.queryByTestId('said')).toBeNull(), { timeout: 7_000 });
  }, 20_000);

  it('asks before another kind of a step takes ways along, and writes one that takes none at once', async () => {
    const kind: FormField = {
      ...field,
      name: 'routing.kind',
      label: 'What follows',
      place: { step: 1, path: ['routing', 'kind'] },
      control: {
        kind: 'choice',
        options: ['linear', 'microloop', 'branch'].map((value) => ({ value, label: value })),
      },
      value: 'branch',
    };
    const user = await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    given
      .on('workflow.form', () => ({
        revision: 'r1',
        form: { kind: 'work', label: 'Work', fields: [kind, field] },
        known: [],
      }))
      .on('workflow.preview', ({ edits }: { edits: { value?: string }[] }) => ({
        entails: [undefined, 'linear'].includes(edits[0]?.value)
          ? ['“Critique” does not lead to “Author” for “NO” any more']
          : [],
        refused: null,
      }));
    const select = await screen.findByTestId('field-routing.kind');
    await user.selectOptions(select, 'linear');
    expect(await screen.findByTestId('consequence')).toHaveTextContent('does not lead to “Author” for “NO” any more');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await vi.waitFor(() => expect(screen.queryByTestId('consequence')).toBeNull());
    expect(select).toHaveValue('branch');
    expect(given.called('workflow.edit')).toEqual([]);
    // None of them is a choice as well.
    await user.selectOptions(select, '');
    expect(await screen.findByTestId('consequence')).toHaveTextContent('does not lead to “Author” for “NO” any more');
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await vi.waitFor(() => expect(screen.queryByTestId('consequence')).toBeNull());
    expect(given.called('workflow.edit')).toEqual([]);

    await user.selectOptions(select, 'linear');
    await user.click(await screen.findByTestId('consequence-go'));
    const set = (value: string) => ({
      revision: 'r1',
      label: `“critique”: What follows, now “${value}”`,
      edits: [{ kind: 'set', place: kind.place, value }],
    });
    await vi.waitFor(() => expect(given.called('workflow.edit')).toMatchObject([set('linear')]));
    await user.selectOptions(select, 'microloop');
    await vi.waitFor(() => expect(given.called('workflow.edit')).toMatchObject([set('linear'), set('microloop')]));
    expect(screen.queryByTestId('consequence')).toBeNull();
    // What is typed is not looked at first: it takes nothing along.
    const looked = given.called('workflow.preview').length;
    await user.type(screen.getByLabelText('What this step does'), ' it{Enter}');
    await vi.waitFor(() => expect(given.called('workflow.edit')).toHaveLength(3));
    expect(given.called('workflow.preview')).toHaveLength(looked);
  }, 20_000);

  it.each([
    ['to the field that it was about', ['routing.kind', 'role'], 'field-routing.kind'],
    ['to the next field, where that one is gone', ['name', 'role'], 'field-role'],
    ['to the one before it, where none follows', ['name'], 'field-name'],
  ])(
    'gives the focus back after somebody has agreed by keyboard: %s',
    async (_, left, focused) => {
      const named = (name: string): FormField => ({ ...field, name, label: name, place: { step: 1, path: [name] } });
      const kind: FormField = {
        ...named('routing.kind'),
        control: { kind: 'choice', options: ['linear', 'branch'].map((value) => ({ value, label: value })) },
        value: 'branch',
      };
      const all = [named('name'), kind, named('role')];
      let now = file;
      const user = await open(to.workflow('flows/shape.yaml', { step: 'critique' }), () => now);
      given
        .on('workflow.form', () =>
          now === file
            ? { revision: 'r1', form: { kind: 'work', label: 'Work', fields: all }, known: [] }
            : // Another kind of step has another form.
              {
                revision: 'r2',
                form: { kind: 'other', label: 'Other', fields: all.filter(({ name }) => left.includes(name)) },
                known: [],
              },
        )
        .on('workflow.preview', () => ({ entails: ['“Critique” leads nowhere else.'], refused: null }))
        .on('workflow.edit', () => {
          now = workflow({ revision: 'r2' });
          return { outcome: 'saved', merged: false, view: now };
        });
      const select = await screen.findByTestId('field-routing.kind');
      select.focus();
      await user.selectOptions(select, 'linear');
      const go = await screen.findByTestId('consequence-go');
      await vi.waitFor(() => expect(document.activeElement?.closest('[role="dialog"]')).not.toBeNull());
      for (let i = 0; i < 4 && document.activeElement !== go; i += 1) await user.tab();
      expect(go).toHaveFocus();
      await user.keyboard('{Enter}');
      await vi.waitFor(() => expect(given.called('workflow.edit')).toHaveLength(1));
      await vi.waitFor(() => expect(screen.queryByTestId('consequence')).toBeNull());
      await vi.waitFor(() => expect(screen.getByTestId(focused)).toHaveFocus());
      // It stays there: nothing else takes it afterwards.
      await new Promise((done) => setTimeout(done, 50));
      expect(screen.getByTestId(focused)).toHaveFocus();
    },
    20_000,
  );

  it('lets nothing be filled in while a choice is looked at, and says at the field why it could not be', async () => {
    const kind: FormField = {
      ...field,
      name: 'routing.kind',
      label: 'What follows',
      place: { step: 1, path: ['routing', 'kind'] },
      control: { kind: 'choice', options: ['linear', 'branch'].map((value) => ({ value, label: value })) },
      value: 'branch',
    };
    const user = await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    let fail = () => {};
    given
      .on('workflow.form', () => ({
        revision: 'r1',
        form: { kind: 'work', label: 'Work', fields: [kind, field] },
        known: [],
      }))
      .on('workflow.preview', () => new Promise((_, reject) => (fail = () => reject(new Error('It is locked.')))));
    const select = await screen.findByTestId('field-routing.kind');
    await user.selectOptions(select, 'linear');
    await vi.waitFor(() => expect(select).toBeDisabled());
    expect(screen.getByLabelText('What this step does')).toBeDisabled();
    fail();
    await vi.waitFor(() => expect(select).toBeEnabled());
    expect(select).toHaveAccessibleDescription(/It is locked/);
    expect(given.called('workflow.edit')).toEqual([]);
  }, 20_000);

  it.each(['graph', 'source'] as const)(
    'takes nothing back by keys in the %s while a choice is looked at',
    async (tab) => {
      const kind: FormField = {
        ...field,
        name: 'routing.kind',
        label: 'What follows',
        place: { step: 1, path: ['routing', 'kind'] },
        control: { kind: 'choice', options: ['linear', 'branch'].map((value) => ({ value, label: value })) },
        value: 'branch',
      };
      const changed = workflow({ undo: 'the goal', redo: 'the name' });
      const user = await open(to.workflow('flows/shape.yaml', { tab, step: 'critique' }), () => changed);
      let answer = () => {};
      const saved = () => ({ outcome: 'saved', merged: false, view: changed });
      given
        .on('workflow.form', () => ({
          revision: 'r1',
          form: { kind: 'work', label: 'Work', fields: [kind] },
          known: [],
        }))
        .on(
          'workflow.preview',
          () => new Promise((done) => (answer = () => done({ entails: ['More follows'], refused: null }))),
        )
        .on('workflow.undo', saved)
        .on('workflow.redo', saved);
      const select = await screen.findByTestId('field-routing.kind');
      await user.selectOptions(select, 'linear');
      await vi.waitFor(() => expect(screen.getByTestId('undo')).toBeDisabled());
      // jsdom lays nothing out, and the editor measures its text after keys.
      Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
      // Where nothing is typed, or in the editor, which hands on what it has nothing of itself for.
      if (tab === 'source') await screen.findByText(/Ctrl\+S saves/, {}, { timeout: 10_000 });
      const at = tab === 'source' ? document.querySelector('.cm-content') : document.body;
      const press = (key: string, shiftKey = false) =>
        fireEvent.keyDown(at as HTMLElement, { key, ctrlKey: true, shiftKey });
      await press('z');
      await press('y');
      await press('Z', true);
      expect([...given.called('workflow.undo'), ...given.called('workflow.redo')]).toEqual([]);
      answer();
      await user.click(await screen.findByRole('button', { name: 'Cancel' }));
      await vi.waitFor(() => expect(screen.queryByTestId('consequence')).toBeNull());
      await press('z');
      await vi.waitFor(() => expect(given.called('workflow.undo')).toHaveLength(1));
      await vi.waitFor(() => expect(screen.getByTestId('redo')).toBeEnabled());
      await press('y');
      await vi.waitFor(() => expect(given.called('workflow.redo')).toHaveLength(1));
    },
    20_000,
  );

  it('has one pair of buttons for undo and redo, also beside a scenario that is open', async () => {
    const tried = {
      ...{ name: 'it goes well', description: null, origin: 'flows/ok.yaml', line: null, start: 'flows/ok.yaml' },
      ...{ passed: true, expects: true, words: '', notes: [], result: 'done', path: [], path_length: 0 },
      ...{ steps: [], edges: [], stations: [] },
    };
    const counts = { passed: 1, failed: 0, steps: { seen: 1, of: 1 }, edges: { seen: 0, of: 0 } };
    const none = { unseen_steps: [], unseen_edges: [], next: null, words: '' };
    const table = { path: 'flows/ok.yaml', revision: 's1', rows: [], add: [], known: [], problem: null, source: '' };
    const user = await open(to.workflow('flows/shape.yaml', { tab: 'tests' }));
    given
      .on('workflow.tests', () => ({ path: file.path, title: file.title, tests: [tried], ...counts, ...none }))
      .on('scenario.table', () => ({ ...table, undo: 'a visit', undo_entry: 'e1', redo: null, redo_entry: null }));
    expect(await screen.findByTestId('undo')).toBeVisible();
    await user.click(await screen.findByTestId('scenario-edit'));
    expect(await screen.findByTestId('scenario-undo')).toHaveAccessibleName('Undo: a visit');
    expect(screen.queryByTestId('undo')).toBeNull();
    expect(screen.queryByTestId('redo')).toBeNull();
    await user.click(screen.getByTestId('scenario-back'));
    expect(await screen.findByTestId('undo')).toBeVisible();
  }, 20_000);

  it('marks text that is not saved on every page of the workflow, and when it is left', async () => {
    unsaved.set('flows/shape.yaml', { text: 'key: shape2\n', revision: 'r1' });
    const user = await open(to.workflow('flows/shape.yaml'));
    expect(await screen.findByTestId('unsaved')).toHaveTextContent('not saved');
    expect(screen.getByTestId('tab-source')).toHaveAccessibleName(/not saved/);
    location.hash = to.settings();
    const left = await screen.findByText(/What you typed in flows\/shape.yaml is not saved/);
    expect(within(left.parentElement!).getByRole('link')).toHaveAttribute(
      'href',
      to.workflow('flows/shape.yaml', { tab: 'source' }),
    );
    location.hash = to.workflow('flows/shape.yaml');
    await screen.findByTestId('unsaved');
    await vi.waitFor(() => expect(screen.queryByText(/What you typed in/)).toBeNull());
    location.hash = to.settings();
    await vi.waitFor(() => expect(screen.queryByTestId('unsaved')).toBeNull());
    expect(screen.getAllByText(/What you typed in/)).toHaveLength(1);
    location.hash = to.workflow('flows/shape.yaml');
    await user.click(within(await screen.findByTestId('unsaved')).getByRole('button', { name: /Take back/ }));
    expect(screen.queryByTestId('unsaved')).toBeNull();
    expect(unsaved.size).toBe(0);
  }, 20_000);

  it('says of a pipeline that has run how it is run again, where it would be started', async () => {
    const path = 'flows/shape.yaml';
    const row = { id: 'shape', path, name: 'Shape', status: 'done', status_word: 'completed', created: '2026-03-10' };
    const pipelines = [{ ...row, stages: 2, run_id: 'run-1', problem: null }];
    await open(
      to.workflow(path),
      () => workflow({ format: 'pipeline' }),
      (host) => host.on('pipeline.list', () => ({ folder: 'flows', pipelines, active: null })),
    );
    expect(await screen.findByTestId('pipeline-keeps')).toHaveTextContent(
      'A pipeline runs once: “Duplicate…” in its menu makes a new one to change and run again.',
    );
    expect(screen.queryByTestId('run-start')).toBeNull();
  }, 20_000);

  it('says beside the source that the form shows the saved file while what is typed is not saved', async () => {
    const user = await open(to.workflow('flows/shape.yaml', { tab: 'source', step: 'critique' }));
    given.on('workflow.preview', () => null);
    await screen.findByLabelText('What this step does');
    expect(screen.queryByTestId('form-is-saved')).toBeNull();
    unsaved.set('flows/shape.yaml', { text: 'key: shape2\n', revision: 'r1' });
    expect(await screen.findByTestId('form-is-saved')).toHaveTextContent(/the saved file.*save it, or take it back/);
    await user.click(await screen.findByTestId('source-discard', {}, { timeout: 10_000 }));
    await vi.waitFor(() => expect(screen.queryByTestId('form-is-saved')).toBeNull());
  }, 20_000);

  it('keeps the address with the step that is chosen', async () => {
    await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    await screen.findByLabelText('What this step does');
    const steps = file.steps.map((one) => ({ ...one, step: { ...one.step, id: `${one.step.id}-2` } }));
    given.on('workflow.open', () => workflow({ revision: 'r2', steps }));
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    await vi.waitFor(() => expect(location.hash).toBe(to.workflow('flows/shape.yaml', { step: 'critique-2' })));
  }, 20_000);

  it('keeps the chosen step while the file cannot be read, and what was being typed in its field', async () => {
    const user = await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    const field = await screen.findByLabelText('What this step does');
    const written = (field as HTMLTextAreaElement).value;
    await user.type(field, ' Half');
    const problem = {
      severity: 'error',
      code: 'GH0101',
      breaks_off: true,
      message: 'It ends.',
      line: 3,
    } as ProblemView;
    // Of a text that cannot be read nothing can be filled in.
    const form = await given.rpc('workflow.form', {});
    given.on('workflow.form', () => ({ revision: 'r2', form: null, known: [], reported: [] }));
    given.on('workflow.open', () => workflow({ revision: 'r2', steps: [], faces: [], problems: [problem] }));
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    await vi.waitFor(() => expect(screen.queryByLabelText('What this step does')).toBeNull());
    expect(location.hash).toBe(to.workflow('flows/shape.yaml', { step: 'critique' }));
    given.on('workflow.form', () => form);
    given.on('workflow.open', () => workflow({ revision: 'r3' }));
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    expect(await screen.findByLabelText('What this step does')).toHaveValue(`${written} Half`);
    expect(given.called('workflow.edit')).toEqual([]);
  }, 20_000);

  it('offers no change of a file that another program took away', async () => {
    await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    expect(await screen.findByLabelText('What this step does')).toBeEnabled();
    given.on('workflow.removed', () => ({}));
    given.on('workflow.open', () => {
      throw { code: 'not_found', message: 'There is no file flows/shape.yaml.', hint: 'paint.yaml has the same id.' };
    });
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    expect(await screen.findByTestId('view-error')).toHaveTextContent('paint.yaml has the same id.');
    expect(screen.getByLabelText('What this step does')).toBeDisabled();
    expect(screen.getByTestId('undo')).toBeDisabled();
    expect(screen.queryByTestId('file-menu')).toBeNull();
  }, 20_000);

  it('offers to undo a deletion, at once and at the address of the file', async () => {
    const user = await open(to.workflow('flows/shape.yaml'));
    given.on('workflow.remove', () => ({ path: 'flows/shape.yaml', undo_entry: 'e1' }));
    given.on('workflow.undo', () => ({ outcome: 'saved', merged: false, view: file }));
    given.on('library.get', () => ({ folders: [] }));
    await user.click(await screen.findByTestId('file-menu'));
    await user.click(await screen.findByTestId('file-remove'));
    await user.click(await screen.findByTestId('file-go'));
    await user.click(await screen.findByTestId('toast-act'));
    expect(given.called('workflow.undo')).toEqual([{ path: 'flows/shape.yaml', entry: 'e1' }]);
    await vi.waitFor(() => expect(location.hash).toBe(to.workflow('flows/shape.yaml')));
    cleanup();
    given.on('workflow.open', () => {
      throw { code: 'not_found', message: 'There is no file flows/gone.yaml.', hint: null };
    });
    given.on('workflow.removed', () => ({ undo_entry: 'e2' }));
    location.hash = to.workflow('flows/gone.yaml');
    render(App, { host: given });
    await vi.waitFor(() => expect(given.called('workflow.removed').at(-1)).toEqual({ path: 'flows/gone.yaml' }));
    await user.click(await screen.findByTestId('restore'));
    expect(given.called('workflow.undo').at(-1)).toEqual({ path: 'flows/gone.yaml', entry: 'e2' });
    cleanup();
    // Of a file that never was nothing can be brought back.
    given.on('workflow.removed', () => ({}));
    render(App, { host: given });
    expect(await screen.findByRole('link', { name: 'See all workflows' })).toHaveAttribute('href', to.library());
    expect(screen.queryByTestId('restore')).toBeNull();
  }, 20_000);

  it.each(['graph', 'outline'] as const)(
    'says in the %s why the file cannot be read, and offers no new beginning',
    async (tab) => {
      const problem = {
        severity: 'error',
        code: 'GH0101',
        breaks_off: true,
        message: 'This line ends too early.',
        line: 36,
      } as ProblemView;
      await open(to.workflow('flows/shape.yaml', { tab }), () => ({
        ...workflow(),
        steps: [],
        faces: [],
        problems: [problem],
      }));
      expect(await screen.findByTestId('unreadable')).toHaveTextContent('This line ends too early.');
      expect(screen.queryByTestId('outline')).toBeNull();
    },
  );

  it('promises no change where nothing can be changed', () => {
    const props = { view: file, step: null, busy: false, onedit: vi.fn(), onsource: vi.fn(), ongo: vi.fn() };
    const { rerender } = render(StepInspector, props);
    expect(screen.getByText('Choose a step to see what it does.')).toBeVisible();
    return rerender({ ...props, changes: true }).then(() =>
      expect(screen.getByText('Choose a step to see and change what it does.')).toBeVisible(),
    );
  });

  describe('several steps', () => {
    const may = { steps: true, inside: false, order: true, next: true, waits: false, gates: true };
    const kinds = [{ kind: 'work', label: 'Work', help: 'Somebody does something.' }];
    /** Its steps side by side, where they are looked for in the picture. */
    const drawn: typeof workflow = () => {
      const view = workflow();
      const nodes = view.steps.map((_, i) => ({ id: String(i), x: 300 * i, y: 0, width: 168, height: 64 }));
      const faces = view.steps.map(({ step, ordinal }) => ({ step, ordinal, kind: 'agent', sub: '' }) as FaceView);
      return { ...view, drawing: { ...view.drawing, width: 800, height: 100, nodes }, faces };
    };
    const node = async (step: string) => {
      await vi.waitFor(() => expect(screen.getAllByTestId('graph-node').length).toBeGreaterThan(1));
      return screen.getAllByTestId('graph-node').find((one) => one.dataset.step === step) as HTMLElement;
    };
    const author = async (hash: string) => {
      const user = await open(hash, drawn);
      given
        .on('workflow.palette', () => ({ kinds, gestures: may }))
        .on('workflow.preview', () => ({ entails: [], refused: null }))
        .on('workflow.copied', ({ steps }: { steps: string[] }) => ({
          format: 'stepwise',
          text: steps.join(' '),
          parts: steps,
        }));
      return user;
    };
    const edits = () => (given.called('workflow.edit').at(-1) as { edits: unknown[] } | undefined)?.edits;

    it('are chosen, copied and pasted by keys, and typing keeps its own', async () => {
      const user = await author(to.workflow('flows/shape.yaml', { tab: 'outline', step: 'critique' }));
      await screen.findByTestId('bar-add');
      await user.keyboard('{Control>}a{/Control}');
      expect(await screen.findByTestId('many-bar')).toHaveTextContent('2 steps chosen');
      await user.keyboard('{Control>}c{/Control}');
      await vi.waitFor(async () => expect(await navigator.clipboard.readText()).toBe('author critique'));
      await user.keyboard('{Control>}v{/Control}');
      await vi.waitFor(() => expect(edits()).toHaveLength(2));
      expect(edits()?.[0]).toMatchObject({ kind: 'add', at: { where: 'after', step: 'critique' } });
      const field = await screen.findByLabelText('What this step does');
      await user.click(field);
      await user.keyboard('{Control>}xd{/Control}{Delete}');
      expect(given.called('workflow.copied')).toHaveLength(1);
      expect(given.called('workflow.edit')).toHaveLength(1);
    }, 20_000);

    it('are told from the one whose fields are shown, and are one where several cannot be seen', async () => {
      const user = await author(to.workflow('flows/shape.yaml', { tab: 'outline', step: 'critique' }));
      await screen.findByTestId('bar-add');
      expect(screen.queryByTestId('inspector-of-many')).toBeNull();
      await user.keyboard('{Control>}a{/Control}');
      expect(await screen.findByTestId('inspector-of-many')).toHaveTextContent(
        'This is about “critique” alone, the last one chosen of 2 steps.',
      );
      await user.click(screen.getByTestId('tab-problems'));
      await screen.findByTestId('problems');
      await vi.waitFor(() => expect(screen.queryByTestId('many-bar')).toBeNull());
      expect(screen.queryByTestId('inspector-of-many')).toBeNull();
      expect(screen.getByTestId('step-bar')).toBeVisible();
    }, 20_000);

    it('have a menu, which does it and gives the focus back', async () => {
      const user = await author(to.workflow('flows/shape.yaml', { tab: 'outline', step: 'author' }));
      await screen.findByTestId('bar-add');
      const line = (step: string) =>
        screen.getAllByTestId('outline-line').find((one) => one.dataset.step === step) as HTMLElement;
      line('critique').focus();
      await user.keyboard('{Shift>}{F10}{/Shift}');
      expect(await screen.findByRole('menu')).toHaveAccessibleName('What can be done with “critique”');
      expect(screen.getByRole('menuitem', { name: /Later/ })).toHaveTextContent('It is the last one already');
      await user.keyboard('{Escape}');
      expect(screen.queryByRole('menu')).toBeNull();
      expect(document.activeElement).toBe(line('critique'));
      await user.keyboard('{Shift>}{F10}{/Shift}');
      await user.click(await screen.findByTestId('menu-duplicate'));
      await vi.waitFor(() => expect(edits()).toEqual([{ kind: 'duplicate', step: 'critique' }]));
      await vi.waitFor(() => expect(document.activeElement).toBe(line('critique')));
    }, 20_000);

    it('have a menu in which one of them is given another name, in its line', async () => {
      const user = await author(to.workflow('flows/shape.yaml', { tab: 'outline', step: 'author' }));
      await screen.findByTestId('bar-add');
      screen.getAllByTestId('outline-line').at(-1)?.focus();
      await user.keyboard('{Shift>}{F10}{/Shift}');
      await user.click(await screen.findByTestId('menu-rename'));
      const name = await screen.findByTestId('outline-rename');
      expect(name).toHaveValue('critique');
      expect(name).toHaveFocus();
      await user.keyboard('{Escape}{Control>}a{/Control}{Shift>}{F10}{/Shift}');
      await screen.findByRole('menu');
      expect(screen.queryByTestId('menu-rename')).toBeNull();
    }, 20_000);

    it('go one place later together, at the picture too', async () => {
      const user = await author(to.workflow('flows/shape.yaml', { step: 'author' }));
      await screen.findAllByTestId('graph-add-end');
      (await node('author')).focus();
      await user.keyboard('{Alt>}{ArrowDown}{/Alt}');
      await vi.waitFor(() => expect(edits()).toEqual([{ kind: 'move', place: { step: 0, path: [] }, to: 1 }]));
    }, 20_000);

    it('have a gate put in from the palette, where one is chosen', async () => {
      localStorage.setItem('gatehouse.workflow.kinds', 'on');
      const user = await author(to.workflow('flows/shape.yaml'));
      await user.click(await screen.findByTestId('step-palette-gate'));
      expect(toasts.list.at(-1)?.text).toContain('Choose the step at which a person is to be asked');
      expect(given.called('workflow.edit')).toEqual([]);
      await user.click(await node('author'));
      await user.click(screen.getByTestId('step-palette-gate'));
      await vi.waitFor(() => expect(edits()).toEqual([{ kind: 'gate', step: 'author', gate: {} }]));
      toasts.list = [];
      localStorage.clear();
    }, 20_000);

    it('are refused before anybody is asked for a name', async () => {
      localStorage.setItem('gatehouse.workflow.kinds', 'on');
      const user = await author(to.workflow('flows/shape.yaml', { step: 'author' }));
      given.on('workflow.preview', () => ({ entails: [], refused: { message: 'Nothing can stand there' } }));
      await user.click(await screen.findByTestId('step-palette-kind'));
      expect(await screen.findByTestId('consequence')).toHaveTextContent('Nothing can stand there');
      expect(screen.queryByTestId('add-step')).toBeNull();
      localStorage.clear();
    }, 20_000);

    it('of which only a rejection leads elsewhere are led back to others by a line', async () => {
      const user = await author(to.workflow('flows/shape.yaml', { step: 'critique' }));
      given.on('workflow.palette', () => ({ kinds, gestures: { ...may, next: false, rejections: true } }));
      given.on('workflow.drawn', () => ({
        ways: [{ way: { as: 'rejected' }, label: 'After a rejection at the gate' }],
      }));
      const handle = await screen.findByTestId('graph-connect');
      await vi.waitFor(() => expect(handle).toHaveAccessibleName(/where a rejection at critique leads back to/i));
      handle.focus();
      await user.keyboard('{Enter}');
      await user.click(await node('author'));
      await vi.waitFor(() =>
        expect(edits()).toEqual([{ kind: 'connect', from: 'critique', to: 'author', way: { as: 'rejected' } }]),
      );
    }, 20_000);

    it('show how often a loop that was just drawn goes back at most, to be typed over', async () => {
      const most: FormField = {
        ...field,
        name: 'routing.max_iterations',
        label: 'Times back at most',
        place,
        control: { kind: 'number', min: 0, max: 100, whole: true },
        value: 5,
      };
      const user = await author(to.workflow('flows/shape.yaml', { step: 'critique' }));
      const loop = { target: file.steps[0]!.step, max: 5, words: 'Until it is good.' };
      const steps = file.steps.map((one) => ({ ...one, loop: one.step.id === 'critique' ? loop : one.loop }));
      let now = drawn();
      given
        .on('workflow.open', () => now)
        .on('workflow.drawn', () => ({ ways: [{ way: { as: 'back' }, label: 'Again and again' }] }))
        .on('workflow.preview', () => ({ entails: [], refused: null }))
        .on('workflow.form', () => ({
          revision: now.revision,
          form: { kind: 'work', label: 'Work', fields: now.revision === 'r1' ? [field] : [field, most] },
          known: [],
        }))
        .on('workflow.edit', () => {
          now = { ...drawn(), revision: 'r2', steps };
          return { outcome: 'saved', merged: false, view: now };
        });
      (await screen.findByTestId('graph-connect')).focus();
      await user.keyboard('{Enter}');
      await user.click(await node('author'));
      const bound = await screen.findByLabelText<HTMLInputElement>('Times back at most');
      await vi.waitFor(() => expect(bound).toHaveFocus());
      expect(bound.selectionEnd).toBe(1);
      expect(location.hash).toContain('step=critique');
    }, 20_000);

    it('are added of a kind from the palette, which stays as it was left', async () => {
      localStorage.clear();
      const user = await author(to.workflow('flows/shape.yaml', { step: 'author' }));
      await user.click(await screen.findByTestId('step-palette-open'));
      await vi.waitFor(() => expect(document.activeElement).toBe(screen.getByTestId('step-palette-close')));
      await user.click(await screen.findByTestId('step-palette-kind'));
      expect(await screen.findByTestId('add-step')).toBeVisible();
      expect(screen.getByText('After “author”')).toBeVisible();
      await user.keyboard('{Escape}');
      await user.click(await screen.findByTestId('step-palette-close'));
      expect(screen.queryByTestId('step-palette')).toBeNull();
      expect(localStorage.getItem('gatehouse.workflow.kinds')).toBe('off');
      localStorage.clear();
    }, 20_000);
  });

  it('counts at the tab what the library counts, errors and warnings; notes where nothing weighs more', async () => {
    const problem = (severity: 'note' | 'warning', line: number) => ({
      code: 'GH0009',
      severity,
      message: 'It names no agent',
      help: null,
      line,
      column: 1,
      end_line: line,
      end_column: 2,
      step: null,
      fix: null,
    });
    await open(to.workflow('flows/shape.yaml'));
    const problems = [problem('note', 1), problem('note', 2), problem('warning', 3)];
    given.on('workflow.open', () => workflow({ revision: 'r2', problems }));
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    await vi.waitFor(() => expect(screen.getByTestId('tab-problems')).toHaveAccessibleName(/1/));
    expect(screen.getByTestId('tab-problems')).not.toHaveAccessibleName(/3/);
    // Notes alone are counted too, and called what they are.
    given.on('workflow.open', () => workflow({ revision: 'r3', problems: problems.slice(0, 2) }));
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    await vi.waitFor(() => expect(screen.getByTestId('tab-problems')).toHaveAccessibleName(/2 notes/));
    given.on('workflow.open', () => workflow({ revision: 'r4', problems: [] }));
    given.send({ kind: 'workflow', path: 'flows/shape.yaml' });
    await vi.waitFor(() => expect(screen.getByTestId('tab-problems')).toHaveAccessibleName('Problems'));
  }, 20_000);

  it('says of the source that it can be typed in', async () => {
    await open(to.workflow('flows/shape.yaml', { tab: 'source' }));
    expect(await screen.findByText(/Ctrl\+S saves/, {}, { timeout: 10_000 })).toBeVisible();
  }, 20_000);

  it('leaves out what comes next where the core says nothing of it', () => {
    const props = { view: file, busy: false, onedit: vi.fn(), onsource: vi.fn(), ongo: vi.fn() };
    const { rerender } = render(StepInspector, { ...props, step: critique });
    expect(screen.queryByText('What comes next')).toBeNull();
    return rerender({ ...props, step: { ...critique, next: ['After “Judge” comes “Publish”.'] } }).then(() =>
      expect(screen.getByText('What comes next')).toBeVisible(),
    );
  });
});

it('is not rehearsed from a step while errors keep it from starting, and says so', async () => {
  const error = { code: 'GH0001', severity: 'error', message: 'No such step', help: null, line: 1, column: 1 } as const;
  const problems = [{ ...error, end_line: 1, end_column: 2, step: null, fix: null }];
  const step = { ...(workflow().steps[1] as WorkflowView['steps'][number]), middle: true };
  const onrehearse = vi.fn();
  const props = { view: workflow({ problems }), step, busy: false, onedit: vi.fn(), onsource: vi.fn(), ongo: vi.fn() };
  const { rerender } = render(StepInspector, { ...props, onrehearse });
  expect(screen.getByTestId('step-rehearse')).toBeDisabled();
  expect(screen.getByTestId('step-rehearse')).toHaveAccessibleDescription(
    '1 error keeps it from starting: see Problems',
  );
  await rerender({ view: workflow({ problems: [] }) });
  await userEvent.click(screen.getByTestId('step-rehearse'));
  expect(onrehearse).toHaveBeenCalledOnce();
});

describe('the gates before a step', () => {
  it('are said, and the way past them is shown where there is a picture', async () => {
    const view = workflow();
    const step = view.steps[1] ?? null;
    const ref = (id: string) => ({ id, number: '', name: id });
    const gates = {
      gates: [ref('c')],
      open: [ref('a'), ref('b')],
      words: 'A way leads here past every gate: “a” → “b”.',
    };
    const onway = vi.fn();
    const props = { view, step, busy: false, onedit: vi.fn(), onsource: vi.fn(), ongo: vi.fn(), gates, onway };
    const { rerender } = render(StepInspector, props);
    expect(screen.getByTestId('step-gates-before')).toHaveTextContent('past every gate');
    await userEvent.click(screen.getByTestId('step-way'));
    expect(onway).toHaveBeenCalledWith(true);
    await rerender({ ...props, wayShown: true });
    expect(screen.getByTestId('step-way')).toHaveAttribute('aria-pressed', 'true');
    await rerender({ ...props, gates: { ...gates, open: [] } });
    expect(screen.queryByTestId('step-way')).toBeNull();
  });
});
