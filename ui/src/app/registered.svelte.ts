/** What parts of the window have put on a list for as long as they are on screen. */
export class Registered<T> {
  list = $state.raw<readonly T[]>([]);
  /**
   * The same, and the truth of it: while an effect is torn down, state reads as it was before what is under way, so that an entry which came
   * with it would be lost.
   */
  #entries: readonly T[] = [];

  /** Returns what takes them off again. */
  add(entries: readonly T[]): () => void {
    this.#put([...this.#entries, ...entries]);
    return () => this.#put(this.#entries.filter((one) => !entries.includes(one)));
  }

  #put(entries: readonly T[]): void {
    this.#entries = entries;
    this.list = entries;
  }
}
