import type { Point } from '$lib/api/drawing.gen';
import { drag } from '$lib/drag';
import type { Box } from './view';

/** How steps come to be chosen: these alone, these too, or each of them the other way round. */
export type How = 'only' | 'more' | 'other';

/** A box that is drawn around steps to choose them. Places are px of the picture's surface. */
export class Choosing {
  box = $state.raw<Box | null>(null);

  /** Draws it from where the pointer went down; a mere click is told as such. */
  begin(event: PointerEvent, surface: HTMLElement, drawn: (box: Box) => void, tapped: (at: Point) => void): void {
    const here = ({ x, y }: Point): Point => {
      const frame = surface.getBoundingClientRect();
      return { x: x - frame.left, y: y - frame.top };
    };
    const from = here({ x: event.clientX, y: event.clientY });
    const around = (at: Point): Box => {
      const to = here(at);
      const [x, y] = [Math.min(from.x, to.x), Math.min(from.y, to.y)];
      return { x, y, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
    };
    drag(event, {
      moved: (at) => (this.box = around(at)),
      dropped: (at) => {
        this.box = null;
        drawn(around(at));
      },
      left: () => (this.box = null),
      tapped: (at) => tapped(here(at)),
    });
  }
}
