import { describe, expect, it } from 'vitest';
import type { BarView, Status } from '$lib/api';
import { LEAST, Pyramid, type Mark } from './pyramid';

/** A place is what stands there. */
const same = (value: number) => value;

function lane(count: number, width: number, status: (i: number) => Status = () => 'done'): Pyramid {
  const bars = Array.from({ length: count }, (_, i): BarView => ({
    start: i,
    end: i + 1,
    from_seq: i,
    to_seq: i + 1,
    status: status(i),
    label: String(i),
  }));
  const each = width / Math.max(1, count);
  const from = Float64Array.from(bars, (_, i) => i * each);
  const to = Float64Array.from(bars, (_, i) => (i + 0.8) * each);
  return new Pyramid(bars, from, to);
}

const marks = (pyramid: Pyramid, left: number, right: number, least = 1.5): Mark[] => {
  const found: Mark[] = [];
  pyramid.visit(same, left, right, least, (mark) => found.push(mark));
  return found;
};

describe('pyramid', () => {
  it('draws few bars one by one', () => {
    const found = marks(lane(7, 700), 0, 700);
    expect(found.map((mark) => mark.bar?.label)).toEqual(['0', '1', '2', '3', '4', '5', '6']);
  });

  it('costs as much as there are pixels, not bars', () => {
    for (const count of [10_000, 100_000]) {
      const found = marks(lane(count, 1_000), 0, 1_000);
      expect(found.length).toBeGreaterThan(300);
      expect(found.length).toBeLessThan(2_500);
      // Nothing is left out: the marks together stand for every bar.
      expect(found.reduce((sum, mark) => sum + mark.count, 0)).toBe(count);
    }
  });

  it('looks only into what is in sight', () => {
    const found = marks(lane(1_000, 100_000), 50_000, 50_500);
    expect(found.length).toBeGreaterThan(3);
    expect(found.length).toBeLessThan(9);
    expect(found.every((mark) => mark.bar !== null)).toBe(true);
  });

  it('lets one failure among many be seen', () => {
    const found = marks(
      lane(100_000, 1_000, (i) => (i === 61_803 ? 'failed' : 'done')),
      0,
      1_000,
    );
    const failed = found.filter((mark) => mark.status === 'failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.from).toBeLessThanOrEqual(618.03);
    expect(failed[0]?.to).toBeGreaterThanOrEqual(618.03);
  });

  it('is the same one at every zoom: only the map to places changes', () => {
    const pyramid = lane(10_000, 10_000);
    const drawn = (zoom: number) => {
      const found: Mark[] = [];
      const count = pyramid.visit(
        (value) => value * zoom,
        0,
        1_000,
        1.5,
        (mark) => found.push(mark),
      );
      return { found, count };
    };
    expect(drawn(0.01).count).toBeLessThan(200);
    expect(drawn(1).found.filter((mark) => mark.bar)).toHaveLength(1_001);
    expect(drawn(20).found.map((mark) => mark.bar?.label)).toEqual(Array.from({ length: 51 }, (_, i) => String(i)));
  });

  it('shows and finds a bar that took no time', () => {
    const bar = (at: number): BarView => ({
      start: at,
      end: at,
      from_seq: at,
      to_seq: at,
      status: 'done',
      label: String(at),
    });
    const instants = Float64Array.of(10, 10, 90);
    const pyramid = new Pyramid([bar(10), bar(10), bar(90)], instants, instants);
    expect(marks(pyramid, 91, 100).map((mark) => mark.to - mark.from)).toEqual([LEAST]);
    expect(pyramid.at(same, 91, 2)?.label).toBe('90');
    expect(pyramid.at(same, 11, 2)?.label).toBe('10');
  });

  it('finds the bar at a place', () => {
    expect(lane(10, 1_000).at(same, 350, 2)?.label).toBe('3');
    expect(lane(10, 1_000).at(same, 395, 2)).toBeNull();
    expect(lane(0, 1_000).at(same, 5, 2)).toBeNull();
  });
});
