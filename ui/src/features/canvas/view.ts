import type { Drawing, Point } from '$lib/api/drawing.gen';

/** Where the drawing lies on the screen: a point `p` of the drawing is shown at `(p.x * k + x, p.y * k + y)`. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly k: number;
}
export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

/** Names of steps are written at 12 px: below this scale they would be smaller than 9 px. */
export const READABLE = 0.75;
/** Where a graph too large to be fitted readably starts. */
const COMFORTABLE = 0.82;
/** A small graph is not blown up to fill a large window. */
const LARGEST_FIT = 1.25;
export const LARGEST = 3;
/** Kept free beside a step that is brought into sight. */
const PADDING = 12;
/** The drawing brings a margin of its own, which is more than is needed: the rest goes to the steps. px on the screen, and of the drawing. */
const SPARE = 8;
const SPARE_DRAWN = 16;

/** The whole drawing, centred. */
export function fit(drawing: Size, screen: Size): View {
  const bare = Math.min(
    LARGEST_FIT,
    screen.width / Math.max(1, drawing.width),
    screen.height / Math.max(1, drawing.height),
  );
  // Of a very small picture the margin is smaller than what would be taken from it.
  const spare = Math.min(SPARE, SPARE_DRAWN * bare);
  const room = { width: screen.width + 2 * spare, height: screen.height + 2 * spare };
  const k = Math.min(LARGEST_FIT, room.width / Math.max(1, drawing.width), room.height / Math.max(1, drawing.height));
  return { k, x: (screen.width - drawing.width * k) / 2, y: (screen.height - drawing.height * k) / 2 };
}

/**
 * The view a graph opens with: all of it if its names can be read then (`least`), else readable around the step that matters. Where
 * all of its length, or all of its breadth, can be read, none of that is cut off: it is moved in one direction alone.
 */
export function opening(drawing: Size, screen: Size, around: Box | null, least = READABLE): View {
  const whole = fit(drawing, screen);
  if (whole.k >= least) return whole;
  const sides = Math.max(
    fit({ width: drawing.width, height: 0 }, screen).k,
    fit({ width: 0, height: drawing.height }, screen).k,
  );
  const k = sides >= READABLE ? Math.min(COMFORTABLE, sides) : COMFORTABLE;
  const centre = around ? middle(around) : { x: 0, y: drawing.height / 2 };
  return {
    k,
    x: along(centre.x, drawing.width, screen.width, k),
    y: along(centre.y, drawing.height, screen.height, k),
  };
}

/** Offset that centres `at` where there is more drawing than screen, without showing emptiness beyond its ends. */
function along(at: number, length: number, room: number, k: number): number {
  if (length * k <= room + 2 * SPARE) return (room - length * k) / 2;
  return clamp(room / 2 - at * k, room - length * k - PADDING, PADDING);
}

/** Smallest scale one may zoom out to: somewhat beyond the whole drawing. */
export function smallest(drawing: Size, screen: Size): number {
  return Math.min(READABLE, fit(drawing, screen).k) * 0.8;
}

/** Zooms by `factor` so that what is under `point` (on the screen) stays there. */
export function zoomAt(view: View, factor: number, point: Point, least: number): View {
  const k = clamp(view.k * factor, least, LARGEST);
  const f = k / view.k;
  return { k, x: point.x - (point.x - view.x) * f, y: point.y - (point.y - view.y) * f };
}

/** Keeps a strip of the drawing in sight, so that nobody gets lost beside it. */
export function held(view: View, drawing: Size, screen: Size): View {
  const strip = 64;
  return {
    k: view.k,
    x: clamp(view.x, strip - drawing.width * view.k, screen.width - strip),
    y: clamp(view.y, strip - drawing.height * view.k, screen.height - strip),
  };
}

/** The least movement that brings `box` into sight. */
export function revealed(view: View, box: Box, screen: Size): View {
  const shift = (from: number, length: number, room: number) => {
    if (from < PADDING) return PADDING - from;
    if (from + length > room - PADDING) return Math.max(PADDING - from, room - PADDING - from - length);
    return 0;
  };
  return {
    k: view.k,
    x: view.x + shift(box.x * view.k + view.x, box.width * view.k, screen.width),
    y: view.y + shift(box.y * view.k + view.y, box.height * view.k, screen.height),
  };
}

/** Where a box of the drawing lies on the screen. */
export function onScreen(box: Box, by: View): Box {
  return { x: box.x * by.k + by.x, y: box.y * by.k + by.y, width: box.width * by.k, height: box.height * by.k };
}

/** The part of the drawing that is on the screen, widened by `margin` of its own size on each side. */
export function seen(view: View, screen: Size, margin = 0): Box {
  const width = screen.width / view.k;
  const height = screen.height / view.k;
  return {
    x: -view.x / view.k - width * margin,
    y: -view.y / view.k - height * margin,
    width: width * (1 + 2 * margin),
    height: height * (1 + 2 * margin),
  };
}

export function touches(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The same box with so much more on every side. */
export function widened(box: Box, x: number, y = x): Box {
  return { x: box.x - x, y: box.y - y, width: box.width + 2 * x, height: box.height + 2 * y };
}

export function covers(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

export function middle(box: Box): Point {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export function clamp(value: number, low: number, high: number): number {
  return low > high ? (low + high) / 2 : Math.min(high, Math.max(low, value));
}

export const sizeOf = (drawing: Drawing): Size => ({ width: drawing.width, height: drawing.height });
