import type { Scene, SceneNode } from './scene';
import { middle } from './view';

export type Way = 'left' | 'right' | 'up' | 'down';

const AHEAD: Record<Way, readonly [number, number]> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/**
 * The step an arrow key leads to: first along an edge that goes that way on the screen, then along the flow
 * (forward or back) whatever its direction, then whatever step lies there.
 */
export function neighbour(scene: Scene, from: string, way: Way): string | null {
  const here = scene.node(from);
  if (!here) return null;
  const joined = [
    ...scene.leaving(from).map((edge) => edge.to),
    ...scene.arriving(from).map((edge) => edge.from),
  ].filter((id) => id !== from);
  const along = nearest(
    here,
    [...new Set(joined)].flatMap((id) => scene.node(id) ?? []),
    way,
    1.2,
  );
  if (along) return along;
  const flow = scene.drawing.direction === 'right' ? { on: 'right', back: 'left' } : { on: 'down', back: 'up' };
  if (way === flow.on) {
    const next = scene.leaving(from).find((edge) => !edge.back && edge.to !== from);
    if (next) return next.to;
  }
  if (way === flow.back) {
    const before = scene.arriving(from).find((edge) => !edge.back && edge.from !== from);
    if (before) return before.from;
  }
  return nearest(here, scene.nodes, way, 2.5);
}

/** The nearest step that lies that way; `spread` is how far aside it may lie, per distance ahead. */
function nearest(here: SceneNode, among: readonly SceneNode[], way: Way, spread: number): string | null {
  const [dx, dy] = AHEAD[way];
  const from = middle(here.grip);
  let best: string | null = null;
  let least = Infinity;
  for (const node of among) {
    if (node === here) continue;
    const to = middle(node.grip);
    const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
    const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
    if (ahead <= 0 || aside > ahead * spread) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) {
      least = cost;
      best = node.box.id;
    }
  }
  return best;
}
