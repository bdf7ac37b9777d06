import type { Replay } from '../../features/timeline/replay.svelte';

/** Keys that belong to whoever has the focus, by what it is. */
const TYPING = 'input, textarea, select, [contenteditable="true"]';
const PRESSED_BY_SPACE = 'button, a, summary, [role="button"], [role="tab"], [role="menuitem"], [role="treeitem"]';
const MOVED_BY_ARROWS =
  '[role="slider"], [role="separator"], [role="tab"], [role="radio"], [role="tree"], [data-testid="graph"], [role="log"]';

/** A key of the playhead that means something where the focus is: End in the log goes to the end of the log. */
export function belongsThere(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  return ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key) && Boolean(target?.closest(MOVED_BY_ARROWS));
}

/** The playhead's keys, wherever the focus is in the view of a run, unless they mean something there. */
export function playheadKey(event: KeyboardEvent, replay: Replay): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey)
    return;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest(TYPING) || document.querySelector('[role="dialog"], [role="menu"]')) return;
  const arrows = !target?.closest(MOVED_BY_ARROWS);
  switch (event.key) {
    case 'ArrowLeft':
      if (!arrows) return;
      replay.step(-1);
      break;
    case 'ArrowRight':
      if (!arrows) return;
      replay.step(1);
      break;
    case ' ':
      if (target?.closest(PRESSED_BY_SPACE)) return;
      replay.toggle();
      break;
    case 'Home':
      if (!arrows) return;
      replay.first();
      break;
    case 'End':
      if (!arrows) return;
      replay.toLive();
      break;
    default:
      return;
  }
  event.preventDefault();
}
