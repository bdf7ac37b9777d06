const PREFIX = 'gatehouse.draft.';
const key = (run: string, gate: string, round: number) => `${PREFIX}${run}/${gate}/${round}`;

/** Comments that are being written, one per round of a gate. Kept in this window's own storage: a draft is nothing of the run. */
export const drafts = {
  read: (run: string, gate: string, round: number): string => localStorage.getItem(key(run, gate, round)) ?? '',
  keep(run: string, gate: string, round: number, text: string): void {
    if (text.trim() === '') this.drop(run, gate, round);
    else localStorage.setItem(key(run, gate, round), text);
  },
  drop: (run: string, gate: string, round: number): void => localStorage.removeItem(key(run, gate, round)),
};
