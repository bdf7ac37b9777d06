import type { FaceView, Severity, StepRef, StepView, WorkflowView } from '$lib/api';
import { say } from '$lib/ui/say';
import { words } from './words';

/** What the outline shows of a step: of a workflow that is authored, or of the one that a run keeps. */
export interface Item {
  readonly step: StepRef;
  readonly ordinal: number;
  readonly parent: { readonly id: string } | null;
  readonly phase?: string;
  /** A person decides there. */
  readonly gate: boolean;
  readonly problem: Severity | null;
  /** What comes next, in words; where nothing does, what it waits for. */
  readonly next: readonly string[];
  /** It holds others, though they may not be told of while it is folded. */
  readonly holds: boolean;
}

/** The steps of a workflow, as its outline shows them. */
export function ofWorkflow({ steps, faces }: Pick<WorkflowView, 'steps' | 'faces'>): Item[] {
  const worst = new Map(faces.map((face) => [face.step.id, face.problem]));
  const names = new Map(steps.map(({ step }) => [step.id, step.name]));
  const waits = (ids: readonly string[]): string[] => {
    const quoted = [...new Set(ids)].map((id) => `“${names.get(id) ?? id}”`);
    return quoted.length > 0 ? [say(words.outline.waits, { names: quoted.join(', ') })] : [];
  };
  return steps.map(({ step, ordinal, parent, phase, gate, next, depends_on }) => ({
    ...{ step, ordinal, parent, phase, next: next.length > 0 ? next : waits(depends_on) },
    gate: gate !== null,
    problem: worst.get(step.id) ?? null,
    holds: false,
  }));
}

/** The steps that a picture shows, in the order of the file: its twin for those who read. */
export function ofPicture(faces: readonly FaceView[]): Item[] {
  return faces
    .toSorted((a, b) => a.ordinal - b.ordinal)
    .map(({ step, ordinal, parent, phase, gate, problem, collapsed }) => ({
      ...{ step, ordinal, phase, gate, problem },
      parent: parent === null ? null : { id: parent },
      next: [],
      holds: collapsed !== null,
    }));
}

/** A step, and how deep it stands in the file. */
export interface Line {
  readonly step: Item;
  readonly level: number;
}

/** The steps in the order of the file, each with its depth. */
export function lines(steps: readonly Item[]): Line[] {
  const byId = new Map(steps.map((one) => [one.step.id, one]));
  const levels = new Map<string, number>();
  const levelOf = ({ step, parent }: Item): number => {
    const known = levels.get(step.id);
    if (known !== undefined) return known;
    // A file can be broken in any way: steps can hold each other, and none stands deeper than there are steps.
    levels.set(step.id, 1);
    const around = parent ? byId.get(parent.id) : undefined;
    const level = around ? Math.min(levelOf(around) + 1, steps.length) : 1;
    levels.set(step.id, level);
    return level;
  };
  return steps.map((step) => ({ step, level: levelOf(step) }));
}

/** What stands in one line of the outline: a step, or a phase with the steps below it. */
export interface Row {
  /** Names it for as long as the file says the same; that of a step is its id. */
  readonly key: string;
  /** Null: it is a phase. */
  readonly step: Item | null;
  readonly title: string;
  /** Its place among all steps; of a phase that of its first one. */
  readonly line: number;
  readonly level: number;
  readonly position: number;
  readonly size: number;
  /** How many rows stand directly below it, seen or not. */
  readonly below: number;
  /** Whether what it holds is shown; null: it holds nothing. */
  readonly open: boolean | null;
}

type Branch = { key: string; step: Item | null; title: string; line: number; below: Branch[] };

/** Steps below what holds them; steps of one phase in a row below the phase, as a picture draws them. */
function tree(all: readonly Line[]): Branch[] {
  const top: Branch[] = [];
  /** How often a phase came. */
  const came = new Map<string, number>();
  let phase: Branch | null = null;
  const around: { level: number; branch: Branch }[] = [];
  all.forEach(({ step, level }, line) => {
    const branch: Branch = { key: step.step.id, step, title: step.step.name, line, below: [] };
    while (around.length > 0 && (around.at(-1)?.level ?? 0) >= level) around.pop();
    const holder = around.at(-1)?.branch;
    around.push({ level, branch });
    if (holder) return void holder.below.push(branch);
    const title = step.phase ?? '';
    if (title === '') {
      phase = null;
      return void top.push(branch);
    }
    if (phase?.title !== title) {
      const nth = (came.get(title) ?? 0) + 1;
      came.set(title, nth);
      phase = { key: `phase ${nth}/${title}`, step: null, title, line, below: [] };
      top.push(phase);
    }
    phase.below.push(branch);
  });
  return top;
}

/** The rows that are to be seen: what is folded hides what it holds. */
export function rows(all: readonly Line[], isFolded: (key: string) => boolean): Row[] {
  const seen = (branches: readonly Branch[], level: number): Row[] =>
    branches.flatMap(({ below, ...branch }, i) => {
      const open = below.length > 0 || branch.step?.holds ? !isFolded(branch.key) : null;
      const row = { ...branch, level, position: i + 1, size: branches.length, below: below.length, open };
      return [row, ...(open ? seen(below, level + 1) : [])];
    });
  return seen(tree(all), 1);
}

/** The row that a step is to be looked for in: its own, or what is folded around it; the first one without a step. */
export function rowOf(all: readonly Line[], shown: readonly Row[], step: string | null): number {
  const line = all.findIndex((one) => one.step.step.id === step);
  return Math.max(
    0,
    shown.findLastIndex((row) => row.line <= line),
  );
}

/** The row around one, or itself. */
export function above(shown: readonly Row[], at: number): number {
  const level = shown[at]?.level ?? 1;
  const found = shown.slice(0, at).findLastIndex((row) => row.level < level);
  return found < 0 ? at : found;
}

/** The next row whose name or number begins with what was typed, from the one behind `from` on. */
export function found(shown: readonly Row[], from: number, letters: string): number {
  const wanted = letters.toLowerCase();
  const fits = ({ step, title }: Row) =>
    [title, step?.step.number, step?.step.id].some((text) => text?.toLowerCase().startsWith(wanted));
  const order = shown.map((_, i) => (from + (letters.length > 1 ? 0 : 1) + i) % shown.length);
  return order.find((i) => fits(shown[i] as Row)) ?? -1;
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
