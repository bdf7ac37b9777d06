import { describe, expect, it } from 'vitest';
import { atEdge, beside } from './beside';
import { fit, held, opening, READABLE, revealed, seen, smallest, zoomAt } from './view';

const screen = { width: 800, height: 600 };

describe('fit', () => {
  it('shows the whole drawing, centred', () => {
    const drawing = { width: 2000, height: 400 };
    const view = fit(drawing, screen);
    // The margin of the drawing itself may reach beyond the screen by a few pixels.
    expect(view.x).toBeGreaterThanOrEqual(-8);
    expect(view.x * 2 + drawing.width * view.k).toBeCloseTo(screen.width);
    expect(view.y * 2 + drawing.height * view.k).toBeCloseTo(screen.height);
  });

  it('keeps every step on the screen, however small it gets', () => {
    const drawing = { width: 9_000, height: 9_000 };
    const view = fit(drawing, screen);
    const margin = 24;
    expect(view.y + margin * view.k).toBeGreaterThanOrEqual(0);
    expect(view.y + (drawing.height - margin) * view.k).toBeLessThanOrEqual(screen.height);
  });

  it('does not blow a single step up', () => {
    expect(fit({ width: 100, height: 60 }, screen).k).toBeLessThanOrEqual(1.25);
  });
});

describe('opening', () => {
  it('fits smaller where that is asked for, and no smaller', () => {
    const drawing = { width: 1.6 * screen.width, height: 300 };
    expect(opening(drawing, screen, null)).not.toEqual(fit(drawing, screen));
    expect(opening(drawing, screen, null, 0.5)).toEqual(fit(drawing, screen));
    const larger = { ...drawing, width: 3 * screen.width };
    expect(opening(larger, screen, null, 0.5).k).toBeGreaterThanOrEqual(READABLE);
  });

  it('fits what can be read then', () => {
    const drawing = { width: 900, height: 300 };
    expect(opening(drawing, screen, null)).toEqual(fit(drawing, screen));
  });

  it('starts readable and around the step that matters when the whole would be too small', () => {
    const drawing = { width: 20_000, height: 3_000 };
    const step = { x: 9_000, y: 1_500, width: 168, height: 64 };
    const view = opening(drawing, screen, step);
    expect(view.k).toBeGreaterThanOrEqual(READABLE);
    expect((step.x + 84) * view.k + view.x).toBeCloseTo(screen.width / 2);
    expect((step.y + 32) * view.k + view.y).toBeCloseTo(screen.height / 2);
  });

  it('cuts nothing off at the sides where all of its breadth can be read', () => {
    const step = { x: 60, y: 60, width: 168, height: 64 };
    const wide = { width: 1020, height: 3_000 };
    const view = opening(wide, screen, step);
    expect(view.k).toBeGreaterThanOrEqual(READABLE);
    expect(view.k).toBeLessThan(opening({ width: 3_000, height: 3_000 }, screen, step).k);
    expect(view.x).toBeGreaterThanOrEqual(-8);
    expect(view.x + wide.width * view.k).toBeLessThanOrEqual(screen.width + 8);
    const tall = opening({ width: 3_000, height: 780 }, screen, step);
    expect(tall.y).toBeGreaterThanOrEqual(-8);
    expect(tall.y + 780 * tall.k).toBeLessThanOrEqual(screen.height + 8);
  });

  it('shows no emptiness before the first step', () => {
    const view = opening({ width: 20_000, height: 200 }, screen, { x: 24, y: 60, width: 168, height: 64 });
    expect(view.x).toBeGreaterThan(0);
    expect(view.x).toBeLessThan(60);
  });
});

describe('zoom', () => {
  it('keeps what is under the pointer there', () => {
    const view = { x: 30, y: -80, k: 0.9 };
    const at = { x: 321, y: 123 };
    const next = zoomAt(view, 1.7, at, 0.1);
    expect((at.x - next.x) / next.k).toBeCloseTo((at.x - view.x) / view.k);
    expect((at.y - next.y) / next.k).toBeCloseTo((at.y - view.y) / view.k);
  });

  it('ends where the whole drawing is well in sight, and where a step fills the window', () => {
    const drawing = { width: 50_000, height: 9_000 };
    const least = smallest(drawing, screen);
    expect(zoomAt({ x: 0, y: 0, k: 1 }, 1e-9, { x: 0, y: 0 }, least).k).toBe(least);
    expect(least).toBeLessThan(fit(drawing, screen).k);
    expect(zoomAt({ x: 0, y: 0, k: 1 }, 1e9, { x: 0, y: 0 }, least).k).toBe(3);
  });
});

describe('moving', () => {
  it('never loses the drawing', () => {
    const drawing = { width: 1000, height: 500 };
    const view = held({ x: -99_999, y: 99_999, k: 1 }, drawing, screen);
    const part = seen(view, screen);
    expect(part.x).toBeLessThan(drawing.width);
    expect(part.y + part.height).toBeGreaterThan(0);
  });

  it('reveals with the least movement, and not at all when in sight', () => {
    const view = { x: 0, y: 0, k: 1 };
    expect(revealed(view, { x: 100, y: 100, width: 168, height: 64 }, screen)).toEqual(view);
    const next = revealed(view, { x: 900, y: 100, width: 168, height: 64 }, screen);
    expect(next.y).toBe(0);
    expect(900 + 168 + next.x).toBeLessThanOrEqual(screen.width);
  });
});

describe('a card beside an edge', () => {
  it('stays inside the frame and leaves the two steps uncovered where there is room', () => {
    const from = { x: 300, y: 200, width: 168, height: 64 };
    const to = { x: 524, y: 200, width: 168, height: 64 };
    const card = { width: 320, height: 200 };
    const place = beside({ x: 496, y: 221 }, card, screen, [from, to]);
    expect(place.x).toBeGreaterThanOrEqual(8);
    expect(place.x + card.width).toBeLessThanOrEqual(screen.width - 8);
    const apart = place.y >= 264 || place.y + card.height <= 200;
    expect(apart).toBe(true);
  });

  it('starts at the corner when it is larger than the frame', () => {
    expect(beside({ x: 50, y: 50 }, { width: 900, height: 900 }, screen, [])).toEqual({ x: 8, y: 8 });
  });
});

it('what belongs to no place stands at the edge, on as few steps as may be', () => {
  const bar = { width: 200, height: 40 };
  const top = { x: 0, y: 0, width: 800, height: 100 };
  const corner = { x: 600, y: 0, width: 200, height: 100 };
  expect(atEdge(bar, screen, [])).toEqual({ x: 300, y: 8 });
  expect(atEdge(bar, screen, [corner])).toEqual({ x: 300, y: 8 });
  expect(atEdge(bar, screen, [{ ...corner, x: 380 }])).toEqual({ x: 592, y: 8 });
  expect(atEdge(bar, screen, [top])).toEqual({ x: 300, y: 552 });
});
