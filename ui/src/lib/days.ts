import { zone } from '$lib/ui/zone.svelte';

/** The days whose runs are shown; which runs those are, the backend says. */
export const WHEN = ['any', 'today', 'week', 'month', 'days'] as const;
export type When = (typeof WHEN)[number];

/** How many days before today it begins. */
const BACK = { today: 0, week: 6, month: 29 } as const;

/** First and last day, as the backend takes them; `from` and `to` are those that were chosen. */
export function days(when: When, from: string, to: string, now = new Date()): { since?: string; until?: string } {
  if (when === 'any') return {};
  if (when === 'days') return { ...(from ? { since: from } : {}), ...(to ? { until: to } : {}) };
  // The clock there as one of UTC, where days all have their 24 hours.
  const since = new Date(now.getTime() + zone.ahead(now.getTime()));
  since.setUTCDate(since.getUTCDate() - BACK[when]);
  return { since: since.toISOString().slice(0, 10) };
}
