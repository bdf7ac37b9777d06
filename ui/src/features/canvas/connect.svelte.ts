import type { Point } from '$lib/api/drawing.gen';
import type { Scene } from './scene';

/** Why one step cannot be made to wait for another. */
export type NotSo = 'itself' | 'already' | 'circle';

/** Whether the box `to` may wait for the box `from`: null when it may. */
export function mayWait(scene: Scene, from: string, to: string): NotSo | null {
  if (from === to) return 'itself';
  const waits = (id: string) => scene.leaving(id).filter((edge) => edge.kind === 'depends');
  if (waits(from).some((edge) => edge.to === to)) return 'already';
  // Whatever waits for `to`, however far away.
  const seen = new Set([to]);
  const open = [to];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const edge of waits(id)) {
      if (edge.to === from) return 'circle';
      if (seen.has(edge.to)) continue;
      seen.add(edge.to);
      open.push(edge.to);
    }
  }
  return null;
}

/**
 * A new dependency on its way: from the step that comes first to the one that shall wait for it. Drawn with the pointer, or
 * chosen with the keyboard; both end in `choose`.
 */
export class Connecting {
  /** Box of the step that comes first; null: nothing is being connected. */
  from = $state<string | null>(null);
  /** Box under the pointer, or in focus. */
  over = $state<string | null>(null);
  /** Where the pointer is, on the drawing; null while the keyboard chooses. */
  at = $state.raw<Point | null>(null);

  start(from: string, at: Point | null): void {
    this.from = from;
    this.over = null;
    this.at = at;
  }

  move(at: Point, over: string | null): void {
    this.at = at;
    this.over = over === this.from ? null : over;
  }

  aim(over: string): void {
    if (this.from) this.over = over === this.from ? null : over;
  }

  /** Whether the step aimed at may wait; null when none is, or when it may. */
  verdict(scene: Scene): NotSo | null {
    return this.from && this.over ? mayWait(scene, this.from, this.over) : null;
  }

  /** Ends it. The two steps' boxes when the one may wait for the other. */
  choose(scene: Scene): { from: string; to: string } | null {
    const { from, over } = this;
    const wrong = this.verdict(scene);
    this.stop();
    return from && over && !wrong ? { from, to: over } : null;
  }

  stop(): void {
    this.from = null;
    this.over = null;
    this.at = null;
  }
}
