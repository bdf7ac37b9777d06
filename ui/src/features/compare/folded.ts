import type { ComparedRow } from '$lib/api';

/** A row that is not the same in both runs, or a stretch of rows that are. */
export type Piece = { row: ComparedRow; at: number } | { same: readonly ComparedRow[]; at: number };

/** The rows with those that are the same folded into stretches; `unfolded`: stretches, by their first place, that are shown row by row. */
export function folded(rows: readonly ComparedRow[], unfolded: ReadonlySet<number>, all: boolean): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < rows.length;) {
    const row = rows[at];
    if (!row) break;
    let end = at;
    while (rows[end]?.apart.length === 0) end += 1;
    if (end === at || all || unfolded.has(at)) {
      const last = Math.max(end, at + 1);
      for (const one of rows.slice(at, last)) pieces.push({ row: one, at: at++ });
    } else {
      pieces.push({ same: rows.slice(at, end), at });
      at = end;
    }
  }
  return pieces;
}
