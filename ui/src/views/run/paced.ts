/**
 * Work that is asked for again and again: done at once, and then not before it has rested, however often it is asked
 * for meanwhile. So a burst costs a part of the time and never all of it, and what came last is always shown.
 */
export class Paced {
  readonly #work: () => Promise<unknown>;
  readonly #times: number;
  readonly #least: number;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #busy = false;
  #again = false;
  #stopped = false;

  /** `times`: it rests for so many times as long as it took, with showing what it brought; `least`: but so long, ms. */
  constructor(work: () => Promise<unknown>, { times, least }: { times: number; least: number }) {
    this.#work = work;
    this.#times = times;
    this.#least = least;
  }

  soon(): void {
    if (this.#stopped) return;
    if (this.#busy) this.#again = true;
    else void this.#do();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#resting);
  }

  async #do(): Promise<void> {
    this.#busy = true;
    this.#again = false;
    const before = performance.now();
    await this.#work();
    // What was brought is shown before the next task.
    await new Promise((resolve) => setTimeout(resolve));
    if (this.#stopped) return;
    const took = performance.now() - before;
    this.#resting = setTimeout(
      () => {
        this.#busy = false;
        if (this.#again) this.soon();
      },
      Math.max(this.#least, took * this.#times),
    );
  }
}
