import type { Point } from '$lib/api/drawing.gen';
import { clamp, touches, type Box, type Size, type View } from './view';

const GAP = 16;
const EDGE = 8;
/** Covering anything is worse than standing far away. */
const COVERING = 1e6;

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
    return (covered > 0 ? COVERING + covered : 0) + away * 8;
  };
  return tried.reduce((best, place) => (cost(place) < cost(best) ? place : best), inside(at.x - w / 2, at.y + GAP));
}

/**
 * Where something stands that belongs to no place of the picture: at its edge, where it covers fewest of the boxes; in the middle of the
 * upper edge where all places are alike.
 */
export function atEdge(card: Size, frame: Size, avoid: readonly Box[]): Point {
  const [left, centre, right] = [EDGE, (frame.width - card.width) / 2, frame.width - card.width - EDGE].map((x) =>
    Math.max(EDGE, x),
  ) as [number, number, number];
  const [top, bottom] = [EDGE, Math.max(EDGE, frame.height - card.height - EDGE)];
  const tried: Point[] = [
    { x: centre, y: top },
    { x: right, y: top },
    { x: centre, y: bottom },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ];
  const covered = (place: Point) => avoid.filter((box) => touches({ ...place, ...card }, box)).length;
  return tried.reduce((best, place) => (covered(place) < covered(best) ? place : best));
}

/** Room between a step and the bar of what can be done with it, px. */
const BAR_GAP = 10;
/** Farther away from its step than this nobody sees that the bar is about it, px. */
const BAR_FAR = 80;
/** So many places of it are its usual ones. */
const USUAL = 12;
/** So far around a step its bar may come, px on the screen. */
export const barReach = (bar: Size): Size => ({ width: bar.width + BAR_FAR, height: bar.height + BAR_GAP });

/**
 * Where the bar of a chosen step stands: above it, or elsewhere along it or beside it where it covers less of what is to be read there.
 * All in px of the screen.
 */
export function besideStep(step: Box, bar: Size, frame: Size, avoid: readonly Box[]): Point {
  const clamped = (x: number) => Math.max(EDGE, clamp(x, EDGE, frame.width - bar.width - EDGE));
  const beside = [step, ...avoid].flatMap((one) => [one.x + one.width + BAR_GAP, one.x - bar.width - BAR_GAP]);
  const near = (x: number) => x <= step.x + step.width + BAR_FAR && x + bar.width >= step.x - BAR_FAR;
  const xs = [step.x, step.x + step.width - bar.width, ...beside.filter(near)];
  // In the middle it can only stand beside the step.
  const [above, below] = [step.y - bar.height - BAR_GAP, step.y + step.height + BAR_GAP];
  const ys = [above, step.y + (step.height - bar.height) / 2, below];
  const tried = xs.flatMap((x) => ys.map((y): Point => ({ x: clamped(x), y })));
  const costs = tried.map(({ x, y }, i) => {
    const box = { x, y, ...bar };
    const covered = avoid.reduce((sum, one) => sum + overlap(box, one), 0) * 100;
    // Another place than the usual ones is worth it only where it is free, the nearest first.
    const wrong = [y < 0 || y + bar.height > frame.height, overlap(box, step) > 0, i >= USUAL && covered > 0];
    const away = Math.max(0, x - step.x - step.width, step.x - x - bar.width);
    return wrong.filter(Boolean).length * COVERING + covered + away + Math.min(i, USUAL);
  });
  return tried[costs.indexOf(Math.min(...costs))] ?? step;
}

function overlap(a: Box, b: Box): number {
  if (!touches(a, b)) return 0;
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width * height;
}

/** Least scale at which what a card explains is still worth looking at. */
const LEAST = 0.35;

/**
 * The view under which the card no longer lies on what it explains: `boxes` on the screen, `drawn` in the drawing. The larger part of the
 * frame beside the card takes them, smaller if need be. The same view where nothing is covered.
 */
export function aside(view: View, card: Box, boxes: readonly Box[], drawn: readonly Box[], frame: Size): View {
  if (!boxes.some((box) => overlap(card, box) > 0)) return view;
  const all = around(drawn);
  const parts: Box[] = [
    { x: 0, y: 0, width: frame.width - card.width - EDGE - GAP, height: frame.height },
    { x: 0, y: 0, width: frame.width, height: frame.height - card.height - EDGE - GAP },
  ];
  const scale = (part: Box) =>
    Math.min((part.width - 2 * GAP) / all.width, (part.height - 2 * GAP) / all.height, view.k);
  const best = parts.reduce((a, b) => (scale(b) > scale(a) ? b : a));
  const k = scale(best);
  if (k < LEAST) return view;
  return {
    k,
    x: best.width / 2 - (all.x + all.width / 2) * k,
    y: best.height / 2 - (all.y + all.height / 2) * k,
  };
}

function around(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
}
