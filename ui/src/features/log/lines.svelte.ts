import type { LogLine } from '$lib/api';
import { numbered } from '$lib/ui/steps';

/** In place of a step: what no step has written. */
export const NO_STEP = '\u0000';

/** Some of the lines: how many, and those from one place to before another. */
export interface Part {
  readonly length: number;
  slice(first?: number, end?: number): readonly LogLine[];
}

/** The lines of a run's log. It only grows, by a line or two at each notice: what comes touches nothing that is there. */
export class Lines {
  readonly #all: LogLine[] = [];
  // eslint-disable-next-line svelte/prefer-svelte-reactivity -- `#count` tells readers; a line each would cost what is saved
  readonly #ofStep = new Map<string, LogLine[]>();
  /** What tells readers that there are more. */
  #count = $state(0);
  /** The steps that have lines, in the order of their first one: id and what a person reads. */
  steps = $state.raw<readonly (readonly [id: string, name: string])[]>([]);

  /** Puts lines behind those that are there; they come in the order of their events. */
  append(lines: readonly LogLine[]): void {
    const fresh: (readonly [string, string])[] = [];
    for (const line of lines) {
      this.#all.push(line);
      const own = line.step?.id ?? NO_STEP;
      const others = this.#ofStep.get(own);
      if (others) others.push(line);
      else {
        this.#ofStep.set(own, [line]);
        if (line.step) fresh.push([own, numbered(line.step)]);
      }
    }
    if (fresh.length > 0) this.steps = [...this.steps, ...fresh];
    this.#count = this.#all.length;
  }

  /** All of them, or those of one step (of none: `NO_STEP`); `upTo`: only what had been written at this event. */
  of(step: string | null, upTo: number | null): Part {
    void this.#count;
    const found = step === null ? this.#all : (this.#ofStep.get(step) ?? []);
    const length = upTo === null ? found.length : until(found, upTo);
    return { length, slice: (first = 0, end = length) => found.slice(first, Math.min(end, length)) };
  }
}

/** How many of these had been written at an event. */
function until(lines: readonly LogLine[], seq: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.seq ?? Infinity) <= seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
