import { zone } from '$lib/ui/zone.svelte';

/** The days whose runs are shown; which runs those are, the backend says. */
export const WHEN = ['any', 'today', 'week', 'month', 'days'] as const;
export type When = (typeof WHEN)[number];

/** How many days before today it begins. */
const BACK = { today: 0, week: 6, month: 29 } as const;

const written = (day: Date): string => day.toISOString().slice(0, 10);

/** The day that it is now where times are shown, as midnight in UTC, where days all have their 24 hours. */
function today(now: Date): Date {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone.name,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  }).formatToParts(now);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return new Date(Date.UTC(of('year'), of('month') - 1, of('day')));
}

/** First and last day, as the backend takes them; `from` and `to` are those that were chosen. */
export function days(when: When, from: string, to: string, now = new Date()): { since?: string; until?: string } {
  if (when === 'any') return {};
  if (when === 'days') return { ...(from ? { since: from } : {}), ...(to ? { until: to } : {}) };
  const since = today(now);
  since.setUTCDate(since.getUTCDate() - BACK[when]);
  return { since: written(since) };
}
