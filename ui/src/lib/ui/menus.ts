import type { Point } from '$lib/api/drawing.gen';

/** So long after a key asked for a menu the web view may ask for its own, ms. */
const SAME_MS = 400;
/** A menu that a key asked for stands a little inside of what it is about, px. */
const INSIDE = 24;

/**
 * Tells when somebody asks for the menu of something in `area`: with the other mouse button, the menu key, or Shift+F10. `asked` says
 * whether there is one; text fields keep the web view's own.
 */
export function menus(area: HTMLElement, asked: (on: Element, at: Point) => boolean): () => void {
  let byKey = -Infinity;
  const key = (event: KeyboardEvent) => {
    if (event.key !== 'ContextMenu' && !(event.key === 'F10' && event.shiftKey)) return;
    const on = event.target as Element;
    if (isField(on) || !asked(on, below(on))) return;
    byKey = event.timeStamp;
    event.preventDefault();
    event.stopPropagation();
  };
  const menu = (event: MouseEvent) => {
    const on = event.target as Element;
    if (isField(on)) return;
    const same = event.timeStamp - byKey < SAME_MS;
    const nowhere = event.clientX === 0 && event.clientY === 0;
    const at = nowhere ? below(on) : { x: event.clientX, y: event.clientY };
    if (same || asked(on, at)) event.preventDefault();
  };
  area.addEventListener('keydown', key);
  area.addEventListener('contextmenu', menu);
  return () => {
    area.removeEventListener('keydown', key);
    area.removeEventListener('contextmenu', menu);
  };
}

const isField = (on: Element) => on.closest('input, textarea, select, [contenteditable]') !== null;

function below(on: Element): Point {
  const box = on.getBoundingClientRect();
  return { x: box.left + Math.min(box.width / 2, INSIDE), y: box.top + Math.min(box.height, 2 * INSIDE) };
}
