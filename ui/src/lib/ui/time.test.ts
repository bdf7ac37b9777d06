import { afterEach, describe, expect, it } from 'vitest';
import { bytes, duration, localClock, localDay, localMoment, localTime, relative, utcTime } from './time';
import { zone } from './zone.svelte';

const NOW = Date.parse('2026-03-10T12:00:00Z');

describe('relative', () => {
  it.each([
    ['2026-03-10T11:59:50Z', 'now'],
    ['2026-03-10T11:40:00Z', '20 minutes ago'],
    ['2026-03-10T10:00:00Z', '2 hours ago'],
    ['2026-03-09T10:00:00Z', 'yesterday'],
    // The clock was put back since it happened.
    ['2026-03-10T12:40:00Z', 'now'],
  ])('%s is %s', (at, words) => expect(relative(at, NOW)).toBe(words));
});

describe('duration', () => {
  it.each([
    [340, '340 ms'],
    [1500, '1 s'],
    [48_000, '48 s'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [-1, '–'],
  ])('%i ms reads %s', (ms, words) => expect(duration(ms)).toBe(words));
});

it('writes UTC so that nobody can misread it', () => {
  expect(utcTime('2026-03-10T13:00:00+01:00')).toBe('2026-03-10 12:00:00 UTC');
});

it('writes sizes like a file manager', () => {
  expect(bytes(1900)).toBe('1.9 kB');
  expect(bytes(1)).toBe('1 byte');
});

describe('one clock', () => {
  afterEach(() => zone.set(undefined));
  const at = '2026-11-30T23:39:42Z';

  it('is that of the project, which is named where the whole time stands', () => {
    zone.set('Europe/Zurich');
    expect(localClock(at)).toMatch(/^(00|12):39:42/);
    expect(localDay(at)).toContain('Tuesday');
    expect(localTime(at)).toMatch(/:39:42.*(CET|GMT\+1)$/);
    // 2026-12-01 is a Tuesday there. A weekday alone is today, and no other one.
    const moment = (hours: number) => localMoment(at, Date.parse(at) + hours * 3_600_000);
    expect(moment(20)).toMatch(/^Tue\D+(00|12):39/);
    expect(moment(-1)).toMatch(/^Tue.*(1 Dec|Dec 1).*(00|12):39/);
    expect(moment(30)).toMatch(/^Tue.*(1 Dec|Dec 1)/);
    expect(moment(-1)).not.toMatch(/2026/);
    expect(moment(40 * 24)).toMatch(/2026/);
    zone.set('Asia/Tokyo');
    expect(localTime(at)).toMatch(/8:39:42.*GMT\+9$/);
  });

  it('is that of whoever looks where the project has none, or one that the browser does not know', () => {
    const own = localTime(at);
    zone.set('Middle/Earth');
    expect(localTime(at)).toBe(own);
  });
});
