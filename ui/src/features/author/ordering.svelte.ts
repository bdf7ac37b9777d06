import { Answers } from '$lib/answers.svelte';
import type { Point } from '$lib/api/drawing.gen';
import { drag } from '$lib/drag';
import { say } from '$lib/ui/say';
import type { Author } from './author.svelte';
import { gapAt, type Gap, type Line, type Row } from './outline';
import { words } from './words';

/** So near to its edge the list moves on, px. */
const EDGE = 28;
const ON = 12;

/** A line of the outline on its way to another place. */
export class Ordering {
  /** The step that is dragged, by its place among all steps, and the row before which it would go. */
  at = $state.raw<{ from: number; gap: number; found: Gap } | null>(null);
  /** Where the pointer is, in the window. */
  pointer = $state.raw<Point>({ x: 0, y: 0 });
  readonly #answers = new Answers();

  /** What would come of letting go; or why nothing would. */
  says(all: readonly Line[]): { text: string; wrong: boolean } | null {
    const { at } = this;
    const name = at ? all[at.from]?.step.step.name : undefined;
    if (!at || name === undefined || at.found === 'own') return null;
    if (at.found === 'level') return { text: say(words.outline.drag.level, { name }), wrong: true };
    if (this.#answers.why !== null) return { text: this.#answers.why, wrong: true };
    return { text: say(words.outline.drag.here, { name }), wrong: false };
  }

  begin(
    event: PointerEvent,
    from: number,
    all: () => { lines: readonly Line[]; rows: readonly Row[] },
    list: HTMLElement,
    author: Author,
    put: (id: string, to: number) => void,
  ): void {
    // The file may change while it is dragged.
    const dragged = all().lines[from]?.step.step.id;
    drag(event, {
      moved: (at) => {
        this.pointer = at;
        scroll(list, at.y);
        const gap = gapUnder(list, at.y);
        if (this.at?.gap !== gap) this.#over(all(), from, gap, author);
      },
      dropped: () => {
        const { at } = this;
        const refused = this.#answers.why;
        const id = all().lines[from]?.step.step.id;
        this.#end();
        if (id === undefined || id !== dragged) return;
        if (at && typeof at.found === 'object' && refused === null) put(id, at.found.to);
      },
      left: () => this.#end(),
    });
  }

  #over({ lines, rows }: { lines: readonly Line[]; rows: readonly Row[] }, from: number, gap: number, author: Author) {
    // Before a phase is before its first step; what is folded away stands behind what is shown.
    const found = gapAt(lines, from, rows[gap]?.line ?? lines.length);
    this.at = { from, gap, found };
    const id = lines[from]?.step.step.id;
    const to = typeof found === 'object' ? found.to : null;
    if (id === undefined || to === null) this.#answers.at(null);
    else this.#answers.at(String(to), () => author.mayMove(id, to));
  }

  #end(): void {
    this.at = null;
    this.#answers.end();
  }
}

/** The row before which something would go that is let go at this height; their number: behind the last one. */
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
