import { asApiError, type ApiError } from './errors';

/**
 * What the backend last said, and how to ask again. Asking while an answer is on its way leads to exactly one more
 * question after it, so a burst of notices costs two calls, and what is shown is never older than the last notice.
 */
export class Snapshot<T> {
  value = $state.raw<T | null>(null);
  error = $state.raw<ApiError | null>(null);
  loading = $state(false);
  #fetch: () => Promise<T>;
  #taken: (now: T, before: T | null) => void;
  #running: Promise<void> | null = null;
  #again = false;
  #epoch = 0;

  /** `taken` is told of what is held from now on, just before it is shown. */
  constructor(fetch: () => Promise<T>, taken: (now: T, before: T | null) => void = () => {}) {
    this.#fetch = fetch;
    this.#taken = taken;
  }

  /** Asks now; resolves when what is held is at least as new as this call. */
  refresh(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#work();
    return this.#running;
  }

  /**
   * Takes a value that came by another way (the answer of a command). A question on its way is not allowed to undo it; it may be about
   * something newer all the same, so it is asked once more.
   */
  put(value: T): void {
    this.#epoch += 1;
    this.#again ||= this.#running !== null;
    this.#hold(value);
  }

  #hold(value: T): void {
    this.#taken(value, this.value);
    this.value = value;
    this.error = null;
  }

  async #work(): Promise<void> {
    this.loading = true;
    do {
      this.#again = false;
      const epoch = this.#epoch;
      try {
        const value = await this.#fetch();
        if (epoch === this.#epoch) this.#hold(value);
      } catch (thrown) {
        if (epoch === this.#epoch) this.error = asApiError(thrown);
      }
    } while (this.#again);
    this.loading = false;
    this.#running = null;
  }
}
