import type { StepView } from '$lib/api';

/** A step of one version of a file. */
type Of = Pick<StepView, 'step'>;

/** How many steps stand unchanged before and behind what an edit changed: they are told by their names, since ids can be numbers. */
function around(before: readonly Of[], now: readonly Of[]): { first: number; last: number } {
  const most = Math.min(before.length, now.length);
  const same = (a: Of | undefined, b: Of | undefined) => a?.step.name === b?.step.name;
  let first = 0;
  while (first < most && same(before[first], now[first])) first += 1;
  let last = 0;
  while (last < most && same(before.at(-1 - last), now.at(-1 - last))) last += 1;
  return { first, last };
}

/** The step with this id, in another version of the file: its id and its place can be others there. */
export function followed<T extends Of>(before: readonly Of[], now: readonly T[], id: string): T | null {
  const at = before.findIndex((one) => one.step.id === id);
  const was = before[at];
  const kept = now.find((one) => one.step.id === id);
  if (!was || kept?.step.name === was.step.name) return kept ?? null;
  const { first, last } = around(before, now);
  if (at < first) return now[at] ?? null;
  if (at >= before.length - last) return now[at + now.length - before.length] ?? null;
  const named = now.slice(first, now.length - last).filter((one) => one.step.name === was.step.name);
  return named.length === 1 ? (named[0] ?? null) : before.length === now.length ? (now[at] ?? null) : null;
}

/** The step that an edit has added; `behind` tells steps of one name apart: it stands behind that place. */
export function added(before: readonly StepView[], now: readonly StepView[], behind: number): StepView | null {
  const { first, last } = around(before, now);
  return now[Math.max(now.length - last - 1, Math.min(behind + 1, first))] ?? null;
}

/** All steps that an edit has added in one place, behind `behind`; those that stand inside of another of them come with it and are left out. */
export function allAdded(before: readonly StepView[], now: readonly StepView[], behind: number): StepView[] {
  const { first, last } = around(before, now);
  const at = Math.min(Math.max(behind + 1, before.length - last), first);
  const fresh = now.slice(at, at + Math.max(0, now.length - before.length));
  const ids = new Set(fresh.map((one) => one.step.id));
  return fresh.filter((one) => !one.parent || !ids.has(one.parent.id));
}
