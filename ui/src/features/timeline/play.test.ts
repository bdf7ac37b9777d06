import { describe, expect, it } from 'vitest';
import { folded, PlayClock } from './play';
import { columns } from './__fixtures__/columns';
import { Ticks } from './ticks';

const ticks = (...times: number[]) => Ticks.none.and(columns(times.map((at, i) => ({ seq: i + 1, at }))));

describe('folded time', () => {
  it('shortens what is folded and leaves the rest', () => {
    expect(folded(0, 5_000, [])).toBe(5_000);
    expect(folded(0, 7_205_000, [{ from: 2_000, to: 7_202_000, rest: false }])).toBe(6_000);
    expect(folded(0, 1_000, [{ from: 2_000, to: 9_000, rest: false }])).toBe(1_000);
  });
});

describe('play clock', () => {
  it('goes in real time', () => {
    const clock = new PlayClock(ticks(0, 2_000, 5_000), [], 0);
    expect(clock.advance(1_900, 1)).toBe(0);
    expect(clock.advance(200, 1)).toBe(1);
    expect(clock.advance(2_700, 1)).toBe(1);
    expect(clock.advance(300, 1)).toBe(2);
    expect(clock.ended).toBe(true);
  });

  it('tells how far it is on the way to the next event', () => {
    const clock = new PlayClock(ticks(0, 2_000, 5_000), [], 0);
    clock.advance(500, 1);
    expect(clock.part).toBeCloseTo(0.25);
    clock.advance(9_999, 1);
    expect(clock.part).toBe(0);
  });

  it('goes faster, and does not lose time between events', () => {
    const clock = new PlayClock(ticks(0, 2_000, 5_000), [], 0);
    expect(clock.advance(125, 16)).toBe(1);
    expect(clock.advance(188, 16)).toBe(2);
  });

  it('does not wait for hours in which nothing happened', () => {
    const hour = 3_600_000;
    const clock = new PlayClock(ticks(0, hour), [{ from: 10, to: hour - 10, rest: true }], 0);
    expect(clock.advance(900, 1)).toBe(0);
    expect(clock.advance(200, 1)).toBe(1);
  });

  it('lets events of the same millisecond be seen one by one', () => {
    const clock = new PlayClock(ticks(0, 0, 0, 1), [], 0);
    expect([clock.advance(310, 1), clock.advance(310, 1), clock.advance(310, 1)]).toEqual([1, 2, 3]);
  });

  it('ends in reasonable time however many there are', () => {
    const clock = new PlayClock(ticks(...Array.from({ length: 100_000 }, (_, i) => i / 1_000)), [], 0);
    clock.advance(61_000, 1);
    expect(clock.ended).toBe(true);
  });
});
