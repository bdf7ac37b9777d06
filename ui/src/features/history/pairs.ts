import type { DifferenceView, StepDifference } from '$lib/api';

/** A step in both versions; absent where one does not have it. */
export interface Pair {
  readonly before: string | null;
  readonly after: string | null;
}

export const isGone = (one: DifferenceView) => one.what.includes('removed');

export const pairOf = (one: DifferenceView): Pair => ({
  before: one.before,
  after: isGone(one) ? null : one.step.id,
});

/** What is drawn around the steps of each picture. */
export function marksOf(differences: readonly DifferenceView[]): {
  earlier: ReadonlyMap<string, readonly StepDifference[]>;
  later: ReadonlyMap<string, readonly StepDifference[]>;
} {
  const pairs = differences.map((one) => ({ ...pairOf(one), what: one.what }));
  return {
    earlier: new Map(pairs.flatMap(({ before, what }) => (before === null ? [] : [[before, what] as const]))),
    later: new Map(pairs.flatMap(({ after, what }) => (after === null ? [] : [[after, what] as const]))),
  };
}
