import { Answers } from '$lib/answers.svelte';
import type { Point } from '$lib/api/drawing.gen';

/** What a line that is drawn from one step to another says: it follows, waits for it, or is where a rejection leads back to. */
export type Draws = 'leads' | 'waits' | 'rejects';

/**
 * A new edge on its way: from the step that comes first to the one that follows it, or waits for it. Drawn with the pointer, or
 * chosen with the keyboard; both end in `choose`. Whether there can be one the program says.
 */
export class Connecting {
  /** Box of the step that comes first; null: nothing is being connected. */
  from = $state<string | null>(null);
  /** Box under the pointer, or in focus. */
  over = $state<string | null>(null);
  /** Where the pointer is, on the drawing; null while the keyboard chooses. */
  at = $state.raw<Point | null>(null);
  /** The pointer holds the line: where the focus goes means nothing. */
  held = false;
  readonly #answers = new Answers();
  readonly #ask: (from: string, to: string) => Promise<string | null>;
  readonly #mayReturn: () => boolean;
  /** The line has been outside the step that it begins at: over that one it now leads back to it. */
  #out = false;

  /**
   * `ask`: why no edge can lead from one box to the other; null: one can.
   * `mayReturn`: whether a line from a step to itself can mean anything here.
   */
  constructor(ask: (from: string, to: string) => Promise<string | null>, mayReturn: () => boolean) {
    this.#ask = ask;
    this.#mayReturn = mayReturn;
  }

  /** Why it cannot lead to the step aimed at; null when none is, when it may, or when that is not known yet. */
  get why(): string | null {
    return this.#answers.why;
  }

  start(from: string, at: Point | null): void {
    this.stop();
    this.from = from;
    this.at = at;
    this.held = at !== null;
  }

  move(at: Point, over: string | null): void {
    this.at = at;
    if (over !== this.from) this.#out = true;
    this.#over(over, this.#out);
  }

  /** `chosen`: with a click or Enter; that the step which the line begins at has the focus means nothing. */
  aim(over: string, chosen = false): void {
    this.at = null;
    this.#over(over, chosen);
  }

  #over(over: string | null, returns: boolean): void {
    const { from } = this;
    if (from === null) return;
    const to = over === from && !(returns && this.#mayReturn()) ? null : over;
    this.over = to;
    if (to === null) this.#answers.at(null);
    else this.#answers.at(to, () => this.#ask(from, to));
  }

  /** Ends it. The two steps' boxes, unless it is known that there can be no edge between them. */
  choose(): { from: string; to: string } | null {
    const { from, over, why } = this;
    this.stop();
    return from && over && why === null ? { from, to: over } : null;
  }

  stop(): void {
    this.from = null;
    this.over = null;
    this.at = null;
    this.#out = false;
    this.#answers.end();
  }
}
