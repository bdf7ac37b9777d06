/** The days whose runs are shown; which runs those are, the backend says. */
export const WHEN = ['any', 'today', 'week', 'month', 'days'] as const;
export type When = (typeof WHEN)[number];

/** How many days before today it begins. */
const BACK = { today: 0, week: 6, month: 29 } as const;

const written = (day: Date): string =>
  [day.getFullYear(), day.getMonth() + 1, day.getDate()].map((part) => String(part).padStart(2, '0')).join('-');

/** First and last day, as the backend takes them; `from` and `to` are those that were chosen. */
export function days(when: When, from: string, to: string, now = new Date()): { since?: string; until?: string } {
  if (when === 'any') return {};
  if (when === 'days') return { ...(from ? { since: from } : {}), ...(to ? { until: to } : {}) };
  return { since: written(new Date(now.getFullYear(), now.getMonth(), now.getDate() - BACK[when])) };
}
