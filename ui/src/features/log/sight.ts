/** Rows beyond what is seen that exist all the same, so that scrolling shows no emptiness. */
const SPARE = 12;

/** Which rows of a long list of equal rows are in sight: `first` to before `end`. */
export function inSight(count: number, top: number, height: number, row: number): { first: number; end: number } {
  const first = Math.max(0, Math.min(Math.floor(top / row) - SPARE, count));
  return { first, end: Math.min(count, Math.ceil((top + height) / row) + SPARE) };
}
