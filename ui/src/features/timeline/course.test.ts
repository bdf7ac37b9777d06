import { describe, expect, it } from 'vitest';
import type { TimelineLane, TimelineView } from '$lib/api';
import { columns } from './__fixtures__/columns';
import { together, type Course } from './course';

const bar = (from_seq: number, to_seq: number | null) => ({
  start: from_seq,
  end: to_seq,
  from_seq,
  to_seq,
  status: to_seq === null ? ('running' as const) : ('done' as const),
  label: '',
});
const lane = (place: number, from: number, ...bars: TimelineLane['bars']): TimelineLane => ({
  place,
  from,
  bars,
  step: null,
  name: `${place}`,
});
const view = (at: number, lanes: TimelineLane[], after?: number): TimelineView => ({
  start: 0,
  end: at,
  at,
  last: at,
  lanes,
  ticks: columns([{ seq: at, at }]),
  queued: false,
  gaps: [],
  rests: [],
  ...(after === undefined ? {} : { after }),
});
const whole = (...told: Parameters<typeof view>) => together(null, view(...told)) as Course;
const known = whole(4, [lane(0, 0, bar(1, 2), bar(3, null)), lane(1, 0, bar(1, 2))]);

describe('a timeline that grows', () => {
  it('has the bars that were told in the place of those that were otherwise', () => {
    const now = together(known, view(6, [lane(0, 1, bar(3, 5), bar(6, null))], 4));
    expect(now?.lanes[0]?.bars).toEqual([bar(1, 2), bar(3, 5), bar(6, null)]);
    expect([...(now?.ticks.seq ?? [])]).toEqual([4, 6]);
    expect([now?.at, now?.end]).toEqual([6, 6]);
  });

  it('keeps what did not change as it is', () => {
    const now = together(known, view(6, [], 4));
    expect(now?.lanes[1]).toBe(known.lanes[1]);
  });

  it('loses a bar that is no more', () => {
    expect(together(known, view(5, [lane(0, 1)], 4))?.lanes[0]?.bars).toEqual([bar(1, 2)]);
  });

  it('puts a new lane in its place', () => {
    const now = together(known, view(5, [lane(9, 0, bar(5, null)), lane(7, 0)], 4));
    expect(now?.lanes.map((one) => one.place)).toEqual([0, 1, 7, 9]);
  });

  it('is what was told where all was told, and nothing where something else was known', () => {
    const all = view(2, [lane(0, 0)]);
    expect(together(known, all)).toEqual(together(null, all));
    expect([...(together(known, all)?.ticks.seq ?? [])]).toEqual([2]);
    expect(together(known, view(6, [], 3))).toBeNull();
    expect(together(null, view(6, [], 3))).toBeNull();
  });
});
