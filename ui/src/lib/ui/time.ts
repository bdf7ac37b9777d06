import { locale } from './say';
import { zone } from './zone.svelte';

/** Instants come as RFC 3339 text or as milliseconds since 1970. */
export type Instant = string | number;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function millis(at: Instant): number {
  return typeof at === 'number' ? at : Date.parse(at);
}

/** "5 minutes ago", "2 hours ago": the largest unit that fits, in the locale's words. */
export function relative(at: Instant, now: number): string {
  // What is told so has happened: the clock was put back since, or is another machine's.
  const span = Math.min(millis(at) - now, 0);
  const size = Math.abs(span);
  const words = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  if (size < 45 * SECOND) return words.format(0, 'second');
  if (size < HOUR) return words.format(Math.round(span / MINUTE), 'minute');
  if (size < DAY) return words.format(Math.round(span / HOUR), 'hour');
  if (size < 30 * DAY) return words.format(Math.round(span / DAY), 'day');
  return localDate(at);
}

/** As the reader's language writes it, in the zone that times are shown in. */
function written(at: Instant, how: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale(), { ...how, timeZone: zone.name }).format(millis(at));
}

/** Date and time with the zone: nobody has to ask whose clock it is. */
export function localTime(at: Instant): string {
  return written(at, { dateStyle: 'medium', timeStyle: 'long' });
}

export function localDate(at: Instant): string {
  return written(at, { dateStyle: 'medium' });
}

/** The day with its name, for a heading. */
export function localDay(at: Instant): string {
  return written(at, { dateStyle: 'full' });
}

/** The time of day alone, for rows that share a day. */
export function localClock(at: Instant): string {
  return written(at, { timeStyle: 'medium' });
}

/** A moment that may be near: "Tue 14:00" of today, "Wed 2 Dec, 14:00" of any other day, with its year where that is another one. */
export function localMoment(at: Instant, now: number): string {
  const clock = { weekday: 'short', hour: '2-digit', minute: '2-digit' } as const;
  if (localDate(at) === localDate(now)) return written(at, clock);
  const year = (when: Instant) => written(when, { year: 'numeric' });
  return written(at, {
    ...clock,
    day: 'numeric',
    month: 'short',
    ...(year(at) === year(now) ? {} : { year: 'numeric' }),
  });
}

/** The same instant in UTC, unambiguous everywhere: shown on hover. */
export function utcTime(at: Instant): string {
  return `${new Date(millis(at))
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;
}

/** A length of time in at most two units, as the core writes it too: "340 ms", "12 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–';
  if (ms < SECOND) return `${Math.floor(ms)} ms`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return two(ms, MINUTE, 'min', SECOND, 's');
  if (ms < DAY) return two(ms, HOUR, 'h', MINUTE, 'min');
  return two(ms, DAY, 'd', HOUR, 'h');
}

function two(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const whole = Math.floor(ms / big);
  const rest = Math.floor((ms % big) / small);
  return rest === 0 ? `${whole} ${bigName}` : `${whole} ${bigName} ${rest} ${smallName}`;
}

/** "1.9 kB": decimal units, as file managers show them. */
export function bytes(count: number): string {
  const names = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  let size = count;
  let step = 0;
  while (size >= 1000 && step < names.length - 1) {
    size /= 1000;
    step += 1;
  }
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: names[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: size < 10 && step > 0 ? 1 : 0,
  }).format(size);
}
