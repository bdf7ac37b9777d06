import type { Point } from '$lib/api/drawing.gen';
import type { Scene } from './scene';
import { covers, touches, type Box, type View } from './view';

/** What lies at a place of the picture. `holds`: the step is shown as one that holds others. */
export type Under = { step: string; holds: boolean } | { edge: string } | 'ground';

/** `at` and `reach` are those of the drawing. A step comes before a line, and a line before what it runs through. */
export function under(scene: Scene, at: Point, reach: number): Under {
  const node = scene.nodeAt(at.x, at.y);
  if (node) return { step: node.step, holds: node.frame || node.face?.kind === 'group' };
  const edge = scene.edgeAt(at.x, at.y, reach);
  if (edge) return { edge: edge.id };
  // The innermost border around it comes last.
  const frame = scene.nodes.findLast(
    ({ frame, box }) =>
      frame && at.x >= box.x && at.x <= box.x + box.width && at.y >= box.y && at.y <= box.y + box.height,
  );
  return frame ? { step: frame.step, holds: true } : 'ground';
}

/** The steps that a box on the screen takes in: those it touches; what holds others only as a whole. */
export function within(scene: Scene, box: Box, view: View): string[] {
  const part: Box = {
    x: (box.x - view.x) / view.k,
    y: (box.y - view.y) / view.k,
    width: box.width / view.k,
    height: box.height / view.k,
  };
  const taken = scene.nodes.filter((node) => (node.frame ? covers(part, node.box) : touches(part, node.box)));
  return [...new Set(taken.map((node) => node.step))];
}
