import type { StepView } from '$lib/api';

/** A line of the outline: a step, how deep it stands, and how many steps its level has. */
export interface Line {
  readonly step: StepView;
  readonly level: number;
  readonly position: number;
  readonly size: number;
}

/** The steps in the order of the file, each with its depth. */
export function lines(steps: readonly StepView[]): Line[] {
  const byId = new Map(steps.map((one) => [one.step.id, one]));
  const depth = (step: StepView): number => {
    let level = 1;
    let around = step.parent ? byId.get(step.parent.id) : undefined;
    // A file can be broken in any way: no deeper than there are steps.
    while (around && level < steps.length) {
      level += 1;
      around = around.parent ? byId.get(around.parent.id) : undefined;
    }
    return level;
  };
  const siblings = new Map<string, StepView[]>();
  for (const step of steps) {
    const key = step.parent?.id ?? '';
    siblings.set(key, [...(siblings.get(key) ?? []), step]);
  }
  return steps.map((step) => {
    const level = siblings.get(step.parent?.id ?? '') ?? [];
    return { step, level: depth(step), position: level.indexOf(step) + 1, size: level.length };
  });
}

/** The next line whose name or number begins with what was typed, from the one behind `from` on. */
export function found(all: readonly Line[], from: number, letters: string): number {
  const wanted = letters.toLowerCase();
  const fits = ({ step: { step } }: Line) =>
    [step.name, step.number, step.id].some((text) => text.toLowerCase().startsWith(wanted));
  const order = all.map((_, i) => (from + (letters.length > 1 ? 0 : 1) + i) % all.length);
  return order.find((i) => fits(all[i] as Line)) ?? -1;
}
