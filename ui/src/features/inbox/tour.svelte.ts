/**
 * The tour that follows the first decision. It belongs to the person at this window, like the theme: nothing of a run
 * depends on it, so it is kept with the window.
 */
const KEY = 'gatehouse.tour';

/** What there is to see. */
export type Stop = 'replay' | 'report' | 'library';

class Tour {
  /** `null`: there is none; else what was seen. */
  #seen = $state.raw<readonly string[] | null>(read());

  get open() {
    return this.#seen !== null;
  }

  seen(stop: Stop) {
    return this.#seen?.includes(stop) ?? false;
  }

  begin() {
    this.#keep([]);
  }

  see(stop: Stop) {
    if (this.#seen && !this.#seen.includes(stop)) this.#keep([...this.#seen, stop]);
  }

  close() {
    this.#seen = null;
    localStorage.removeItem(KEY);
  }

  #keep(seen: readonly string[]) {
    this.#seen = seen;
    localStorage.setItem(KEY, JSON.stringify(seen));
  }
}

function read(): readonly string[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : null;
  } catch {
    return null;
  }
}

export const tour = new Tour();
