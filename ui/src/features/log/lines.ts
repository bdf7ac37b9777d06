import { numbered } from '$lib/ui/steps';
import type { LogLine } from '$lib/api';

/** Rows beyond what is seen that exist all the same, so that scrolling shows no emptiness. */
const SPARE = 12;

/** Which rows of a long list of equal rows are in sight: `first` to before `end`. */
export function inSight(count: number, top: number, height: number, row: number): { first: number; end: number } {
  const first = Math.max(0, Math.min(Math.floor(top / row) - SPARE, count));
  return { first, end: Math.min(count, Math.ceil((top + height) / row) + SPARE) };
}

/** The steps that have lines, in the order of their first one: id and what a person reads. */
export function stepsOf(lines: readonly LogLine[]): [id: string, name: string][] {
  const seen = new Map<string, string>();
  for (const { step } of lines) if (step && !seen.has(step.id)) seen.set(step.id, numbered(step));
  return [...seen];
}
