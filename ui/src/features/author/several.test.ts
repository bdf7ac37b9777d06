import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useHost, type Gesture, type WorkflowView } from '$lib/api';
import { findings } from '$lib/axe';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import Framed from './__fixtures__/FramedOutline.svelte';
import { Open } from './__fixtures__/target.svelte';
import { Author } from './author.svelte';

const like = workflow().steps[0]!;
const file = (...steps: [id: string, parent?: string][]): WorkflowView =>
  workflow({
    steps: steps.map(([id, parent], ordinal) => ({
      ...like,
      ordinal,
      step: { id, number: '', name: `Step ${id}` },
      parent: parent ? { id: parent, number: '', name: parent } : null,
    })),
  });

const gestures = { steps: true, inside: true, order: true, gates: true };

async function open(view = file(['a'], ['b'], ['c'], ['d'])) {
  const host = new FakeHost()
    .on('workflow.palette', () => ({ kinds: [], gestures }))
    .on('workflow.preview', () => ({ entails: [], refused: null }));
  useHost(host);
  const target = Object.assign(new Open('a.yaml', view, 'a'), {
    make: vi.fn(async (_gestures: Gesture[], _what: string) => true),
  });
  const author = new Author(target);
  await author.palette.refresh();
  const onmenu = vi.fn();
  const { container } = render(Framed, { open: target, author, onmenu });
  return { target, author, host, onmenu, container };
}
const lines = () => screen.getAllByTestId('outline-line');
const chosen = () => lines().filter((one) => one.getAttribute('aria-selected') === 'true');
const made = (target: { make: ReturnType<typeof vi.fn> }) => target.make.mock.calls[0]?.[0] as Gesture[];

describe('the outline', () => {
  it('chooses several with Shift and arrow keys, and lets go with Escape', async () => {
    const user = userEvent.setup();
    const { target, container } = await open();
    lines()[1]!.focus();
    await user.keyboard('{Shift>}{ArrowDown}{ArrowDown}{/Shift}');
    expect(chosen().map((one) => one.dataset.step)).toEqual(['b', 'c', 'd']);
    expect(document.activeElement).toBe(lines()[3]);
    expect(target.step).toBe('d');
    expect(screen.getByTestId('many-bar')).toHaveTextContent('3 steps chosen');
    expect(screen.getByTestId('outline')).toHaveAttribute('aria-multiselectable', 'true');
    expect(await findings(container)).toEqual([]);
    await user.keyboard('{Shift>}{ArrowUp}{/Shift}');
    expect(chosen().map((one) => one.dataset.step)).toEqual(['b', 'c']);
    await user.keyboard('{Escape}');
    expect(chosen().map((one) => one.dataset.step)).toEqual(['c']);
    expect(screen.queryByTestId('many-bar')).toBeNull();
  });

  it('chooses a range with Shift and a click, one more with Ctrl', async () => {
    const user = userEvent.setup();
    await open();
    await user.keyboard('{Shift>}');
    await user.click(lines()[2]!);
    await user.keyboard('{/Shift}');
    expect(chosen()).toHaveLength(3);
    await user.keyboard('{Control>}');
    await user.click(lines()[1]!);
    await user.keyboard('{/Control}');
    expect(chosen().map((one) => one.dataset.step)).toEqual(['a', 'c']);
    lines()[3]!.focus();
    await user.keyboard('{Control>} {/Control}');
    expect(chosen()).toHaveLength(3);
    await user.click(lines()[1]!);
    expect(chosen().map((one) => one.dataset.step)).toEqual(['b']);
  });

  it('deletes all that are chosen, or the one in focus where that is none of them', async () => {
    const user = userEvent.setup();
    const { target, author } = await open();
    author.chosen.choose(['a', 'b']);
    lines()[1]!.focus();
    await user.keyboard('{Delete}');
    expect(made(target)).toHaveLength(2);
    target.make.mockClear();
    author.chosen.choose(['a', 'b']);
    lines()[3]!.focus();
    await user.keyboard('{Delete}');
    expect(made(target)).toEqual([{ kind: 'remove', place: { step: 3, path: [] } }]);
  });

  it('moves all that are chosen with Alt and an arrow key, or the one in focus where that is none of them', async () => {
    const user = userEvent.setup();
    const { target, author } = await open();
    author.chosen.choose(['b', 'c']);
    lines()[2]!.focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await vi.waitFor(() => expect(target.make).toHaveBeenCalledOnce());
    expect(made(target)).toEqual([
      { kind: 'move', place: { step: 1, path: [] }, to: 0 },
      { kind: 'move', place: { step: 2, path: [] }, to: 1 },
    ]);
    target.make.mockClear();
    author.chosen.choose(['b', 'c']);
    await user.click(screen.getByTestId('many-down'));
    await vi.waitFor(() => expect(target.make).toHaveBeenCalledOnce());
    expect(made(target)).toHaveLength(2);
    target.make.mockClear();
    author.chosen.choose(['b', 'c']);
    lines()[3]!.focus();
    await user.keyboard('{Alt>}{ArrowUp}{/Alt}');
    await vi.waitFor(() => expect(target.make).toHaveBeenCalledOnce());
    expect(made(target)).toEqual([{ kind: 'move', place: { step: 3, path: [] }, to: 2 }]);
  });

  it('asks for the menu of a line, and of the list', async () => {
    const { onmenu } = await open();
    await fireEvent.contextMenu(lines()[2]!, { clientX: 3, clientY: 4 });
    expect(onmenu).toHaveBeenLastCalledWith('c', { x: 3, y: 4 });
    await fireEvent.contextMenu(screen.getByTestId('outline'), { clientX: 3, clientY: 300 });
    expect(onmenu.mock.lastCall?.[0]).toBeNull();
    await fireEvent.keyDown(lines()[1]!, { key: 'ContextMenu' });
    expect(onmenu.mock.lastCall?.[0]).toBe('b');
  });
});

describe('a line that is dragged', () => {
  const HIGH = 20;
  beforeEach(() => {
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      const at = (this as HTMLElement).dataset.at;
      return at === undefined ? new DOMRect(0, 0, 300, 400) : new DOMRect(0, 100 + Number(at) * HIGH, 300, HIGH);
    });
  });
  afterEach(() => vi.restoreAllMocks());
  const pointer = { pointerId: 1, button: 0, clientX: 10 };
  const over = (at: number) => ({ ...pointer, clientY: 100 + at * HIGH });
  const start = (at: number) => fireEvent.pointerDown(lines()[at]!, over(at + 0.5));
  const move = (gap: number) => fireEvent.pointerMove(window, over(gap));
  const drop = (gap: number) => fireEvent.pointerUp(window, over(gap));

  it('goes to the gap that is marked', async () => {
    const { target } = await open();
    await start(0);
    await move(3);
    expect(lines()[3]).toHaveClass('above');
    expect(screen.getByTestId('outline-drag')).toHaveTextContent('Let go to put “Step a” here');
    await drop(3);
    await vi.waitFor(() => expect(target.make).toHaveBeenCalledOnce());
    expect(made(target)).toEqual([{ kind: 'move', place: { step: 0, path: [] }, to: 2 }]);
    expect(screen.queryByTestId('outline-drag')).toBeNull();
  });

  it('stays where it is with Escape, and where nothing would change', async () => {
    const { target } = await open();
    await start(0);
    await move(3);
    await fireEvent.keyDown(window, { key: 'Escape' });
    await drop(3);
    await start(1);
    await move(2);
    expect(screen.queryByTestId('outline-drag')).toBeNull();
    await drop(2);
    expect(target.make).not.toHaveBeenCalled();
  });

  it('says why it cannot go to another level, or where the program refuses it', async () => {
    const { target, host } = await open(file(['a'], ['g'], ['x', 'g'], ['y', 'g'], ['z']));
    await start(0);
    await move(3);
    expect(screen.getByTestId('outline-drag')).toHaveTextContent('“Step a” stays on its level');
    await drop(3);
    host.on('workflow.preview', () => ({ entails: [], refused: { message: '“Step z” needs it before' } }));
    await start(0);
    await move(5);
    expect(await screen.findByText('“Step z” needs it before')).toBeVisible();
    await drop(5);
    expect(target.make).not.toHaveBeenCalled();
  });
});
