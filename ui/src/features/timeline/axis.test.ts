import { describe, expect, it, vi } from 'vitest';
import { Axis, crowded, Measure, Space } from './axis';
import { columns } from './__fixtures__/columns';
import { Ticks } from './ticks';

const at = (...times: number[]) => Ticks.none.and(columns(times.map((time, i) => ({ seq: (i + 1) * 2, at: time }))));

const idle = (...gaps: [number, number][]) => gaps.map(([from, to]) => ({ from, to, rest: false }));

describe('ticks', () => {
  it('finds the last event at or before a number, though output events are missing', () => {
    const ticks = at(0, 10, 20);
    expect(ticks.indexOfSeq(1)).toBe(-1);
    expect(ticks.indexOfSeq(2)).toBe(0);
    expect(ticks.indexOfSeq(5)).toBe(1);
    expect(ticks.indexOfSeq(99)).toBe(2);
    expect(ticks.indexOfTime(15)).toBe(1);
  });

  it('does not turn around when a clock was set back', () => {
    expect([...at(0, 50, 20, 60).at]).toEqual([0, 50, 50, 60]);
  });

  it('grows without copying what is there, and what was there stays as it was', () => {
    const first = at(0, 10, 20);
    const told = columns([{ seq: 8, at: 15, lane: 3 }]);
    const grown = first.and(told);
    expect([[...grown.seq], [...grown.at], [...grown.lane]]).toEqual([
      [2, 4, 6, 8],
      [0, 10, 20, 20],
      [-1, -1, -1, 3],
    ]);
    expect(grown.seq.buffer).toBe(first.seq.buffer);
    expect([...first.seq]).toEqual([2, 4, 6]);
    expect(grown.and(columns([]))).toBe(grown);
    // Two that grow from the same one do not write over each other.
    const other = first.and(columns([{ seq: 9, at: 30 }]));
    expect([grown.seq[3], other.seq[3], other.lane[3]]).toEqual([8, 9, -1]);
  });
});

describe('time axis', () => {
  const hour = 3_600_000;
  const ticks = at(0, 1_000, 2_000, 2_000 + hour, 3_000 + hour);
  const axis = new Axis('time', ticks, 0, 3_000 + hour, idle([2_000, 2_000 + hour]), 1_000);

  it('folds idle stretches into a fixed width', () => {
    expect(axis.folds).toHaveLength(1);
    expect(axis.folds[0]?.ms).toBe(hour);
    expect(axis.ofTime(2_000 + hour) - axis.ofTime(2_000)).toBeCloseTo(axis.folds[0]?.width ?? 0);
    // The three seconds outside share the rest evenly.
    const second = axis.ofTime(1_000) - axis.ofTime(0);
    expect(axis.ofTime(2_000) - axis.ofTime(1_000)).toBeCloseTo(second);
    expect(axis.ofTime(3_000 + hour) - axis.ofTime(2_000 + hour)).toBeCloseTo(second);
    expect(second).toBeGreaterThan(300);
  });

  it('maps there and back', () => {
    for (const time of [0, 700, 1_999, 2_500 + hour]) expect(axis.timeAt(axis.ofTime(time))).toBeCloseTo(time, 3);
    for (let i = 0; i < ticks.length; i++) expect(axis.tickAt(axis.ofTick(i))).toBe(i);
  });

  it('finds the nearest event from anywhere', () => {
    expect(axis.tickAt(-50)).toBe(0);
    expect(axis.tickAt(9_999)).toBe(4);
    expect(axis.tickAt(axis.ofTick(1) + 20)).toBe(1);
    expect(new Axis('time', at(), 0, 1, [], 100).tickAt(50)).toBe(-1);
  });

  it('takes gaps that overlap, lie outside or are reversed', () => {
    const odd = new Axis('time', ticks, 0, 4_000, idle([3_000, 9_000], [500, 400], [2_500, 3_500], [-9, -1]), 500);
    expect(odd.folds.map((fold) => fold.ms)).toEqual([hour + 3_000 - 2_500].map((ms) => Math.min(ms, 9_000 - 2_500)));
    let before = -1;
    for (let t = 0; t <= 4_000; t += 50) {
      expect(odd.ofTime(t)).toBeGreaterThanOrEqual(before);
      before = odd.ofTime(t);
    }
  });
});

describe('event axis', () => {
  it('gives every event the same width, whatever its time', () => {
    const axis = new Axis('events', at(0, 0, 0, 5_000), 0, 5_000, [], 424);
    const width = axis.ofTick(1) - axis.ofTick(0);
    expect(width).toBeCloseTo(100);
    expect(axis.ofTick(3) - axis.ofTick(2)).toBeCloseTo(width);
    expect(new Space('events', axis.ticks, 0, 5_000).ofSeq(5, 0)).toBe(1.5);
    expect(axis.place(1.5)).toBe(axis.ofTick(1));
  });

  it('maps instants there and back, before the first event and after the last too', () => {
    const axis = new Axis('events', at(10, 20, 20, 60), 0, 100, [], 424);
    for (const time of [0, 5, 10, 15, 40, 60, 80, 100]) expect(axis.timeAt(axis.ofTime(time))).toBeCloseTo(time, 3);
    expect(axis.ofTime(20)).toBe(axis.ofTick(2));
    expect(axis.ofTime(100)).toBe(412);
    for (let i = 0; i < 4; i++) expect(axis.tickAt(axis.ofTick(i))).toBe(i);
  });

  it('is what shows a run whose steps take no time', () => {
    expect(crowded(new Axis('time', at(0, 1, 2, 3, 4, 100_000), 0, 100_000, [], 800))).toBe(true);
    expect(crowded(new Axis('time', at(0, 9_000, 20_000, 31_000, 100_000), 0, 100_000, [], 800))).toBe(false);
  });

  it('is decided once: a sheet that somebody looks at does not turn over while a run waits', () => {
    const waiting = (end: number) => new Axis('time', at(0, 100, 200, 300, 400), 0, end, [], 800);
    expect(crowded(waiting(500))).toBe(false);
    expect(crowded(waiting(900_000))).toBe(true);
    const measure = new Measure();
    expect(measure.of(waiting(500), () => false)).toBe('time');
    expect(measure.of(waiting(900_000), () => false)).toBe('time');
    // Who comes later sees at once what can be told apart, and that stays too.
    const later = new Measure();
    expect(later.of(waiting(900_000), () => false)).toBe('events');
    expect(later.of(waiting(500), () => false)).toBe('events');
    // Of three events nothing can be said yet.
    const early = new Measure();
    expect(early.of(new Axis('time', at(0, 1, 2), 0, 100_000, [], 800), () => false)).toBe('time');
    expect(early.of(waiting(900_000), () => false)).toBe('events');
  });

  it('is known after a look at some of very many events, however far one zooms in', () => {
    const many = at(...Array.from({ length: 20_000 }, (_, i) => i * 10));
    const axis = new Axis('time', many, 0, 200_000, [], 400_000);
    const looked = vi.spyOn(axis, 'tickAt');
    const placed = vi.spyOn(axis, 'ofTick');
    expect(crowded(axis)).toBe(false);
    expect(looked.mock.calls.length + placed.mock.calls.length).toBeLessThan(1_000);
  });
});
