import type { Attachment } from 'svelte/attachments';
import { innerHeight, innerWidth } from 'svelte/reactivity/window';

/** How far something is scrolled: it is there again when it comes to screen again. */
export class Scrolled {
  top = 0;
  readonly keep: Attachment<HTMLElement> = (on) => {
    on.scrollTop = this.top;
    const note = () => (this.top = on.scrollTop);
    on.addEventListener('scroll', note, { passive: true });
    return () => on.removeEventListener('scroll', note);
  };
}

/** What scrolls an element up and down; null: the window. In a lower or narrower window (200 % zoom) something else may: it is told anew then. */
export function scrollerOf(element: Element): HTMLElement | null {
  void [innerHeight.current, innerWidth.current];
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(around).overflowY)) return around;
  }
  return null;
}
