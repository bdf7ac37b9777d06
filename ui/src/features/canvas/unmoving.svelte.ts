/** So far somebody draws who means to move what they drew, px. */
const MOVED = 16;

/** Boxes stay where they are: whoever drags one is told why, once. */
export class Unmoving {
  /** It is being said. */
  told = $state(false);
  #done = false;

  /** Something is pressed: what was said is said no more. */
  press(event: PointerEvent): void {
    this.told = false;
    if (this.#done || event.button !== 0 || event.shiftKey) return;
    if (!(event.target instanceof Element) || !event.target.closest('[data-node]')) return;
    const stop = () => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', stop);
      window.removeEventListener('pointercancel', stop);
    };
    const move = (on: PointerEvent) => {
      if (Math.hypot(on.clientX - event.clientX, on.clientY - event.clientY) < MOVED) return;
      stop();
      this.told = this.#done = true;
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', stop);
    window.addEventListener('pointercancel', stop);
  }
}
