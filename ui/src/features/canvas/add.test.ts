import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findings } from '$lib/axe';
import type { EdgePath } from '$lib/api/drawing.gen';
import { edge, node } from './__fixtures__/found';
import { drawing, edges, faces, order, steps } from './__fixtures__/delivery';
import Graph from './__fixtures__/Framed.svelte';
import { ADD, addBehind, addOn, labelBoxes, lineBoxes, type SceneNode } from './scene';
import { touches } from './view';

const props = { drawing, faces, title: 'Deliver a feature' };
const box = (step: string) => String(order.indexOf(step));
const path = (from: string, to: string) => drawing.edges.find((one) => one.from === box(from) && one.to === box(to))!;
const changing = () => ({ onadd: vi.fn(), oninsert: vi.fn(), onedge: vi.fn(), onmove: vi.fn(), onconnect: vi.fn() });

describe('a step is added', () => {
  it('on a line, by the button that it has when it is gone to, or by its key', async () => {
    const user = userEvent.setup();
    const heard = changing();
    const { container } = render(Graph, { ...props, ...heard, active: 'analysis' });
    expect(screen.queryByTestId('graph-add-between')).toBeNull();
    edge('analysis', 'requirements').focus();
    const button = await screen.findByRole('button', { name: 'Add a step between Analysis and Requirements' });
    expect(await findings(container)).toEqual([]);
    await user.tab();
    expect(button).toHaveFocus();
    await user.keyboard('{Enter}');
    expect(heard.oninsert).toHaveBeenCalledExactlyOnceWith(path('analysis', 'requirements').id);
    // It is no line that is opened.
    expect(heard.onedge).not.toHaveBeenCalled();
    edge('analysis', 'requirements').focus();
    await user.keyboard('{Insert}');
    expect(heard.oninsert).toHaveBeenCalledTimes(2);
    node('analysis').focus();
    await vi.waitFor(() => expect(screen.queryByTestId('graph-add-between')).toBeNull());
  }, 20_000);

  it('on the line that the pointer is on, until it leaves it', async () => {
    const heard = changing();
    render(Graph, { ...props, ...heard });
    const { points } = path('analysis', 'requirements');
    const [a, b] = [points[0]!, points[1]!];
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    const graph = screen.getByTestId('graph');
    await fireEvent.pointerMove(graph, { clientX: middle.x, clientY: middle.y });
    const button = screen.getByTestId('graph-add-between');
    expect(button.dataset.on).toBe(path('analysis', 'requirements').id);
    await fireEvent.click(button);
    expect(heard.oninsert).toHaveBeenCalledOnce();
    await fireEvent.pointerMove(graph, { clientX: 0, clientY: 0 });
    expect(screen.queryByTestId('graph-add-between')).toBeNull();
  });

  it('on no other line, when another drawing comes in under the pointer', async () => {
    const { rerender } = render(Graph, { ...props, ...changing() });
    const line = path('analysis', 'requirements');
    const middle = { clientX: (line.points[0]!.x + line.points[1]!.x) / 2, clientY: line.points[0]!.y };
    await fireEvent.pointerMove(screen.getByTestId('graph'), middle);
    expect(screen.getByTestId('graph-add-between').dataset.on).toBe(line.id);
    // The same once more: nothing has gone away under the pointer.
    await rerender({ drawing: { ...drawing, edges: drawing.edges.map((one) => ({ ...one })) } });
    expect(screen.getByTestId('graph-add-between').dataset.on).toBe(line.id);
    // The line of that id lies elsewhere now, and nothing lies here.
    const lower = ({ x, y }: { x: number; y: number }) => ({ x, y: y + 400 });
    const nodes = drawing.nodes.map((one) => ({ ...one, ...lower(one) }));
    const away = drawing.edges.map((one) => ({ ...one, points: one.points.map(lower) }));
    await rerender({ drawing: { ...drawing, nodes, edges: away } });
    expect(screen.queryByTestId('graph-add-between')).toBeNull();
    expect(screen.queryByTestId('graph-connect')?.dataset.of).not.toBe('analysis');
  });

  it('behind every step that nothing follows, and nowhere else', async () => {
    const user = userEvent.setup();
    const heard = changing();
    render(Graph, { ...props, ...heard, active: 'release' });
    const left = new Set(drawing.edges.map((one) => one.from));
    const last = order.filter((step) => !left.has(box(step)));
    expect(last).toContain('release');
    const all = screen.getAllByTestId('graph-add-end');
    expect(all.map((one) => one.dataset.behind)).toEqual(last);
    const button = screen.getByRole('button', { name: /^Add a step after Release/ });
    node('release').focus();
    await vi.waitFor(() => expect(button).toHaveAttribute('tabindex', '0'));
    await user.click(button);
    expect(heard.onadd).toHaveBeenCalledExactlyOnceWith('release');
  });

  it('beside the line of a rejection that leaves the step there, and beside its word', () => {
    const at = ({ x, y }: { x: number; y: number }) => ({ x: x - ADD / 2, y: y - ADD / 2, width: ADD, height: ADD });
    const last = { box: { x: 0, y: 0, width: 190, height: 72 } } as SceneNode;
    const rejected: EdgePath = {
      ...drawing.edges[0]!,
      kind: 'reject',
      label: 'rejected',
      label_at: { x: 240, y: 24 },
      points: [
        { x: 190, y: 36 },
        { x: 290, y: 36 },
        { x: 290, y: 104 },
      ],
    };
    const taken = [...lineBoxes(rejected), ...labelBoxes(rejected, 0)];
    for (const direction of ['right', 'down'] as const) {
      const place = addBehind(last, direction, taken);
      expect(taken.some((one) => touches(one, at(place)))).toBe(false);
    }
    // Where nothing is in the way it stands in the middle.
    expect(addBehind(last, 'right', []).y).toBe(36);
  });

  it('nowhere in a run, and where the file is not changed', async () => {
    const heard = changing();
    const { rerender } = render(Graph, { ...props, ...heard, overlay: { steps, edges: edges(steps) } });
    edge('analysis', 'requirements').focus();
    expect(screen.queryByTestId('graph-add-between')).toBeNull();
    expect(screen.queryByTestId('graph-add-end')).toBeNull();
    await rerender({ overlay: null, onadd: undefined, oninsert: undefined });
    edge('analysis', 'requirements').focus();
    expect(screen.queryByTestId('graph-add-between')).toBeNull();
    expect(screen.queryByTestId('graph-add-end')).toBeNull();
  });

  it('beside what is written at a line: no button covers another', () => {
    const at = ({ x, y }: { x: number; y: number }) => ({ x: x - ADD / 2, y: y - ADD / 2, width: ADD, height: ADD });
    const line = (length: number, over: Partial<EdgePath> = {}): EdgePath => ({
      ...drawing.edges[0]!,
      back: false,
      label: null,
      label_at: null,
      points: [
        { x: 0, y: 100 },
        { x: length, y: 100 },
      ],
      number_at: { x: length / 2, y: 100 },
      ...over,
    });
    const written = { label: 'approved', label_at: { x: 28, y: 88 } };
    for (const one of [line(40), line(56), line(56, written), line(600), ...drawing.edges])
      expect(labelBoxes(one, 1).some((label) => touches(label, at(addOn(one))))).toBe(false);
    // Another line that crosses it in its middle is kept off.
    const crossing = { x: 290, y: 0, width: 20, height: 200 };
    expect(touches(at(addOn(line(600), [crossing])), crossing)).toBe(false);
    // A long line has it on it, a short one beside it.
    expect(addOn(line(600)).y).toBe(100);
    expect(addOn(line(56)).y).not.toBe(100);
  });
});

it('steps change their places with Alt and an arrow key, where their order means something', async () => {
  const onmove = vi.fn();
  const { rerender } = render(Graph, { ...props, onmove });
  await fireEvent.keyDown(node('ux'), { key: 'ArrowUp', altKey: true });
  await fireEvent.keyDown(node('ux'), { key: 'ArrowDown', altKey: true });
  await fireEvent.keyDown(node('ux'), { key: 'ArrowDown', altKey: true, shiftKey: true });
  expect(onmove.mock.calls).toEqual([
    ['ux', -1],
    ['ux', 1],
  ]);
  // Several that were chosen with a box have the focus on the ground.
  await rerender({ chosen: ['ux', 'docs'], selected: 'docs' });
  await fireEvent.keyDown(screen.getByTestId('graph'), { key: 'ArrowUp', altKey: true });
  expect(onmove).toHaveBeenLastCalledWith('docs', -1);
});

it('what something would be dropped on says whether it may be', async () => {
  const { rerender } = render(Graph, { ...props, lit: { step: 'ux', holds: false } });
  expect(node('ux')).toHaveClass('may');
  await rerender({ litBarred: true });
  expect(node('ux')).toHaveClass('may-not');
});

describe('of a picture that was changed', () => {
  type Moved = { step: string | undefined; from: Keyframe };
  let moved: Moved[] = [];
  let ended = 0;
  beforeEach(() => {
    [moved, ended] = [[], 0];
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(1000);
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(700);
    Element.prototype.animate = function (this: HTMLElement, frames: Keyframe[]) {
      moved.push({ step: this.dataset.step, from: frames[0]! });
      return { cancel: () => (ended += 1) } as unknown as Animation;
    } as never;
    return () => {
      vi.restoreAllMocks();
      delete (Element.prototype as { animate?: unknown }).animate;
    };
  });
  /** Another step comes to stand first: every box has another number then. */
  const later = () => {
    const aside = drawing.nodes.map((one, i) => ({ ...one, id: String(i + 1), x: one.x + 200 }));
    const first = { ...drawing.nodes[0]!, id: '0' };
    const face = { ...faces[0]!, step: { id: 'new', number: '', name: 'A new one' } };
    return { drawing: { ...drawing, nodes: [first, ...aside], edges: [] }, faces: [face, ...faces] };
  };

  it('steps glide from where they were, a new one appears, and lines with it', async () => {
    const { rerender } = render(Graph, { ...props, fitted: true });
    expect(moved).toEqual([]);
    await rerender(later());
    await vi.waitFor(() => expect(moved.length).toBeGreaterThan(0));
    const of = (step: string) => moved.filter((one) => one.step === step);
    expect(of('ux')[0]?.from.transform).toMatch(/^translate\(-\d/);
    expect(of('new')).toEqual([{ step: 'new', from: { opacity: 0 } }]);
    expect(moved.filter((one) => one.step === undefined && one.from.opacity === 0).length).toBeGreaterThan(0);
    expect(ended).toBe(0);
  });

  it('nothing moves any more once somebody moves the picture', async () => {
    const { rerender } = render(Graph, props);
    await rerender(later());
    await vi.waitFor(() => expect(moved.length).toBeGreaterThan(0));
    await fireEvent.keyDown(screen.getByTestId('graph'), { key: '+' });
    expect(ended).toBe(moved.length);
  });

  it('nothing moves where nothing changed, in a run, or where people want no motion', async () => {
    const { rerender } = render(Graph, props);
    await rerender({ drawing: { ...drawing }, faces: [...faces] });
    await rerender({ overlay: { steps, edges: [] } });
    await rerender(later());
    await new Promise((done) => setTimeout(done, 30));
    expect(moved).toEqual([]);
    await rerender({ ...props, overlay: null });
    vi.spyOn(window, 'matchMedia').mockReturnValue({ matches: true } as MediaQueryList);
    moved = [];
    await rerender(later());
    await new Promise((done) => setTimeout(done, 30));
    expect(moved).toEqual([]);
  });
});
