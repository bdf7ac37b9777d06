import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { useHost, type Gesture, type WorkflowView } from '$lib/api';
import { findings } from '$lib/axe';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import Framed from './__fixtures__/FramedOutline.svelte';
import { Open } from './__fixtures__/target.svelte';
import { Author } from './author.svelte';

const like = workflow().steps[0]!;
const file = (...steps: [id: string, over?: { parent?: string; phase?: string }][]): WorkflowView =>
  workflow({
    steps: steps.map(([id, { parent, phase } = {}], ordinal) => ({
      ...like,
      ...{ ordinal, phase, gate: null, next: [] },
      step: { id, number: `${ordinal + 1}`, name: `Step ${id}` },
      parent: parent ? { id: parent, number: '', name: parent } : null,
    })),
    faces: [],
  });

async function open(view: WorkflowView, may: object = {}, step: string | null = 'a') {
  const host = new FakeHost()
    .on('workflow.palette', () => ({ kinds: [], gestures: { steps: true, inside: true, order: true, ...may } }))
    .on('workflow.preview', () => ({ entails: [], refused: null }));
  useHost(host);
  const target = Object.assign(new Open('a.md', view, step), {
    make: vi.fn(async (_gestures: Gesture[], _what: string) => true),
  });
  const author = new Author(target);
  await author.palette.refresh();
  const { container } = render(Framed, { open: target, author });
  return { target, author, host, container, user: userEvent.setup() };
}
const row = (name: RegExp) => screen.getByRole('treeitem', { name });
const names = () => screen.getAllByRole('treeitem').map((one) => one.textContent?.replace(/\s+/g, ' ').trim());

const PHASES = file(['a', { phase: 'Plan' }], ['b', { phase: 'Plan' }], ['c', { phase: 'Build' }]);

describe('phases', () => {
  it('are a level of their own, read before their steps', async () => {
    const { container } = await open(PHASES);
    expect(names()).toEqual(['Phase Plan, 2 steps', '1 Step a', '2 Step b', 'Phase Build, 1 step', '3 Step c']);
    expect(row(/Phase Plan/)).toHaveAttribute('aria-expanded', 'true');
    expect(row(/Step b/)).toHaveAttribute('aria-level', '2');
    expect(row(/Step b/)).toHaveAttribute('aria-posinset', '2');
    expect(await findings(container)).toEqual([]);
  });

  it('fold and unfold with arrow keys, which lead in and out of them as well', async () => {
    const { user, target } = await open(PHASES);
    row(/Step b/).focus();
    await user.keyboard('{ArrowLeft}');
    expect(row(/Phase Plan/)).toHaveFocus();
    // A phase is no step: nothing else is chosen by that.
    expect(target.step).toBe('a');
    await user.keyboard('{ArrowLeft}');
    expect(row(/Phase Plan/)).toHaveAttribute('aria-expanded', 'false');
    expect(names()).toEqual(['Phase Plan, 2 steps', 'Phase Build, 1 step', '3 Step c']);
    await user.keyboard('{Delete}{F2}');
    expect(target.make).not.toHaveBeenCalled();
    await user.keyboard('{ArrowRight}{ArrowRight}');
    expect(row(/Step a/)).toHaveFocus();
  });

  it('open for a step that is chosen elsewhere', async () => {
    const { user, target } = await open(PHASES);
    await user.click(row(/Phase Build/));
    expect(screen.queryByText('Step c')).toBeNull();
    target.step = 'c';
    expect(await screen.findByText('Step c')).toBeVisible();
  });
});

describe('steps that hold others', () => {
  const NESTED = file(['a'], ['g'], ['x', { parent: 'g' }], ['z']);

  it('fold and unfold, by keys and by their sign', async () => {
    const { user } = await open(NESTED, {}, 'g');
    expect(row(/Step a/)).not.toHaveAttribute('aria-expanded');
    row(/Step g/).focus();
    await user.keyboard('{ArrowLeft}');
    expect(row(/Step g/)).toHaveAttribute('aria-expanded', 'false');
    expect(screen.queryByText('Step x')).toBeNull();
    expect(row(/Step g/)).toHaveFocus();
    await user.click(screen.getByTestId('outline-fold'));
    expect(row(/Step x/)).toBeVisible();
  });

  it('take in the step behind them, and let go of one, as one change', async () => {
    const { user, target } = await open(NESTED, {}, 'z');
    row(/Step z/).focus();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    await vi.waitFor(() => expect(target.make).toHaveBeenCalledOnce());
    expect(target.make.mock.lastCall?.slice(0, 2)).toEqual([
      [{ kind: 'level', step: 'z', deeper: true }],
      '“Step z” put into “Step g”',
    ]);
    row(/Step x/).focus();
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    await vi.waitFor(() => expect(target.make).toHaveBeenCalledTimes(2));
    expect(target.make.mock.lastCall?.slice(0, 2)).toEqual([
      [{ kind: 'level', step: 'x', deeper: false }],
      '“Step x” put after “Step g”',
    ]);
  });

  it('are asked about first where more follows, and refused with the reason of the program', async () => {
    const { user, target, author, host } = await open(NESTED, {}, 'z');
    host.on('workflow.preview', () => ({ entails: [], refused: { message: 'A substep holds no steps.' } }));
    row(/Step z/).focus();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    await vi.waitFor(() => expect(author.asking?.refused).toBe('A substep holds no steps.'));
    expect(target.make).not.toHaveBeenCalled();
  });

  it('say why a step goes nowhere, without asking the program', async () => {
    const { user, host } = await open(NESTED);
    const said = vi.spyOn(toasts, 'info');
    row(/Step a/).focus();
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    expect(said).toHaveBeenLastCalledWith('“Step a” stands on the outermost level already.');
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    expect(said).toHaveBeenLastCalledWith('There is no step before “Step a” that it could be put into.');
    expect(host.called('workflow.preview')).toEqual([]);
  });

  it('are not there in a format without any', async () => {
    const { user } = await open(file(['a'], ['b']), { inside: false }, 'b');
    const said = vi.spyOn(toasts, 'info');
    row(/Step b/).focus();
    await user.keyboard('{Alt>}{ArrowRight}{/Alt}');
    expect(said).toHaveBeenLastCalledWith('Steps of this kind of workflow hold no others.');
  });
});

it('begins with a question where there is no step', async () => {
  const { user, author, container } = await open(file(), {}, null);
  expect(screen.getByRole('heading')).toHaveTextContent('What has to be decided, or done?');
  await user.click(screen.getByRole('button', { name: 'Add a step' }));
  expect(author.adding?.at).toEqual({ where: 'end' });
  expect(await findings(container)).toEqual([]);
});
