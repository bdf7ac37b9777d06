import type { StageChoice, StepRef } from '$lib/api';

export type Choice = 'retry' | 'skip';

/** What applying the choices would do. Stages stand in it once, in the order of the pipeline. */
export interface Outcome {
  again: StepRef[];
  leftOut: StepRef[];
  /** Left out because they wait for one that is. */
  lost: StepRef[];
  /** Wait for one that is tried again, and for none that is left out. */
  onward: StepRef[];
}

/** What follows from choices; stages without one count for nothing yet. */
export function outcome(stages: readonly StageChoice[], picked: Readonly<Record<string, Choice>>): Outcome {
  const of = (choice: Choice) => stages.filter((one) => picked[one.step.id] === choice);
  const [again, leftOut] = [of('retry'), of('skip')];
  const dependents = (of: readonly StageChoice[]) => {
    const found = new Map<string, StepRef>();
    for (const one of of) for (const step of one.dependents) found.set(step.id, step);
    return found;
  };
  const lost = dependents(leftOut);
  const decided = new Set([...leftOut, ...again].map((one) => one.step.id));
  const onward = [...dependents(again).values()].filter((step) => !lost.has(step.id) && !decided.has(step.id));
  return {
    // One that waits for a stage which is left out is left out too, whatever was chosen for it.
    again: again.map((one) => one.step).filter((step) => !lost.has(step.id)),
    leftOut: leftOut.map((one) => one.step),
    lost: inOrder([...lost.values()].filter((step) => !leftOut.some((one) => one.step.id === step.id))),
    onward: inOrder(onward),
  };
}

const inOrder = (steps: StepRef[]): StepRef[] =>
  steps.toSorted((a, b) => a.number.localeCompare(b.number, undefined, { numeric: true }));
