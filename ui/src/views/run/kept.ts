/** The latest values by key, at most so many of them. */
export class Kept<Key, Value> {
  readonly #most: number;
  readonly #values = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  clear(): void {
    this.#values.clear();
  }

  put(key: Key, value: Value): void {
    const oldest = this.#values.keys().next();
    if (this.#values.size >= this.#most && !oldest.done) this.#values.delete(oldest.value);
    this.#values.set(key, value);
  }
}
