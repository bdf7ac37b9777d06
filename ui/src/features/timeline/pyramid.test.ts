import { describe, expect, it } from 'vitest';
import type { BarView, Status } from '$lib/api';
import { Pyramid, type Mark } from './pyramid';

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
  pyramid.visit(left, right, least, (mark) => found.push(mark));
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

  it('finds the bar at a place', () => {
    expect(lane(10, 1_000).at(350, 2)?.label).toBe('3');
    expect(lane(10, 1_000).at(395, 2)).toBeNull();
    expect(lane(0, 1_000).at(5, 2)).toBeNull();
  });
});
