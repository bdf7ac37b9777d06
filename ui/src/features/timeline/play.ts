import type { Stretch } from '$lib/ui/folded';
import type { Ticks } from './ticks';

/** How long a folded stretch lasts in a replay. */
const FOLD_MS = 1_000;
/** An event is shown at least this long at 1×, unless there are so many that a replay would never end. */
const DWELL_MS = 300;
const LONGEST_DWELLING_MS = 60_000;

type Gaps = readonly Stretch[];

/** Time between two instants with the folded stretches shortened. */
export function folded(from: number, to: number, gaps: Gaps): number {
  let length = to - from;
  for (const gap of gaps) {
    const hidden = Math.min(to, gap.to) - Math.max(from, gap.from);
    if (hidden > FOLD_MS) length -= hidden - FOLD_MS;
  }
  return Math.max(0, length);
}

/** Moves from event to event in real time times the speed. Fed with the time that passed, it knows no clock of its own. */
export class PlayClock {
  readonly #ticks: Ticks;
  readonly #gaps: Gaps;
  readonly #dwell: number;
  #index: number;
  #credit = 0;

  constructor(ticks: Ticks, gaps: Gaps, index: number) {
    this.#ticks = ticks;
    this.#gaps = gaps;
    this.#index = index;
    this.#dwell = Math.min(DWELL_MS, LONGEST_DWELLING_MS / Math.max(1, ticks.length));
  }

  get ended(): boolean {
    return this.#index >= this.#ticks.length - 1;
  }

  /** The event to be shown `ms` later at `speed`. */
  advance(ms: number, speed: number): number {
    this.#credit += ms * speed;
    while (!this.ended) {
      const wait = this.#wait();
      if (this.#credit < wait) break;
      this.#credit -= wait;
      this.#index += 1;
    }
    return this.#index;
  }

  /** How much of the way to the next event has passed: 0 to 1. */
  get part(): number {
    return this.ended ? 0 : Math.min(1, this.#credit / Math.max(1, this.#wait()));
  }

  #wait(): number {
    if (this.#index < 0) return 0;
    const from = this.#ticks.at[this.#index] ?? 0;
    const to = this.#ticks.at[this.#index + 1] ?? from;
    return Math.max(this.#dwell, folded(from, to, this.#gaps));
  }
}
