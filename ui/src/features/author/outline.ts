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
  const levels = new Map<string, number>();
  const levelOf = ({ step, parent }: StepView): number => {
    const known = levels.get(step.id);
    if (known !== undefined) return known;
    // A file can be broken in any way: steps can hold each other, and none stands deeper than there are steps.
    levels.set(step.id, 1);
    const around = parent ? byId.get(parent.id) : undefined;
    const level = around ? Math.min(levelOf(around) + 1, steps.length) : 1;
    levels.set(step.id, level);
    return level;
  };
  const sizes = new Map<string, number>();
  const placed = steps.map((step) => {
    const around = step.parent?.id ?? '';
    const position = (sizes.get(around) ?? 0) + 1;
    sizes.set(around, position);
    return { step, around, level: levelOf(step), position };
  });
  return placed.map(({ around, ...line }) => ({ ...line, size: sizes.get(around) ?? 1 }));
}

/** The next line whose name or number begins with what was typed, from the one behind `from` on. */
export function found(all: readonly Line[], from: number, letters: string): number {
  const wanted = letters.toLowerCase();
  const fits = ({ step: { step } }: Line) =>
    [step.name, step.number, step.id].some((text) => text.toLowerCase().startsWith(wanted));
  const order = all.map((_, i) => (from + (letters.length > 1 ? 0 : 1) + i) % all.length);
  return order.find((i) => fits(all[i] as Line)) ?? -1;
}
