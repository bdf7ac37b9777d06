const HOUR_MS = 3_600_000;

/** How long a decision has waited, in the three tints the list uses. */
export function age(since: number, now: number): 'fresh' | 'hours' | 'days' {
  const waited = now - since;
  if (waited < HOUR_MS) return 'fresh';
  return waited < 24 * HOUR_MS ? 'hours' : 'days';
}
