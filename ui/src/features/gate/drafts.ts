const PREFIX = 'gatehouse.draft.';
const NAME = `${PREFIX}name`;
const WEEK_MS = 7 * 24 * 3_600_000;
/** How long a draft that nobody goes on with is kept. */
const KEPT_MS = 6 * WEEK_MS;
const key = (run: string, gate: string, round: number) => `${PREFIX}${run}/${gate}/${round}`;

interface Draft {
  text: string;
  /** When it was last written on. */
  at: number;
}

/** Comments that are being written, one per round of a gate. Kept in this window's own storage: a draft is nothing of the run. */
export const drafts = {
  read: (run: string, gate: string, round: number): string => kept(key(run, gate, round))?.text ?? '',
  keep(run: string, gate: string, round: number, text: string): void {
    const draft: Draft = { text, at: Date.now() };
    if (text.trim() === '') this.drop(run, gate, round);
    else localStorage.setItem(key(run, gate, round), JSON.stringify(draft));
  },
  /** The name that somebody has typed and not kept yet: they may look at something else first. */
  name: (): string => kept(NAME)?.text ?? '',
  keepName(text: string): void {
    if (text.trim() === '') localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify({ text, at: Date.now() } satisfies Draft));
  },
  drop: (run: string, gate: string, round: number): void => localStorage.removeItem(key(run, gate, round)),
  /** Runs end without telling each window that has a draft of theirs: what is old goes. */
  sweep(): void {
    const all = Object.keys(localStorage).filter((one) => one.startsWith(PREFIX));
    for (const one of all) if ((kept(one)?.at ?? 0) < Date.now() - KEPT_MS) localStorage.removeItem(one);
  },
};

function kept(key: string): Draft | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Draft | null;
  } catch {
    return null;
  }
}
