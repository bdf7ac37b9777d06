import type { Attachment } from 'svelte/attachments';

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
