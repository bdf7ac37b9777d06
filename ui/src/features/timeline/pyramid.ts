import type { BarView, Status } from '$lib/api';

/** What a mark of several bars is coloured as: the one of them that matters most. */
const WEIGHT: Record<Status, number> = {
  refused: 12,
  failed: 11,
  stopped: 10,
  partly: 9,
  blocked: 8,
  running: 7,
  waiting: 6,
  queued: 5,
  paused: 4,
  left_open: 4,
  aborted: 3,
  done: 2,
  skipped: 1,
  imported: 0,
  not_started: 0,
};

/** One bar, or many that are too close to be told apart. */
export interface Mark {
  readonly from: number;
  readonly to: number;
  readonly status: Status;
  /** The bar itself, if it is one. */
  readonly bar: BarView | null;
  readonly count: number;
}

/** A bar that took no time can still be seen, and be pointed at, px. */
export const LEAST = 4;

/**
 * Bars of a lane in levels: each level joins pairs of the one below. What is drawn is found from the top: a mark
 * narrower than a bar is drawn anyway is not looked into, so the work depends on the pixels, not on the number of bars.
 * Places are found while drawing, so that zooming builds nothing anew.
 */
export class Pyramid {
  readonly #bars: readonly BarView[];
  readonly #levels: Level[];

  /** `from` and `to` of bar `i` stand in the axis' space, ascending by `from`. */
  constructor(bars: readonly BarView[], from: Float64Array, to: Float64Array) {
    this.#bars = bars;
    const ground: Level = { from, to, status: bars.map((bar) => bar.status) };
    this.#levels = [ground];
    for (let below = ground; below.from.length > 1;) {
      const count = Math.ceil(below.from.length / 2);
      const level: Level = {
        from: new Float64Array(count),
        to: new Float64Array(count),
        status: new Array<Status>(count),
      };
      for (let i = 0; i < count; i++) {
        const [left, right] = [2 * i, Math.min(2 * i + 1, below.from.length - 1)];
        level.from[i] = Math.min(below.from[left] ?? 0, below.from[right] ?? 0);
        level.to[i] = Math.max(below.to[left] ?? 0, below.to[right] ?? 0);
        level.status[i] = heavier(below.status[left] ?? 'not_started', below.status[right] ?? 'not_started');
      }
      this.#levels.push(level);
      below = level;
    }
  }

  get levels(): number {
    return this.#levels.length;
  }

  /**
   * Calls `draw` for what lies between two places, `place` being the map to them; nothing narrower than `least` is
   * looked into. Returns how many marks.
   */
  visit(
    place: (value: number) => number,
    left: number,
    right: number,
    least: number,
    draw: (mark: Mark) => void,
  ): number {
    let drawn = 0;
    const look = (level: number, index: number): void => {
      const here = this.#levels[level];
      if (!here || index >= here.from.length) return;
      const from = place(here.from[index] ?? 0);
      const end = place(here.to[index] ?? 0);
      const to = Math.max(end, from + LEAST);
      if (from > right) return;
      // The last bar of a mark may reach further, so as to be seen.
      if (to + (level > 0 ? LEAST : 0) < left) return;
      if (level > 0 && end - from > least) {
        look(level - 1, 2 * index);
        look(level - 1, 2 * index + 1);
        return;
      }
      drawn += 1;
      const first = index << level;
      const last = Math.min(((index + 1) << level) - 1, this.#bars.length - 1);
      draw({
        from,
        to,
        status: here.status[index] ?? 'not_started',
        bar: level === 0 ? (this.#bars[index] ?? null) : null,
        count: last - first + 1,
      });
    };
    if (this.#bars.length > 0) look(this.#levels.length - 1, 0);
    return drawn;
  }

  /** The bar at a place, within `reach`. */
  at(place: (value: number) => number, x: number, reach: number): BarView | null {
    let found: BarView | null = null;
    this.visit(place, x - reach, x + reach, -1, (mark) => (found = mark.bar ?? found));
    return found;
  }
}

interface Level {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly status: Status[];
}

function heavier(a: Status, b: Status): Status {
  return WEIGHT[a] >= WEIGHT[b] ? a : b;
}
