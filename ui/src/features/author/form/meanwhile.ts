import { say } from '$lib/ui/say';
import { words } from '../words';

const w = words.form;

/** What stands in a field, in words, and the entry that the field is a part of; empty: it is part of none. */
interface Standing {
  written: string;
  of: string;
}

/**
 * Remembers what stood in a field when somebody began to fill it in, so that what comes from elsewhere meanwhile is not written over before
 * they have seen it.
 */
export class Meanwhile {
  #begun: Standing | null = null;

  /** Somebody is filling it in, or does not any more. */
  follow(filling: boolean, now: Standing): void {
    this.#begun = filling ? (this.#begun ?? now) : null;
  }

  /** What came since, in words; null: nothing did, or it is their `own`. It is said once: whoever writes then writes over it. */
  came(now: Standing, own: boolean): string | null {
    const begun = this.#begun;
    if (begun === null || own || (begun.written === now.written && begun.of === now.of)) return null;
    this.#begun = now;
    if (begun.of !== now.of) return say(w.meanwhileOther, { name: now.of });
    return now.written === '' ? w.meanwhileGone : say(w.meanwhile, { now: now.written });
  }
}
