import type { Point } from '$lib/api/drawing.gen';
import { drag } from '$lib/drag';
import { say } from '$lib/ui/say';
import type { Author } from './author.svelte';
import { gapAt, type Gap, type Line } from './outline';
import { words } from './words';

/** So long the pointer rests over a gap before the program is asked whether the step may go there, ms. */
const ASK_MS = 150;
/** So near to its edge the list moves on, px. */
const EDGE = 28;
const ON = 12;

/** A line of the outline on its way to another place. */
export class Ordering {
  /** The line that is dragged, and the one before which it would go. */
  at = $state.raw<{ from: number; gap: number; found: Gap } | null>(null);
  /** Where the pointer is, in the window. */
  pointer = $state.raw<Point>({ x: 0, y: 0 });
  /** Why the program would not put it there. */
  refused = $state<string | null>(null);
  #asking: ReturnType<typeof setTimeout> | undefined;

  /** What would come of letting go; or why nothing would. */
  says(all: readonly Line[]): { text: string; wrong: boolean } | null {
    const { at } = this;
    const name = at ? all[at.from]?.step.step.name : undefined;
    if (!at || name === undefined || at.found === 'own') return null;
    if (at.found === 'level') return { text: say(words.outline.drag.level, { name }), wrong: true };
    if (this.refused !== null) return { text: this.refused, wrong: true };
    return { text: say(words.outline.drag.here, { name }), wrong: false };
  }

  begin(
    event: PointerEvent,
    from: number,
    all: () => readonly Line[],
    list: HTMLElement,
    author: Author,
    put: (id: string, to: number) => void,
  ): void {
    drag(event, {
      moved: (at) => {
        this.pointer = at;
        scroll(list, at.y);
        const gap = gapUnder(list, at.y);
        if (this.at?.gap !== gap) this.#over(all(), from, gap, author);
      },
      dropped: () => {
        const { at, refused } = this;
        const id = all()[from]?.step.step.id;
        this.#end();
        if (at && typeof at.found === 'object' && refused === null && id !== undefined) put(id, at.found.to);
      },
      left: () => this.#end(),
    });
  }

  #over(all: readonly Line[], from: number, gap: number, author: Author): void {
    const found = gapAt(all, from, gap);
    this.at = { from, gap, found };
    this.refused = null;
    clearTimeout(this.#asking);
    const id = all[from]?.step.step.id;
    if (typeof found !== 'object' || id === undefined) return;
    this.#asking = setTimeout(async () => {
      const refused = await author.mayMove(id, found.to);
      if (this.at?.gap === gap) this.refused = refused;
    }, ASK_MS);
  }

  #end(): void {
    clearTimeout(this.#asking);
    this.at = null;
    this.refused = null;
  }
}

/** The line before which something would go that is let go at this height; their number: behind the last one. */
function gapUnder(list: HTMLElement, y: number): number {
  const lines = [...list.querySelectorAll('[data-at]')];
  const before = lines.findIndex((line) => {
    const box = line.getBoundingClientRect();
    return y < box.top + box.height / 2;
  });
  return before < 0 ? lines.length : before;
}

function scroll(list: HTMLElement, y: number): void {
  const box = list.getBoundingClientRect();
  if (y < box.top + EDGE) list.scrollTop -= ON;
  else if (y > box.bottom - EDGE) list.scrollTop += ON;
}
