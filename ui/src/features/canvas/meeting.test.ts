import { describe, expect, it } from 'vitest';
import { before } from './meeting';

const bar = { x1: 100, y1: 0, x2: 100, y2: 80 };

describe('how much of a way lies before the bar it leads through', () => {
  it('is the part up to where it crosses the bar, or turns into it', () => {
    const straight = {
      points: [
        { x: 0, y: 40 },
        { x: 200, y: 40 },
      ],
    };
    expect(before(straight, bar)).toBe(0.5);
    const along = {
      points: [
        { x: 60, y: 10 },
        { x: 100, y: 10 },
        { x: 100, y: 40 },
        { x: 130, y: 40 },
      ],
    };
    expect(before(along, bar)).toBeCloseTo(0.4);
  });
  it('is all of it where it never comes there', () => {
    const past = {
      points: [
        { x: 0, y: 200 },
        { x: 200, y: 200 },
      ],
    };
    expect(before(past, bar)).toBe(1);
  });
  it('counts down a page as it counts across', () => {
    const down = {
      points: [
        { x: 40, y: 0 },
        { x: 40, y: 400 },
      ],
    };
    expect(before(down, { x1: 0, y1: 100, x2: 80, y2: 100 })).toBe(0.25);
  });
});
