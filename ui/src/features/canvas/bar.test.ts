import { render, screen } from '@testing-library/svelte';
import { createRawSnippet } from 'svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FaceView } from '$lib/api';
import type { Drawing, EdgePath } from '$lib/api/drawing.gen';
import { faces as some } from './__fixtures__/delivery';
import Graph from './__fixtures__/Framed.svelte';
import { onScreen, touches, type Box, type View } from './view';

const SIZE = { width: 168, height: 64 };
const BAR = { width: 200, height: 36 };
const FRAME = { width: 900, height: 700 };

/** Steps below each other, as a picture that runs down has them. */
function column(steps: number): { drawing: Drawing; faces: FaceView[] } {
  const nodes = Array.from({ length: steps }, (_, i) => ({ id: `${i}`, x: 300, y: 24 + i * 120, ...SIZE }));
  const edges = nodes.slice(1).map((to, i): EdgePath => {
    const points = [
      { x: to.x + 84, y: to.y - 56 },
      { x: to.x + 84, y: to.y },
    ];
    const lines = { label: null, label_at: null, back: false, implied: false };
    const arrow = { x: to.x + 84, y: to.y, angle_deg: 90 };
    const number_at = { x: to.x + 95, y: to.y - 28 };
    return { id: `e${i}`, from: `${i}`, to: to.id, kind: 'flow', path: '', points, arrow, number_at, ...lines };
  });
  const size = { width: 768, height: steps * 120 };
  return {
    drawing: { ...size, direction: 'down', nodes, edges, groups: [], bars: [], forks: [], lanes: [] },
    faces: some.slice(0, steps),
  };
}

function shownBar(): Box {
  const { style } = screen.getByTestId('in-bar').parentElement!;
  return { x: parseFloat(style.left), y: parseFloat(style.top), ...BAR };
}

function shownView(): View {
  const { transform } = document.querySelector<HTMLElement>('.world')!.style;
  const [x = 0, y = 0, k = 1] = /translate\((.+)px, (.+)px\) scale\((.+)\)/.exec(transform)!.slice(1).map(Number);
  return { x, y, k };
}

beforeEach(() => {
  const size = (name: 'clientWidth' | 'clientHeight' | 'offsetWidth' | 'offsetHeight', of: (on: Element) => number) =>
    vi.spyOn(HTMLElement.prototype, name, 'get').mockImplementation(function (this: Element) {
      return of(this);
    });
  size('clientWidth', () => FRAME.width);
  size('clientHeight', () => FRAME.height);
  size('offsetWidth', (on) => (on.matches('.bar') ? BAR.width : 0));
  size('offsetHeight', (on) => (on.matches('.bar') ? BAR.height : 0));
});
afterEach(() => vi.restoreAllMocks());

it('of a chosen step covers no line that leads to it or away from it, and no step', () => {
  const { drawing, faces } = column(4);
  const bar = createRawSnippet(() => ({ render: () => '<i data-testid="in-bar"></i>' }));
  for (const [i, face] of faces.entries()) {
    const { unmount } = render(Graph, { drawing, faces, title: 'Down', selected: face.step.id, bar });
    const [at, view] = [shownBar(), shownView()];
    const lines = drawing.edges.map(({ points: [a, b] }): Box => ({ ...a!, width: 1, height: b!.y - a!.y }));
    const covered = [...lines, ...drawing.nodes].filter((one) => touches(at, onScreen(one, view)));
    expect(covered, `step ${i + 1}`).toEqual([]);
    unmount();
  }
});

it('of a chosen step leaves its handle free, from which a line is drawn', () => {
  const { drawing, faces } = column(2);
  const bar = createRawSnippet(() => ({ render: () => '<i data-testid="in-bar"></i>' }));
  // Above it there is no room, and the lower side of a picture that runs down has the handle.
  const low = { ...drawing, height: 700, nodes: drawing.nodes.slice(0, 1), edges: [] };
  render(Graph, { drawing: low, faces: faces.slice(0, 1), title: 'Down', selected: faces[0]!.step.id, bar });
  const [box, view] = [low.nodes[0]!, shownView()];
  const handle = { x: box.x + box.width / 2 - 12, y: box.y + box.height - 12, width: 24, height: 24 };
  expect(touches(shownBar(), onScreen(handle, view))).toBe(false);
});

it('of a step below a turn of the way stands beside that, where there is room', () => {
  const { drawing, faces } = column(3);
  // The way to the next row runs between the rows, and turns to the right of its step and to the left of the next one.
  const turning = (y: number) => [
    { x: 468, y },
    { x: 500, y },
    { x: 500, y: y + 60 },
    { x: 268, y: y + 60 },
    { x: 268, y: y + 120 },
    { x: 300, y: y + 120 },
  ];
  const ways = [turning(56), turning(176)];
  const rows = { ...drawing, edges: drawing.edges.map((one, i) => ({ ...one, points: ways[i]! })) };
  const bar = createRawSnippet(() => ({ render: () => '<i data-testid="in-bar"></i>' }));
  render(Graph, { drawing: rows, faces, title: 'Rows', selected: faces[1]!.step.id, bar });
  const view = shownView();
  const stretches = ways.flatMap((points) =>
    points.slice(1).map((b, i): Box => {
      const a = points[i]!;
      const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
      return { x, y, width: Math.max(1, Math.abs(a.x - b.x)), height: Math.max(1, Math.abs(a.y - b.y)) };
    }),
  );
  expect([...stretches, ...drawing.nodes].filter((one) => touches(shownBar(), onScreen(one, view)))).toEqual([]);
});
