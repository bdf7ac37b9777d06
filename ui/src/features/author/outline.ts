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

/** Where a line that is dragged would go: another place on its level, its own place, or one that is not on its level. */
export type Gap = { to: number } | 'own' | 'level';

/** What putting the line at `from` before the line at `gap` would mean; behind the last one where `gap` is their number. */
export function gapAt(all: readonly Line[], from: number, gap: number): Gap {
  const around = (line: Line) => line.step.parent?.id ?? null;
  const moved = all[from];
  if (!moved) return 'level';
  const parent = around(moved);
  const level = all.flatMap((line, i) => (around(line) === parent ? [i] : []));
  const own = level.indexOf(from);
  /** Behind the last step of a level come those it holds, and then something that stands less deep, or nothing. */
  const behind = (level.at(-1) ?? from) + 1;
  let end = behind;
  while ((all[end]?.level ?? 0) > moved.level) end += 1;
  // The line's own steps go with it: a gap between them is its own place.
  let below = from + 1;
  while ((all[below]?.level ?? 0) > moved.level) below += 1;
  if (gap > from && gap < below) return 'own';
  const at = gap === end ? level.length : level.indexOf(gap);
  if (at < 0) return 'level';
  const to = at > own ? at - 1 : at;
  return to === own ? 'own' : { to };
}

/** The steps that stand inside of no other one of them, in the order of the file. */
export function outermost(steps: readonly StepView[], ids: readonly string[]): StepView[] {
  const wanted = new Set(ids);
  const byId = new Map(steps.map((one) => [one.step.id, one]));
  const held = (one: StepView): boolean => {
    // A file can be broken in any way: steps can hold each other.
    const seen = new Set<string>([one.step.id]);
    for (let id = one.parent?.id; id !== undefined && !seen.has(id); id = byId.get(id)?.parent?.id) {
      if (wanted.has(id)) return true;
      seen.add(id);
    }
    return false;
  };
  return steps.filter((one) => wanted.has(one.step.id) && !held(one)).sort((a, b) => a.ordinal - b.ordinal);
}

/** Steps that change their places together: the moves one after the other, each counted in what those before it have left. */
export interface Shift {
  readonly moves: readonly { readonly step: number; readonly to: number }[];
  /** All steps in their order afterwards. */
  readonly order: readonly StepView[];
}

/**
 * Puts steps one place earlier (-1) or later (1) among those of their levels, in their order. Null: one of them has no place to go to, so
 * that they could not stay together.
 */
export function shifted(all: readonly StepView[], steps: readonly StepView[], by: -1 | 1): Shift | null {
  const order = [...all];
  const moves: { step: number; to: number }[] = [];
  const around = (one: StepView) => one.parent?.id ?? null;
  // The first of them makes room for those behind it.
  for (const step of by < 0 ? steps : steps.toReversed()) {
    const level = order.filter((one) => around(one) === around(step));
    const to = level.indexOf(step) + by;
    const passed = level[to];
    if (!passed) return null;
    moves.push({ step: order.indexOf(step), to });
    const own = order.splice(order.indexOf(step), sizeOf(order, step));
    order.splice(order.indexOf(passed) + (by < 0 ? 0 : sizeOf(order, passed)), 0, ...own);
  }
  return { moves, order };
}

/** Of how many steps a step consists in the order of the file: itself, and those that stand in it. */
function sizeOf(order: readonly StepView[], step: StepView): number {
  const inside = new Set([step.step.id]);
  let size = 1;
  for (const one of order.slice(order.indexOf(step) + 1)) {
    if (!one.parent || !inside.has(one.parent.id)) break;
    inside.add(one.step.id);
    size += 1;
  }
  return size;
}
