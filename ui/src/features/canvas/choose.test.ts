import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { createRawSnippet } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { node } from './__fixtures__/found';
import { drawing, faces } from './__fixtures__/delivery';
import Graph from './__fixtures__/Framed.svelte';
import { Scene } from './scene';
import { under, within } from './under';

const props = { drawing, faces, title: 'Deliver a feature' };
const scene = new Scene(drawing, faces);
const bar = createRawSnippet(() => ({ render: () => '<b data-testid="a-bar">bar</b>' }));

describe('several steps', () => {
  it('are chosen by clicks with Shift or Ctrl; a plain click is one step', async () => {
    const [onselect, onchoose, onopen] = [vi.fn(), vi.fn(), vi.fn()];
    render(Graph, { ...props, onselect, onchoose, onopen });
    const user = userEvent.setup();
    await user.keyboard('{Shift>}');
    await user.click(node('analysis'));
    await user.keyboard('{/Shift}{Control>}');
    await user.dblClick(node('ux'));
    await user.keyboard('{/Control}');
    expect(onchoose.mock.calls).toEqual([
      [['analysis'], 'other'],
      [['ux'], 'other'],
      [['ux'], 'other'],
    ]);
    expect(onopen).not.toHaveBeenCalled();
    expect(onselect).not.toHaveBeenCalled();
    await user.click(node('ux'));
    expect(onselect).toHaveBeenCalledExactlyOnceWith('ux');
  });

  it('are one step where nobody listens', async () => {
    const onselect = vi.fn();
    render(Graph, { ...props, onselect });
    await fireEvent.click(node('ux'), { shiftKey: true });
    expect(onselect).toHaveBeenCalledExactlyOnceWith('ux');
  });

  it('are chosen by keys: Shift with an arrow key, with Space; Escape lets go', async () => {
    const onchoose = vi.fn();
    const { rerender } = render(Graph, { ...props, onchoose, selected: 'architecture', chosen: ['architecture'] });
    node('architecture').focus();
    await fireEvent.keyDown(node('architecture'), { key: 'ArrowDown', shiftKey: true });
    expect(onchoose).toHaveBeenLastCalledWith(['architecture', 'ux'], 'more');
    await vi.waitFor(() => expect(document.activeElement).toBe(node('ux')));
    await fireEvent.keyDown(node('ux'), { key: ' ', shiftKey: true });
    expect(onchoose).toHaveBeenLastCalledWith(['ux'], 'other');
    await rerender({ ...props, onchoose, selected: 'ux', chosen: ['architecture', 'ux'] });
    expect(node('architecture')).toHaveAttribute('aria-current', 'true');
    expect(node('ux')).toHaveAttribute('aria-current', 'true');
    await fireEvent.keyDown(node('ux'), { key: 'Escape' });
    expect(onchoose).toHaveBeenLastCalledWith(['ux'], 'only');
  });

  it('have their bar at the edge, also where the last one is out of sight', () => {
    render(Graph, { ...props, bar, selected: 'gone', chosen: ['ux', 'gone'] });
    expect(screen.getByTestId('a-bar')).toBeVisible();
  });

  it('go together, also from the ground that a box was drawn on', async () => {
    const ondelete = vi.fn();
    render(Graph, { ...props, onchoose: vi.fn(), ondelete, selected: 'ux', chosen: ['analysis', 'ux'] });
    await fireEvent.keyDown(screen.getByTestId('graph'), { key: 'Delete' });
    expect(ondelete).toHaveBeenCalledExactlyOnceWith({ step: 'ux' });
  });
});

describe('on a screen', () => {
  const frame = { width: 4_000, height: 4_000 };
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(frame.width);
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(frame.height);
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, frame.width, frame.height));
  });
  afterEach(() => vi.restoreAllMocks());
  const graph = () => screen.getByTestId('graph');
  const pointer = { pointerId: 1, button: 0, shiftKey: true };

  it('a box drawn with Shift chooses what it touches, and Escape gives it up', async () => {
    const [onchoose, onselect] = [vi.fn(), vi.fn()];
    render(Graph, { ...props, onchoose, onselect });
    await fireEvent.pointerDown(graph(), { ...pointer, clientX: 0, clientY: 0 });
    await fireEvent.pointerMove(graph(), { ...pointer, clientX: 3_000, clientY: 3_000 });
    expect(screen.getByTestId('graph-box')).toBeInTheDocument();
    await fireEvent.keyDown(graph(), { key: 'Escape' });
    expect(screen.queryByTestId('graph-box')).toBeNull();
    await fireEvent.pointerUp(graph(), { ...pointer, clientX: 3_000, clientY: 3_000 });
    expect(onchoose).not.toHaveBeenCalled();

    await fireEvent.pointerDown(graph(), { ...pointer, clientX: 4_000, clientY: 4_000 });
    await fireEvent.pointerMove(graph(), { ...pointer, clientX: 0, clientY: 0 });
    await fireEvent.pointerUp(graph(), { ...pointer, clientX: 0, clientY: 0 });
    expect(onchoose).toHaveBeenCalledExactlyOnceWith(
      faces.map((face) => face.step.id),
      'more',
    );
    expect(onselect).not.toHaveBeenCalled();
  });

  it('asks for a menu on a step, a line and the ground, with the mouse and by keys', async () => {
    const onmenu = vi.fn();
    render(Graph, { ...props, onmenu, onedge: vi.fn() });
    await fireEvent.contextMenu(node('ux'), { clientX: 5, clientY: 6, button: 2 });
    expect(onmenu).toHaveBeenLastCalledWith({ step: 'ux', holds: false }, { x: 5, y: 6 });
    const line = screen.getAllByTestId('graph-edge')[0]!;
    await fireEvent.contextMenu(line, { clientX: 7, clientY: 8, button: 2 });
    expect(onmenu).toHaveBeenLastCalledWith({ edge: line.dataset.edge }, { x: 7, y: 8 });
    await fireEvent.contextMenu(document.querySelector('[data-line]')!, { clientX: 7, clientY: 8, button: 2 });
    expect(onmenu.mock.lastCall?.[0]).toHaveProperty('edge');
    await fireEvent.contextMenu(graph(), { clientX: 9, clientY: 9, button: 2 });
    expect(onmenu).toHaveBeenLastCalledWith('ground', { x: 9, y: 9 });
    expect(onmenu).toHaveBeenCalledTimes(4);
    await fireEvent.keyDown(node('ux'), { key: 'F10', shiftKey: true });
    expect(onmenu.mock.lastCall?.[0]).toEqual({ step: 'ux', holds: false });
    // The web view asks for the same once more by itself.
    await fireEvent.contextMenu(node('ux'), { clientX: 0, clientY: 0 });
    expect(onmenu).toHaveBeenCalledTimes(5);
  });

  it('lights up what something would be dropped on', () => {
    const edge = drawing.edges[0]!.id;
    const { container, rerender } = render(Graph, { ...props, lit: { edge } });
    expect(container.querySelectorAll('.edge.selected')).toHaveLength(1);
    return rerender({ ...props, lit: { step: 'ux', holds: false } }).then(() => {
      expect(node('ux')).toHaveClass('may');
      expect(container.querySelectorAll('.edge.selected')).toHaveLength(0);
    });
  });
});

describe('what lies at a place', () => {
  const middleOf = (step: string) => {
    const { box } = scene.ofStep(step)!;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  it('is a step, a line near by, or the ground', () => {
    expect(under(scene, middleOf('ux'), 8)).toEqual({ step: 'ux', holds: false });
    const [a, b] = drawing.edges[0]!.points;
    expect(under(scene, { x: (a!.x + b!.x) / 2, y: (a!.y + b!.y) / 2 }, 8)).toHaveProperty('edge');
    expect(under(scene, { x: -500, y: -500 }, 8)).toBe('ground');
  });

  it('is what holds others, anywhere in its border', () => {
    const frame = { x: 0, y: 0, width: 400, height: 300 };
    const held = new Scene(
      {
        ...drawing,
        edges: [],
        nodes: [
          { id: '0', ...frame },
          { id: '1', x: 40, y: 60, width: 100, height: 40 },
        ],
        groups: [{ id: '0', title: 'Group', depth: 0, ...frame }],
      },
      [],
    );
    expect(under(held, { x: 300, y: 200 }, 8)).toEqual({ step: '0', holds: true });
    expect(under(held, { x: 60, y: 80 }, 8)).toEqual({ step: '1', holds: false });
    const view = { x: 0, y: 0, k: 1 };
    expect(within(held, { x: 30, y: 50, width: 40, height: 40 }, view)).toEqual(['1']);
    expect(within(held, { x: 0, y: 0, width: 400, height: 300 }, view)).toEqual(['0', '1']);
  });
});
