import type { Course } from './course';
import { stretches } from './gantt';
import { PlayClock } from './play';
import type { Said } from './said.svelte';
import { Ticks } from './ticks';

export const SPEEDS = [1, 4, 16] as const;

/** A frame after a pause of the page (another tab, a sleeping machine) does not count as the whole pause. */
const LONGEST_FRAME_MS = 250;

/**
 * Where in a run one stands: at an event, or live at its end. Nothing is executed again; moving only changes which
 * event is shown. `at` is a sequence number, null while live.
 */
export class Replay {
  /** What the events say. */
  readonly said: Said;
  timeline = $state.raw<Course | null>(null);
  at = $state<number | null>(null);
  speed = $state<number>(1);
  playing = $state(false);
  /** While playing: how much of the way to the next event has passed, 0 to 1. */
  part = $state(0);
  #frame = 0;

  readonly ticks = $derived(this.timeline?.ticks ?? Ticks.none);
  readonly live = $derived(this.at === null);
  readonly count = $derived(this.ticks.length);
  /** Position of the shown event, 0-based; -1 before there is any. */
  readonly index = $derived(
    this.at === null ? this.count - 1 : Math.max(Math.min(0, this.count - 1), this.ticks.indexOfSeq(this.at)),
  );
  /** The shown event's number in the log, as log, report and address have it; 0: there is none. Those of output are not shown. */
  readonly number = $derived(this.ticks.seq[this.index] ?? 0);
  /** The number of the last event that is shown. */
  readonly last = $derived(this.ticks.seq[this.count - 1] ?? 0);
  readonly time = $derived(this.ticks.at[this.index] ?? null);
  readonly #gaps = $derived(this.timeline ? stretches(this.timeline) : []);

  constructor(said: Said) {
    this.said = said;
  }

  /** What the shown event says; empty until that is known. */
  get words(): string {
    return this.said.of(this.number);
  }

  /** To an event by its position; the last one is where live is. */
  seek(index: number): void {
    this.pause();
    this.#show(index);
  }

  step(by: number): void {
    this.seek(this.index + by);
  }

  first(): void {
    this.seek(0);
  }

  toLive(): void {
    this.pause();
    this.at = null;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** From where it stands; from the beginning when it stands at the end. */
  play(): void {
    if (this.count < 2) return;
    if (this.index >= this.count - 1) this.#show(0);
    this.playing = true;
    const clock = new PlayClock(this.ticks, this.#gaps, this.index);
    let before = performance.now();
    const frame = (now: number) => {
      if (!this.playing) return;
      const index = clock.advance(Math.min(LONGEST_FRAME_MS, now - before), this.speed);
      before = now;
      if (index !== this.index) this.#show(index);
      this.part = clock.part;
      if (clock.ended) {
        this.pause();
        return;
      }
      this.#frame = requestAnimationFrame(frame);
    };
    this.#frame = requestAnimationFrame(frame);
  }

  pause(): void {
    this.playing = false;
    this.part = 0;
    cancelAnimationFrame(this.#frame);
  }

  #show(index: number): void {
    if (this.count === 0) return;
    const to = Math.min(this.count - 1, Math.max(0, index));
    this.at = to === this.count - 1 ? null : (this.ticks.seq[to] ?? null);
  }
}
