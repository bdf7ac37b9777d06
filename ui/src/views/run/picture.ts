import type { RunDrawing, RunHead, RunOverlay } from '$lib/api';
import type { EdgeOverlay, ForkView, StepOverlay } from '$lib/api';
import type { Drawing } from '$lib/api/drawing.gen';

/** A run as it is shown: how it stands, and its picture with what happened on it. */
export interface Shown extends RunHead, RunDrawing {
  readonly steps: readonly StepOverlay[];
  readonly edges: readonly EdgeOverlay[];
  /** Of each step that forks its latest fork. */
  readonly forks: readonly ForkView[];
  /** How many numbered decisions there are. */
  readonly numbers: number;
  /** The step that matters most: where a person is waited for, else what is at work, else where it ended, else what was left last. */
  readonly active: string | null;
}

/** One way of looking at a run: its picture, which stays, and what was shown on it last. */
export class Picture {
  readonly #drawn: RunDrawing;
  /** The picture with the ways that people sent the run, by those: so that the same is the same object. */
  readonly #sent = new Map<string, Drawing>();
  #shown: Shown | null = null;

  constructor(drawn: RunDrawing) {
    this.#drawn = drawn;
  }

  /** The event whose overlay is known. */
  get known(): number | null {
    return this.#shown?.at ?? null;
  }

  /** Takes what changed since what is known, or all of it. */
  take(overlay: RunOverlay): Shown {
    const before = overlay.since === null ? null : this.#shown;
    const drawing = this.#drawing(overlay);
    const { numbers, active } = overlay;
    this.#shown = {
      ...overlay.head,
      faces: this.#drawn.faces,
      drawing,
      steps: before ? replaced(before.steps, overlay.steps) : overlay.steps,
      edges: before ? passed(drawing, before.edges, overlay) : overlay.edges,
      forks: overlay.forks ?? [],
      numbers,
      active,
    };
    return this.#shown;
  }

  /** What was shown earlier is shown again. */
  back(shown: Shown): void {
    this.#shown = shown;
  }

  #drawing({ sent, height }: RunOverlay): Drawing {
    if (sent.length === 0) return this.#drawn.drawing;
    const key = sent.map((edge) => edge.id).join(' ');
    const { drawing } = this.#drawn;
    const known = this.#sent.get(key) ?? { ...drawing, height, edges: [...drawing.edges, ...sent] };
    this.#sent.set(key, known);
    return known;
  }
}

function byId<T extends { id: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.id, one]));
}

function replaced(before: readonly StepOverlay[], changed: readonly StepOverlay[]): readonly StepOverlay[] {
  if (changed.length === 0) return before;
  const now = byId(changed);
  return before.map((step) => now.get(step.id) ?? step);
}

/** Of each edge the decisions so far that took it: those of before that have been made by then, and those that came. */
function passed(drawing: Drawing, before: readonly EdgeOverlay[], { edges, numbers }: RunOverlay): EdgeOverlay[] {
  const [were, now] = [byId(before), byId(edges)];
  return drawing.edges.flatMap(({ id }) => {
    const [old, fresh] = [were.get(id), now.get(id)];
    const isLate = (old?.taken.at(-1) ?? 0) > numbers;
    if (old && !fresh && !isLate) return old;
    const any = fresh ?? old;
    if (!any) return [];
    const kept = upTo(old?.taken ?? [], numbers);
    return { ...any, taken: fresh ? kept.concat(fresh.taken) : kept };
  });
}

/** Those of ascending numbers that are not above one: of a long run an edge has many, and they are looked at with every frame. */
function upTo(taken: number[], most: number): number[] {
  let [low, high] = [0, taken.length];
  while (low < high) {
    const half = (low + high) >>> 1;
    if ((taken[half] ?? Infinity) <= most) low = half + 1;
    else high = half;
  }
  return low === taken.length ? taken : taken.slice(0, low);
}
