import type { Point } from '$lib/api/drawing.gen';

export interface Moves {
  pan(dx: number, dy: number): void;
  zoom(factor: number, at: Point): void;
  /** The pointer went down and up without moving, on the ground. */
  tap(at: Point, event: PointerEvent): void;
  /** The pointer went down with Shift, on the ground. Absent: that is like without. */
  box?(event: PointerEvent): void;
}

/** A pixel of wheel is a hundredth of a doubling; pinching on a trackpad arrives as a wheel with Ctrl. */
const WHEEL_ZOOM = 0.01;
const LINE = 16;
/** Less than this is a click by a shaky hand. */
const SLACK = 4;

/** Drag, wheel and pinch on `surface`; elements in it that take the pointer themselves are left alone. */
export function gestures(surface: HTMLElement, moves: Moves): () => void {
  const down = new Map<number, Point>();
  let start: Point | null = null;
  let moved = false;
  const place = (event: { clientX: number; clientY: number }): Point => {
    const frame = surface.getBoundingClientRect();
    return { x: event.clientX - frame.left, y: event.clientY - frame.top };
  };

  const press = (event: PointerEvent) => {
    if (event.button !== 0 && event.button !== 1) return;
    if ((event.target as Element).closest('button, a, input, [data-hold]')) return;
    if (moves.box && event.shiftKey && event.button === 0 && down.size === 0) {
      moves.box(event);
      return;
    }
    down.set(event.pointerId, place(event));
    start = place(event);
    moved = false;
  };
  const move = (event: PointerEvent) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    if (!moved && start && Math.hypot(now.x - start.x, now.y - start.y) < SLACK) return;
    if (!moved) surface.setPointerCapture(event.pointerId);
    moved = true;
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const was = Math.hypot(before.x - other.x, before.y - other.y);
      const is = Math.hypot(now.x - other.x, now.y - other.y);
      if (was > 0) moves.zoom(is / was, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
      moves.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    } else moves.pan(now.x - before.x, now.y - before.y);
    down.set(event.pointerId, now);
  };
  const release = (event: PointerEvent) => {
    if (!down.delete(event.pointerId)) return;
    if (!moved && event.type === 'pointerup') moves.tap(place(event), event);
  };
  const wheel = (event: WheelEvent) => {
    if ((event.target as Element).closest('[data-hold]')) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
    if (event.ctrlKey || event.metaKey) moves.zoom(2 ** (-event.deltaY * unit * WHEEL_ZOOM), place(event));
    else if (event.shiftKey && event.deltaX === 0) moves.pan(-event.deltaY * unit, 0);
    else moves.pan(-event.deltaX * unit, -event.deltaY * unit);
  };

  surface.addEventListener('pointerdown', press);
  surface.addEventListener('pointermove', move);
  surface.addEventListener('pointerup', release);
  surface.addEventListener('pointercancel', release);
  surface.addEventListener('wheel', wheel, { passive: false });
  return () => {
    surface.removeEventListener('pointerdown', press);
    surface.removeEventListener('pointermove', move);
    surface.removeEventListener('pointerup', release);
    surface.removeEventListener('pointercancel', release);
    surface.removeEventListener('wheel', wheel);
  };
}
