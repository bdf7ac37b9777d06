/** So long something rests at a place before the program is asked about it, ms. */
const ASK_MS = 120;

/** What the program says of where something could go that is on its way: asked once it rests there, and once for each place. */
export class Answers {
  /** Why it cannot go where it is; null: it can, or that is not known yet. */
  why = $state<string | null>(null);
  #at: string | null = null;
  /** Another one for each time that something is on its way. */
  #known: Record<string, string | null | undefined> = {};
  #asking: ReturnType<typeof setTimeout> | undefined;

  /** It is at this place now; null: at none. `ask` says why it cannot go there; null: it can. */
  at(place: null): void;
  at(place: string, ask: () => Promise<string | null>): void;
  at(place: string | null, ask?: () => Promise<string | null>): void {
    if (place === this.#at) return;
    clearTimeout(this.#asking);
    this.#at = place;
    this.why = place === null ? null : (this.#known[place] ?? null);
    if (place !== null && ask && this.#known[place] === undefined)
      this.#asking = setTimeout(() => void this.#ask(place, ask), ASK_MS);
  }

  async #ask(place: string, ask: () => Promise<string | null>): Promise<void> {
    const known = this.#known;
    const why = await ask();
    known[place] = why;
    // An answer to what was let go meanwhile says nothing of what is on its way now.
    if (known === this.#known && this.#at === place) this.why = why;
  }

  /** It is no longer on its way. What was answered holds for this time alone. */
  end(): void {
    clearTimeout(this.#asking);
    this.#at = null;
    this.#known = {};
    this.why = null;
  }
}
