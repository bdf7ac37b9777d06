import { useHost, type FormField } from '$lib/api';
import { settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import App from '../../App.svelte';
import { to } from '../../app/router.svelte';
import { WorkflowDesk } from './desk.svelte';
import StepInspector from './StepInspector.svelte';

const place = { step: 1, path: ['routing', 'max_iterations'] };
const edit = { kind: 'set' as const, place, value: 7 };

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
      { path: 'flows/shape.yaml', revision: 'r1', edits: [edit], label: 'Most iterations', keep_mine: false },
    ]);
    expect(desk.view.value?.undo).toBe('Most iterations');
  });

  it('asks when another program changed the same lines, and writes nothing meanwhile', async () => {
    let file = workflow();
    const host = new FakeHost().on('workflow.edit', (params: { keep_mine?: boolean }) => {
      file = workflow({ revision: params.keep_mine ? 'r10' : 'r9' });
      return params.keep_mine
        ? { outcome: 'saved', merged: false, view: file }
        : { outcome: 'conflict', message: 'Both changed it.', mine: 'max: 7', theirs: 'max: 3', view: file };
    });
    const desk = await open(host, () => file);
    expect(await desk.make([edit], 'Most iterations')).toBe(false);
    expect(desk.conflict?.found).toMatchObject({ mine: 'max: 7', theirs: 'max: 3' });
    await desk.keepMine();
    expect(host.called('workflow.edit')[1]).toMatchObject({ revision: 'r9', edits: [edit], keep_mine: true });
    expect(desk.conflict).toBeNull();
    expect(desk.view.value?.revision).toBe('r10');
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
  const open = async (hash: string) => {
    location.hash = hash;
    const given = host();
    useHost(given);
    render(App, { host: given });
    return userEvent.setup();
  };
  afterEach(() => {
    vi.useRealTimers();
    location.hash = '';
  });

  it('shows that an edit is saved, for a while', async () => {
    const user = await open(to.workflow('flows/shape.yaml', { step: 'critique' }));
    await user.type(await screen.findByLabelText('What this step does'), ' it{Enter}');
    expect(await screen.findByTestId('said')).toHaveTextContent('Saved: What this step does');
    await vi.waitFor(() => expect(screen.queryByTestId('said')).toBeNull(), { timeout: 7_000 });
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
