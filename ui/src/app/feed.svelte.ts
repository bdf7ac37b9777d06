import type { Notice } from '$lib/api';
import type { Host, RawNotice } from '$lib/host';

type Kind = Notice['kind'];
export type NoticeOf<K extends Kind> = Extract<Notice, { kind: K }>;
type Listener<K extends Kind> = (notices: NoticeOf<K>[]) => void;

const HIDDEN_DELAY_MS = 100;

/**
 * Notices from the backend, handed on once per animation frame. They are hints: whoever listens asks for its snapshot
 * again. After a break in the connection, and where the backend says that notices were missed, everybody is told with
 * an empty list, because anything may have happened.
 */
class Feed {
  link = $state<'open' | 'lost'>('open');
  #listeners = new Map<Kind, Set<Listener<Kind>>>();
  #waiting: RawNotice[] = [];
  #scheduled = false;

  start(host: Host): () => void {
    return host.subscribe(
      (batch) => {
        this.#waiting.push(...batch);
        this.#schedule();
      },
      (state) => {
        const back = state === 'open' && this.link === 'lost';
        this.link = state;
        if (back) this.#tellAll();
      },
    );
  }

  on<K extends Kind>(kind: K, listener: Listener<K>): () => void {
    // eslint-disable-next-line svelte/prefer-svelte-reactivity -- listeners are not shown
    const set = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, set);
    set.add(listener as unknown as Listener<Kind>);
    return () => set.delete(listener as unknown as Listener<Kind>);
  }

  #tellAll(): void {
    for (const set of this.#listeners.values()) for (const listener of set) listener([]);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const flush = () => {
      this.#scheduled = false;
      const batch = this.#waiting as unknown as Notice[];
      this.#waiting = [];
      if (batch.some((notice) => notice.kind === 'missed')) return this.#tellAll();
      for (const [kind, set] of this.#listeners) {
        const mine = batch.filter((notice) => notice.kind === kind);
        if (mine.length > 0) for (const listener of set) listener(mine);
      }
    };
    // A hidden page gets no animation frames, but its title and its announcements still count.
    if (document.visibilityState === 'hidden') setTimeout(flush, HIDDEN_DELAY_MS);
    else requestAnimationFrame(flush);
  }
}

export const feed = new Feed();
