/** What there is to see. */
export type Stop = 'replay' | 'report' | 'library';

interface Kept {
  /** The run it began with: what it shows is that run's, and where that run is not there is no tour. */
  run: string;
  seen: readonly Stop[];
}

/**
 * The tour that follows the first decision. It belongs to the person at this window, like the theme: nothing of a run
 * depends on it, so it is kept with the window.
 */
const KEY = 'gatehouse.tour';

class Tour {
  #kept = $state.raw<Kept | null>(read());

  /** Whose tour it is; `null`: there is none. */
  get run(): string | null {
    return this.#kept?.run ?? null;
  }

  seen(stop: Stop) {
    return this.#kept?.seen.includes(stop) ?? false;
  }

  begin(run: string) {
    this.#keep({ run, seen: [] });
  }

  see(stop: Stop) {
    if (this.#kept && !this.seen(stop)) this.#keep({ ...this.#kept, seen: [...this.#kept.seen, stop] });
  }

  close() {
    this.#kept = null;
    localStorage.removeItem(KEY);
  }

  #keep(kept: Kept) {
    this.#kept = kept;
    localStorage.setItem(KEY, JSON.stringify(kept));
  }
}

function read(): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<Kept> | null;
    return kept?.run && Array.isArray(kept.seen) ? { run: kept.run, seen: kept.seen } : null;
  } catch {
    return null;
  }
}

export const tour = new Tour();
