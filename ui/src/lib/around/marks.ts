/** Pixels from a mark to the next: a screen, and what is left of it beside the answers, holds several. */
const APART = 120;
/** So many at most: in a text of more than half a million pixels they stand further apart. */
const MOST = 4_000;

/** How many marks stand down something of that height, from its top to its end: nobody scrolls past one unseen. */
export function marksOf(height: number): number {
  return Math.min(MOST, Math.max(2, Math.ceil(height / APART) + 1));
}

/** Which of `n` marks were on the screen, where it is known of others (it is larger now, or lower): those between two that were. */
export function carried(were: readonly boolean[], n: number): boolean[] {
  const last = were.length - 1;
  return Array.from({ length: n }, (_, i) => {
    const at = (i / (n - 1)) * last;
    return (were[Math.floor(at)] ?? false) && (were[Math.ceil(at)] ?? false);
  });
}
