import { SvelteMap } from 'svelte/reactivity';
import type { LogView } from '$lib/api';

/** So many events are asked for together: whoever looks at one looks at the next. */
const TOGETHER = 32;
/** So many of these pieces are kept, the ones that were asked for last. */
const KEPT = 64;

/** Events of which it is known what they say. */
interface Piece {
  /** Up to this one; those of a run that goes on come later. */
  readonly last: number;
  readonly words: ReadonlyMap<number, string>;
}

/** What the events of a run say: asked for where somebody looks, for there are many and few are read. */
export class Said {
  readonly #ask: (after: number, until: number) => Promise<LogView>;
  readonly #pieces = new SvelteMap<number, Piece>();
  /** The event that somebody looked at last and that is not known. */
  #wanted: number | null = null;
  #asking = false;

  /** `ask`: for the log of the events behind `after`, up to `until`. */
  constructor(ask: (after: number, until: number) => Promise<LogView>) {
    this.#ask = ask;
  }

  /** What an event says, by its sequence number; empty until it has been asked for. */
  of(seq: number): string {
    if (seq < 1) return '';
    const known = this.#pieces.get(placeOf(seq));
    if (!known || known.last < seq) this.#want(seq);
    return known?.words.get(seq) ?? '';
  }

  #want(seq: number): void {
    this.#wanted = seq;
    if (this.#asking) return;
    this.#asking = true;
    // Whoever reads is in the middle of drawing.
    queueMicrotask(() => void this.#work());
  }

  /** One question at a time, and the latest next: whoever drags the playhead passes many. */
  async #work(): Promise<void> {
    try {
      while (this.#wanted !== null) {
        const seq = this.#wanted;
        this.#wanted = null;
        const place = placeOf(seq);
        const { lines } = await this.#ask(place * TOGETHER, (place + 1) * TOGETHER);
        const events = lines.filter((line) => line.stream === 'event');
        // eslint-disable-next-line svelte/prefer-svelte-reactivity -- made whole and never changed
        const words = new Map(events.map((line) => [line.seq, line.text]));
        this.#pieces.delete(place);
        const oldest = this.#pieces.keys().next();
        if (this.#pieces.size >= KEPT && !oldest.done) this.#pieces.delete(oldest.value);
        this.#pieces.set(place, { last: Math.max(seq, events.at(-1)?.seq ?? 0), words });
      }
    } catch {
      // Whatever is wrong with the run, the page that shows it says so; here it is asked for again at the next look.
    } finally {
      this.#asking = false;
    }
  }
}

function placeOf(seq: number): number {
  return Math.floor((seq - 1) / TOGETHER);
}
