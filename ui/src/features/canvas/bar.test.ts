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
    const held = screen.getByTestId('in-bar').parentElement!;
    const at = { x: parseFloat(held.style.left), y: parseFloat(held.style.top), ...BAR };
    const [, x, y, k] = /translate\((.+)px, (.+)px\) scale\((.+)\)/.exec(
      document.querySelector<HTMLElement>('.world')!.style.transform,
    )!;
    const view: View = { x: Number(x), y: Number(y), k: Number(k) };
    const lines = drawing.edges.map(({ points: [a, b] }): Box => ({ ...a!, width: 1, height: b!.y - a!.y }));
    const covered = [...lines, ...drawing.nodes].filter((one) => touches(at, onScreen(one, view)));
    expect(covered, `step ${i + 1}`).toEqual([]);
    unmount();
  }
});
