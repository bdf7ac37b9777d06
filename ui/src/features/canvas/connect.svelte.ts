import type { Point } from '$lib/api/drawing.gen';
import { mayWait, type NotSo } from './lanes';
import type { Scene } from './scene';

/**
 * A new edge on its way: from the step that comes first to the one that follows it, or waits for it. Drawn with the pointer, or
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

  /** Ends it. The two steps' boxes, unless something is wrong with them. */
  choose(wrong: NotSo | null): { from: string; to: string } | null {
    const { from, over } = this;
    this.stop();
    return from && over && !wrong ? { from, to: over } : null;
  }

  stop(): void {
    this.from = null;
    this.over = null;
    this.at = null;
  }
}
