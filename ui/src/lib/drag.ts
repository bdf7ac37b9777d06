import type { Point } from '$lib/api/drawing.gen';

/** What comes of a pointer that went down; places are those of the window. */
export interface Dragging {
  moved(at: Point, event: PointerEvent): void;
  dropped(at: Point, event: PointerEvent): void;
  /** Given up: with Escape, or because the system took the pointer away. */
  left(): void;
  /** It was a click after all. */
  tapped?(at: Point, event: PointerEvent): void;
}

/** Less than this is a click by a shaky hand, px. */
const SLACK = 4;

/**
 * Follows the pointer that went down with `event` until it goes up. The system's own drag and drop is not used: web views differ in it,
 * and it tells nothing of what lies under the pointer.
 */
export function drag(event: PointerEvent, { moved, dropped, left, tapped }: Dragging): void {
  const held = event.currentTarget as Element;
  const start = { x: event.clientX, y: event.clientY };
  const place = (on: PointerEvent): Point => ({ x: on.clientX, y: on.clientY });
  let dragging = false;

  const move = (on: PointerEvent) => {
    if (on.pointerId !== event.pointerId) return;
    if (!dragging && Math.hypot(on.clientX - start.x, on.clientY - start.y) < SLACK) return;
    // Captured from the first real movement on: a click stays a click.
    if (!dragging) held.setPointerCapture?.(event.pointerId);
    dragging = true;
    moved(place(on), on);
  };
  const up = (on: PointerEvent) => {
    if (on.pointerId !== event.pointerId) return;
    end();
    if (on.type === 'pointercancel') {
      if (dragging) left();
    } else if (dragging) {
      swallowClick();
      dropped(place(on), on);
    } else tapped?.(place(on), on);
  };
  const key = (on: KeyboardEvent) => {
    if (on.key !== 'Escape' || !dragging) return;
    on.preventDefault();
    on.stopPropagation();
    end();
    left();
    // The pointer is still down: the click comes when it goes up.
    window.addEventListener('pointerup', swallowClick, { capture: true, once: true });
  };
  const end = () => {
    window.removeEventListener('pointermove', move);
    window.removeEventListener('pointerup', up);
    window.removeEventListener('pointercancel', up);
    window.removeEventListener('keydown', key, true);
  };
  window.addEventListener('pointermove', move);
  window.addEventListener('pointerup', up);
  window.addEventListener('pointercancel', up);
  window.addEventListener('keydown', key, true);
}

/** A drag ends in a click on what was dragged, which nobody meant. */
function swallowClick(): void {
  const swallow = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener('click', swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener('click', swallow, true));
}
