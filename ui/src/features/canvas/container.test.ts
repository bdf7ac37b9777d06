import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { FaceView, StepOverlay } from '$lib/api';
import type { Drawing, EdgePath } from '$lib/api/drawing.gen';
import { findings } from '$lib/axe';
import Framed from './__fixtures__/Framed.svelte';
import { Scene, TITLE_HEIGHT } from './scene';
import { times } from './spoken';
import { neighbour } from './walk';

const edge = (id: string, from: string, to: string, over: Partial<EdgePath> = {}): EdgePath => ({
  id,
  from,
  to,
  kind: 'branch',
  back: false,
  implied: false,
  path: 'M0 0L1 1',
  points: [
    { x: 0, y: 0 },
    { x: 1, y: 1 },
  ],
  arrow: { x: 1, y: 1, angle_deg: 0 },
  label: null,
  label_at: null,
  number_at: { x: 0, y: 0 },
  ...over,
});

/** A dynamic container with two steps in it, as the backend draws it: node 0 is the border. */
const drawing: Drawing = {
  width: 700,
  height: 200,
  direction: 'right',
  nodes: [
    { id: '0', x: 24, y: 24, width: 480, height: 140 },
    { id: '1', x: 40, y: 76, width: 168, height: 64 },
    { id: '2', x: 280, y: 76, width: 168, height: 64 },
  ],
  edges: [
    edge('1-2-0', '1', '2', { label: 'PASS', label_at: { x: 240, y: 100 }, number_at: { x: 240, y: 108 } }),
    edge('2-2-0', '2', '2', { kind: 'loop', back: true, label: 'FAIL ↻ 2', label_at: { x: 360, y: 50 } }),
  ],
  groups: [{ id: '0', title: 'Each customer', depth: 0, x: 24, y: 24, width: 480, height: 140 }],
  bars: [],
  lanes: [],
  forks: [],
};

const face = (id: string, number: string, over: Partial<FaceView> = {}): FaceView => ({
  step: { id, number, name: id === '{N}' ? 'Each customer' : `Do ${id}` },
  ordinal: 0,
  kind: 'command',
  parent: id === '{N}' ? null : '{N}',
  dynamic: false,
  jump_only: false,
  detour_from: null,
  collapsed: null,
  sub: '',
  gate: false,
  loop_max: null,
  problem: null,
  ...over,
});
const faces = [
  face('{N}', '{N}', { kind: 'group', dynamic: true, collapsed: false }),
  face('{N}.1', '{N}.1'),
  face('{N}.2', '{N}.2', { kind: 'prompt' }),
];

const step = (id: string, over: Partial<StepOverlay> = {}): StepOverlay => ({
  id,
  status: 'done',
  words: 'done',
  visits: 1,
  instances: 3,
  retry: null,
  ...over,
});
const overlay = {
  steps: [step('{N}'), step('{N}.1'), step('{N}.2', { status: 'blocked', words: 'waits for a person' })],
  edges: [
    { id: '1-2-0', taken: [1, 3], loop_badge: null },
    { id: '2-2-0', taken: [2], loop_badge: '1/2' },
  ],
};

describe('a container', () => {
  it('is a titled border: only its title is taken hold of, and says how often it was instantiated', () => {
    const scene = new Scene(drawing, faces);
    const [border, first] = scene.nodes;
    expect([border?.frame, first?.frame]).toEqual([true, false]);
    expect(scene.nodeAt(60, 100)?.step).toBe('{N}.1');
    expect(scene.nodeAt(300, 24 + TITLE_HEIGHT / 2)?.step).toBe('{N}');
    expect(scene.nodeAt(240, 150)).toBeUndefined();
    if (!border || !first) throw new Error('both are drawn');
    expect(times(border, undefined)).toBe('×N');
    expect(times(border, step('{N}'))).toBe('×3');
    expect(times(first, step('{N}.1', { instances: 0 }))).toBeNull();
    expect(neighbour(scene, '1', 'right')).toBe('2');
  });

  it('is followed by what its last step leads to, and by nothing where that stays inside', () => {
    const scene = new Scene(drawing, faces);
    expect(['0', '1', '2'].map((id) => scene.ends(id))).toEqual([true, false, true]);
    const outside = { id: '3', x: 560, y: 76, width: 100, height: 64 };
    const nodes = [...drawing.nodes, outside];
    const leading = new Scene({ ...drawing, nodes, edges: [...drawing.edges, edge('2-3-0', '2', '3')] }, faces);
    expect(['0', '1', '2', '3'].map((id) => leading.ends(id))).toEqual([false, false, false, true]);
  });

  it('is told by its name and status, folds, and keeps the words of its edges beside their numbers', async () => {
    const onfold = vi.fn();
    render(Framed, { drawing, faces, overlay, title: 'Letters', onfold, onedge: () => {} });
    const border = screen.getByRole('button', {
      name: /^Step \{N\}, Each customer, done.*repeated as often as needed/,
    });
    expect(border).toHaveAttribute('data-frame');
    expect(border).toHaveTextContent('×3');
    expect(
      screen.getByRole('button', { name: /Do \{N\}\.2, waits for a person, a person carries it out/ }),
    ).toBeVisible();
    const retry = screen.getAllByTestId('graph-edge').find((tag) => tag.dataset.edge === '2-2-0');
    expect(retry).toHaveTextContent(/FAIL\s*↻ 1\/2 back\s*2/);
    await userEvent.setup().click(screen.getByRole('button', { name: 'Show Each customer as one box' }));
    expect(onfold).toHaveBeenCalledWith('{N}');
  });

  it('keeps of long words that begin alike the ends apart, and has all of them for the pointer', async () => {
    const says = (label: string) => ({ label, label_at: { x: 240, y: 100 }, number_at: { x: 240, y: 160 } });
    const [low, high] = ['fault == ours && repair_cost <= 50', 'fault == ours && repair_cost > 50'] as const;
    const edges = [edge('1-2-0', '1', '2', says(low)), edge('2-1-0', '2', '1', says(high))];
    const onedge = vi.fn();
    render(Framed, { drawing: { ...drawing, edges }, faces, title: 'Letters', onedge });
    const labels = screen.getAllByTestId('edge-label');
    // No more than the boxes leave room for.
    expect(labels.every((one) => [...(one.textContent ?? '')].length <= 24)).toBe(true);
    expect(labels.map((one) => [one.textContent, one.title])).toEqual([
      ['fault == ours…cost <= 50', low],
      ['fault == ours…_cost > 50', high],
    ]);
    expect(labels.map((one) => one.lastElementChild?.textContent)).toEqual(['cost <= 50', '_cost > 50']);
    await userEvent.setup().click(labels[1]!);
    expect(onedge).toHaveBeenLastCalledWith('2-1-0');
  });

  it('marks what no test comes to, in words too', () => {
    render(Framed, { drawing, faces, title: 'Letters', cover: { steps: ['0', '1'], edges: ['1-2-0'] } });
    expect(screen.getByRole('button', { name: /Do \{N\}\.2.*not reached/ })).toBeVisible();
    expect(screen.getByRole('button', { name: /^Step \{N\}\.1/ })).not.toHaveAccessibleName(/no test/);
  });

  it('has no accessibility findings', async () => {
    const page = render(Framed, { drawing, faces, overlay, title: 'Letters', onfold: () => {} });
    expect(await findings(page.container)).toEqual([]);
  });
});
