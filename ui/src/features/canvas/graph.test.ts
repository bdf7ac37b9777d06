import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { createRawSnippet, tick } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { node } from './__fixtures__/found';
import { drawing, faces, runAt, WAITING } from './__fixtures__/request';
import Graph from './__fixtures__/Framed.svelte';
import { many } from './__fixtures__/many';
import { barBox, headBox } from './scene';
import { fit, onScreen, READABLE, touches } from './view';

const props = (at?: number) => {
  const view = runAt(at, WAITING);
  return { drawing, faces, overlay: view, title: 'Shape a request', active: 'critique' };
};

describe('the graph', () => {
  it('says of every step what it is and how it stands', () => {
    render(Graph, props());
    expect(screen.getByRole('button', { name: /^Step 4, Critique the requirements, waits for a person/ })).toBe(
      node('critique'),
    );
    expect(screen.getByRole('button', { name: 'Step 5, Write scenarios, not yet' })).toHaveAttribute(
      'data-status',
      'not_started',
    );
    expect(screen.getByTestId('graph')).toHaveAccessibleName('Graph of Shape a request');
  });

  it('marks what became of steps between two versions, in words', () => {
    const marks = new Map([
      ['critique', ['moved', 'changed']],
      ['frame', ['removed']],
    ] as const);
    render(Graph, { ...props(), overlay: null, marks });
    const said = (step: string) => within(node(step)).queryByTestId('graph-mark')?.textContent;
    expect([said('critique'), said('frame'), said('author')]).toEqual(['changed, moved', 'removed', undefined]);
    expect(node('critique')).toHaveClass('changed');
    expect(node('frame')).toHaveClass('removed');
    expect(node('frame')).toHaveAccessibleName(/, removed$/);
  });

  it('numbers what was taken and counts the rounds', () => {
    render(Graph, props());
    const edges = screen.getAllByTestId('graph-edge');
    const at = (from: string, to: string) => edges.find((one) => one.dataset.from === from && one.dataset.to === to);
    expect(at('author', 'critique')).toHaveAttribute('data-numbers', '3,5');
    expect(at('critique', 'author')).toHaveAttribute('data-taken', 'true');
    expect(at('critique', 'decline')).toHaveAttribute('data-taken', 'false');
    expect(screen.getByTestId('loop-badge')).toHaveTextContent('↻ 1/5 back');
  });

  it('tells once whoever drags a box that boxes stay where they are', async () => {
    render(Graph, { ...props(), unmoved: 'Boxes are placed automatically.' });
    const drag = async (dx: number, on = node('critique')) => {
      await fireEvent.pointerDown(on, { button: 0, clientX: 10, clientY: 10 });
      await fireEvent.pointerMove(window, { clientX: 10 + dx, clientY: 10 });
      await fireEvent.pointerUp(window);
    };
    await drag(3);
    await drag(80, screen.getByTestId('graph'));
    expect(screen.queryByTestId('graph-unmoved')).toBeNull();
    await drag(80);
    expect(screen.getByTestId('graph-unmoved')).toHaveTextContent('Boxes are placed automatically.');
    await drag(80);
    expect(screen.queryByTestId('graph-unmoved')).toBeNull();
  });

  it('is one stop of the Tab key, then arrows follow the edges', async () => {
    render(Graph, props());
    const stops = screen.getAllByTestId('graph-node').filter((one) => one.tabIndex === 0);
    expect(stops.map((one) => one.dataset.step)).toEqual(['critique']);
    node('critique').focus();
    await fireEvent.keyDown(node('critique'), { key: 'ArrowLeft' });
    await vi.waitFor(() => expect(document.activeElement).toBe(node('author')));
    expect(node('author').tabIndex).toBe(0);
  });

  it('lets the keyboard come to a way that was not taken: it is explained as well', () => {
    render(Graph, { ...props(), onedge: vi.fn() });
    const refused = screen
      .getAllByTestId('graph-edge')
      .find((one) => one.dataset.from === 'critique' && one.dataset.to === 'decline');
    expect(refused).toHaveAttribute('tabindex', '0');
  });

  it('opens a step with Enter and the card of an edge with a click', async () => {
    const [onselect, onopen, onedge] = [vi.fn(), vi.fn(), vi.fn()];
    render(Graph, { ...props(), onselect, onopen, onedge });
    await fireEvent.keyDown(node('frame'), { key: 'Enter' });
    expect(onopen).toHaveBeenCalledWith('frame');
    expect(onselect).toHaveBeenCalledWith('frame');
    const edge = screen.getAllByTestId('graph-edge').find((one) => one.dataset.from === 'author');
    if (!edge) throw new Error('no edge leaves "author"');
    await fireEvent.click(edge);
    expect(onedge).toHaveBeenCalledWith(edge.dataset.edge);
  });

  it('gives a step another name with a double click, where no step can be opened', async () => {
    const [onopen, onrename] = [vi.fn(), vi.fn()];
    const { rerender } = render(Graph, { ...props(), onrename });
    await fireEvent.dblClick(node('frame'));
    expect(onrename.mock.calls).toEqual([['frame']]);
    await fireEvent.dblClick(node('frame'), { shiftKey: true });
    await rerender({ ...props(), onrename, onopen });
    await fireEvent.dblClick(node('frame'));
    expect(onopen.mock.calls).toEqual([['frame']]);
    expect(onrename).toHaveBeenCalledOnce();
  });

  it('draws only what changed anew: elements of other steps stay the same and untouched', async () => {
    const { rerender } = render(Graph, props(13));
    const [frame, critique] = [node('frame'), node('critique')];
    const touched: Node[] = [];
    const watch = new MutationObserver((changes) => touched.push(...changes.map((change) => change.target)));
    watch.observe(screen.getByTestId('graph'), {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    await rerender({ ...props(15) });
    watch.takeRecords().forEach((change) => touched.push(change.target));
    watch.disconnect();
    expect(node('frame')).toBe(frame);
    expect(touched.some((one) => critique.contains(one))).toBe(true);
    const others = screen.getAllByTestId('graph-node').filter((one) => one !== critique);
    expect(touched.filter((one) => others.some((other) => other.contains(one)))).toEqual([]);
  });

  it('shows a workflow without a run: who does it, and the bound of its loop', () => {
    render(Graph, { drawing, faces, title: 'Shape a request' });
    expect(node('frame')).toHaveTextContent('problem-framer');
    expect(node('frame')).not.toHaveAttribute('data-status');
    expect(screen.getByTestId('loop-badge')).toHaveTextContent('↻ up to 5');
  });
});

describe('a graph on a screen', () => {
  const frame = { width: 480, height: 320 };
  /** How high the card is that is shown, px. */
  let high = 20;
  const size = (name: 'clientWidth' | 'clientHeight' | 'offsetWidth' | 'offsetHeight', of: (on: Element) => number) =>
    vi.spyOn(HTMLElement.prototype, name, 'get').mockImplementation(function (this: Element) {
      return of(this);
    });
  beforeEach(() => {
    size('clientWidth', () => frame.width);
    size('clientHeight', () => frame.height);
    size('offsetWidth', (on) => (on.matches('.card') ? 200 : 0));
    size('offsetHeight', (on) => (on.matches('.card') ? high : 0));
  });
  afterEach(() => vi.restoreAllMocks());
  const world = () => (document.querySelector('.world') as HTMLElement).style.transform;
  const shownView = () => {
    const [x = 0, y = 0, k = 1] = /translate\((.+)px, (.+)px\) scale\((.+)\)/.exec(world())!.slice(1).map(Number);
    return { x, y, k };
  };

  it('shows all of it from the start where it stands beside its text', () => {
    render(Graph, { drawing, faces, title: 'Shape a request', fitted: true });
    const { x, y, k } = fit(drawing, frame);
    expect(world()).toBe(`translate(${x}px, ${y}px) scale(${k})`);
  });

  it('keeps the bar of a gate off the buttons that find and zoom', () => {
    const tools = { x: frame.width - 12 - 120, y: frame.height - 12 - 32, width: 120, height: 32 };
    size('offsetWidth', (on) => (on.matches('.tools') ? tools.width : 0));
    size('offsetHeight', (on) => (on.matches('.tools') ? tools.height : 0));
    const high = { ...drawing, height: (drawing.width * frame.height) / frame.width };
    const [x, y] = [high.width - 80, high.height - 80];
    const bar = { node: 'critique', x1: x, y1: y, x2: x, y2: y + 50 };
    const whole = fit(high, frame);
    expect(touches(onScreen(barBox(bar), whole), tools)).toBe(true);
    render(Graph, { drawing: { ...high, bars: [bar] }, faces, title: 'Shape a request', fitted: true });
    const { x: dx, y: dy, k } = shownView();
    expect(k).toBeLessThan(whole.k);
    expect(touches(onScreen(barBox(bar), { x: dx, y: dy, k }), tools)).toBe(false);
  });

  it('keeps lines and their heads off those buttons too, and draws the heads above the steps', () => {
    const tools = { x: frame.width - 12 - 120, y: frame.height - 12 - 32, width: 120, height: 32 };
    size('offsetWidth', (on) => (on.matches('.tools') ? tools.width : 0));
    size('offsetHeight', (on) => (on.matches('.tools') ? tools.height : 0));
    const high = { ...drawing, height: (drawing.width * frame.height) / frame.width };
    const [x, y] = [high.width - 80, high.height - 60];
    const line = { ...drawing.edges[0]!, id: 'low', points: [], arrow: { x, y, angle_deg: 0 } };
    expect(touches(onScreen(headBox(line), fit(high, frame)), tools)).toBe(true);
    const { container } = render(Graph, {
      drawing: { ...high, edges: [...drawing.edges, line] },
      faces,
      title: 'Shape a request',
      fitted: true,
    });
    expect(touches(onScreen(headBox(line), shownView()), tools)).toBe(false);
    const [step, head] = [container.querySelector('[data-node]:not([data-frame])')!, container.querySelector('.head')!];
    expect(step.compareDocumentPosition(head) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  });

  it('opens at the step that was chosen, and comes to that of the run once it is another one', async () => {
    const wide = { ...drawing, width: drawing.width * 2, height: drawing.height * 2 };
    wide.nodes = drawing.nodes.map((one) => ({ ...one, x: one.x * 2, y: one.y * 2 }));
    const inSight = (i: number) => {
      const { x, y, width, height } = onScreen(wide.nodes[i]!, shownView());
      return x >= 0 && y >= 0 && x + width <= frame.width && y + height <= frame.height;
    };
    const step = (i: number) => faces[i]!.step.id;
    const last = faces.length - 1;
    const given = { drawing: wide, faces, title: 'Shape a request', overlay: runAt(undefined, WAITING) };
    const { rerender } = render(Graph, { ...given, active: step(last), selected: step(0) });
    expect([inSight(0), inSight(last)]).toEqual([true, false]);
    await rerender({ ...given, active: step(last - 1), selected: step(0) });
    expect([inSight(0), inSight(last - 1)]).toEqual([false, true]);
  });

  it('shows all of what tests cover, smaller than it is read alone, and no small map over it', () => {
    const wide = { ...drawing, width: frame.width / 0.6 };
    const given = { drawing: wide, faces, title: 'Shape a request' };
    const alone = render(Graph, given);
    expect(shownView().k).toBeGreaterThanOrEqual(READABLE);
    alone.unmount();
    render(Graph, { ...given, cover: { steps: [], edges: [] } });
    expect(shownView()).toEqual(fit(wide, frame));
    expect(screen.queryByTestId('graph-map')).toBeNull();
  });

  it('shows all of it when it comes back in other rows, though somebody had moved it', async () => {
    const onroom = vi.fn();
    const given = { drawing, faces, title: 'Shape a request', onroom };
    const { rerender } = render(Graph, given);
    await fireEvent.keyDown(screen.getByTestId('graph'), { key: 'ArrowLeft' });
    await fireEvent.keyDown(screen.getByTestId('graph'), { key: '0' });
    expect(onroom).toHaveBeenCalledOnce();
    const rows = { ...drawing, width: drawing.width / 3, height: drawing.height * 3 };
    await rerender({ ...given, drawing: rows });
    const { x, y, k } = fit(rows, frame);
    expect(world()).toBe(`translate(${x}px, ${y}px) scale(${k})`);
  });

  it.each([100, 150, 250, 1_000])(
    'of %i steps makes elements of what is in sight, a canvas of the rest',
    async (count) => {
      HTMLCanvasElement.prototype.getContext = () => null;
      const large = many(count, 0);
      render(Graph, { drawing: large.run(0).drawing, faces: large.run(0).faces, title: 'Many' });
      const graph = screen.getByTestId('graph');
      await vi.waitFor(() => expect(graph).toHaveAttribute('data-drawn', 'elements'));
      const inSight = screen.getAllByTestId('graph-node').length;
      expect(inSight).toBeLessThan(60);
      await fireEvent.keyDown(graph, { key: '0' });
      await vi.waitFor(() => expect(graph).toHaveAttribute('data-drawn', count > 120 ? 'canvas' : 'elements'));
      const whole = screen.getAllByTestId('graph-node');
      expect(whole).toHaveLength(count > 120 ? 1 : count);
      // The step that the Tab key comes to stays one that can be focused.
      expect(whole.filter((one) => one.tabIndex === 0)).toHaveLength(1);
    },
  );

  it('is where it was when a search for a step is left without choosing one', async () => {
    render(Graph, { drawing, faces, title: 'Shape a request' });
    const before = world();
    await fireEvent.click(screen.getByTestId('graph-find-open'));
    const field = screen.getByTestId('graph-find-field');
    await fireEvent.keyDown(field, { key: 'ArrowDown' });
    expect(world()).not.toBe(before);
    await fireEvent.keyDown(field, { key: 'Escape' });
    expect(world()).toBe(before);
  });

  it('makes room for the card that is shown, not for the one before it', async () => {
    const card = createRawSnippet(() => ({ render: () => '<p>why</p>' }));
    const given = { ...props(), card };
    // The card may have been made narrower first.
    const settled = async () => {
      for (let i = 0; i < 3; i++) await tick();
    };
    const [low, tall] = [drawing.edges[2]?.id, drawing.edges[3]?.id];
    high = 240;
    const fresh = render(Graph, { ...given, selectedEdge: tall });
    await settled();
    const expected = world();
    fresh.unmount();

    high = 20;
    const { rerender } = render(Graph, given);
    const before = world();
    await rerender({ ...given, selectedEdge: low });
    expect(world()).toBe(before);
    high = 240;
    await rerender({ ...given, selectedEdge: tall });
    await settled();
    expect(expected).not.toBe(before);
    expect(world()).toBe(expected);
  });

  it('comes back when the card is closed for which it made room, unless somebody has moved it', async () => {
    const card = createRawSnippet(() => ({ render: () => '<p>why</p>' }));
    const given = { ...props(), card };
    const [first, second] = [drawing.edges[3]?.id, drawing.edges[2]?.id];
    const settled = async () => {
      for (let i = 0; i < 4; i++) await tick();
    };
    high = 240;
    const { rerender } = render(Graph, given);
    const before = world();
    for (const selectedEdge of [first, second, first]) {
      await rerender({ ...given, selectedEdge });
      await settled();
    }
    const pushed = world();
    expect(pushed).not.toBe(before);
    await rerender({ ...given, selectedEdge: null });
    expect(world()).toBe(before);

    await rerender({ ...given, selectedEdge: first });
    await settled();
    expect(world()).toBe(pushed);
    await fireEvent.keyDown(screen.getByTestId('graph'), { key: 'ArrowLeft' });
    const moved = world();
    await rerender({ ...given, selectedEdge: null });
    expect(world()).toBe(moved);
  });

  it('no line looks as if it were pointed at because the picture was moved under a pointer that rests', async () => {
    const card = createRawSnippet(() => ({ render: () => '<p>why</p>' }));
    const given = { ...props(), card, onedge: vi.fn() };
    const [chosen, other] = [drawing.edges[3]?.id, drawing.edges[2]?.id];
    const settled = async () => {
      for (let i = 0; i < 4; i++) await tick();
    };
    high = 240;
    const { container, rerender } = render(Graph, given);
    const graph = screen.getByTestId('graph');
    await fireEvent.pointerMove(graph, { clientX: 30, clientY: 30 });
    await rerender({ ...given, selectedEdge: chosen });
    await settled();
    const grip = container.querySelector(`[data-line="${CSS.escape(other!)}"]`)!;
    await fireEvent.pointerEnter(grip);
    expect(grip.parentElement).not.toHaveClass('over');
    await fireEvent.pointerMove(graph, { clientX: 31, clientY: 30 });
    expect(grip.parentElement).toHaveClass('over');
  });
});

describe('what is heard of a step', () => {
  it('is how the core words its status, once', () => {
    const view = runAt(6, WAITING);
    const steps = view.steps.map((one) => (one.id === 'scope' ? { ...one, words: 'not needed' } : one));
    render(Graph, { ...props(6), overlay: { ...view, steps } });
    expect(screen.getByRole('button', { name: 'Step 6, Scope and risks, not needed' })).toBeVisible();
  });
});
