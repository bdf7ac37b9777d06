import { describe, expect, it } from 'vitest';
import { carried, marksOf } from './marks';

describe('the marks down something that is shown', () => {
  it('are so many that none is passed unseen, and not more than a page carries', () => {
    // A line has a top and an end.
    expect(marksOf(0)).toBe(2);
    expect(marksOf(22)).toBe(2);
    for (const height of [500, 1_100, 90_000]) expect(height / (marksOf(height) - 1)).toBeLessThanOrEqual(120);
    expect(marksOf(10_000_000)).toBe(4_000);
  });

  it('that were on the screen count at another height, as far as what is between two of them was there', () => {
    expect(carried([], 3)).toEqual([false, false, false]);
    expect(carried([true, true, false], 5)).toEqual([true, true, true, false, false]);
    expect(carried([true, true, true, false, true], 3)).toEqual([true, true, true]);
    expect(carried([true, false, true, true, true], 4)).toEqual([true, false, true, true]);
  });
});
