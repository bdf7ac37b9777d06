import type { StepDifference } from '$lib/api';
import type { Tone } from '$lib/ui/statuses';
import { words as w } from './words';

/** What became of steps between two versions, by their ids. */
export type Marks = ReadonlyMap<string, readonly StepDifference[]>;

/** From the loudest to the quietest: a step is drawn as the loudest of what became of it, and all of it is said. */
const LOUDEST: readonly StepDifference[] = ['added', 'removed', 'changed', 'renamed', 'moved'];

export const MARK: Record<StepDifference, { tone: Tone; dash: readonly number[] }> = {
  added: { tone: 'done', dash: [] },
  removed: { tone: 'failed', dash: [6, 4] },
  changed: { tone: 'waiting', dash: [2, 3] },
  renamed: { tone: 'queued', dash: [2, 3] },
  moved: { tone: 'queued', dash: [2, 3] },
};

export function loudest(kinds: readonly StepDifference[] | undefined): StepDifference | null {
  return LOUDEST.find((kind) => kinds?.includes(kind)) ?? null;
}

/** `changed, moved` */
export function markWords(kinds: readonly StepDifference[]): string {
  return LOUDEST.filter((kind) => kinds.includes(kind))
    .map((kind) => w.mark[kind])
    .join(', ');
}
