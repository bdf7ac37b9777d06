const STEP_MS = 10_000;

/** One clock for all relative times of the page, so that a hundred of them cost one timer. */
class Clock {
  now = $state(Date.now());
  #timer: ReturnType<typeof setInterval> | undefined;
  #users = 0;

  /** Keeps the clock going for as long as the caller is on screen; returns the release. */
  use(): () => void {
    this.#users += 1;
    this.now = Date.now();
    this.#timer ??= setInterval(() => (this.now = Date.now()), STEP_MS);
    return () => {
      this.#users -= 1;
      if (this.#users === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    };
  }
}

export const clock = new Clock();
