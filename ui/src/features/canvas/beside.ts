import type { Point } from '$lib/api/drawing.gen';
import { clamp, touches, type Box, type Size } from './view';

const GAP = 16;
const EDGE = 8;

/**
 * Where a card stands: beside `at`, inside the frame, and where it covers least of what it speaks about.
 * All in px of the screen. A card larger than the frame starts at the frame's corner.
 */
export function beside(at: Point, card: Size, frame: Size, avoid: readonly Box[]): Point {
  const inside = (x: number, y: number): Point => ({
    x: Math.max(EDGE, clamp(x, EDGE, frame.width - card.width - EDGE)),
    y: Math.max(EDGE, clamp(y, EDGE, frame.height - card.height - EDGE)),
  });
  const [w, h] = [card.width, card.height];
  const tried = [
    inside(at.x - w / 2, at.y + GAP),
    inside(at.x - w / 2, at.y - GAP - h),
    inside(at.x + GAP, at.y - h / 2),
    inside(at.x - GAP - w, at.y - h / 2),
    ...avoid.flatMap((box) => [
      inside(at.x - w / 2, box.y + box.height + GAP),
      inside(at.x - w / 2, box.y - GAP - h),
      inside(box.x + box.width + GAP, at.y - h / 2),
      inside(box.x - GAP - w, at.y - h / 2),
    ]),
  ];
  const cost = (place: Point) => {
    const box = { ...place, ...card };
    const covered = avoid.reduce((sum, other) => sum + overlap(box, other), 0);
    const away = Math.hypot(place.x + w / 2 - at.x, place.y + h / 2 - at.y);
    return covered + away * 8;
  };
  return tried.reduce((best, place) => (cost(place) < cost(best) ? place : best), inside(at.x - w / 2, at.y + GAP));
}

function overlap(a: Box, b: Box): number {
  if (!touches(a, b)) return 0;
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width * height;
}
