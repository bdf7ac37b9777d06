import type { ProblemView } from '$lib/api';

/** The first error that is there then and was not before, by what it says; null: there is none. */
export function newError(before: readonly ProblemView[], then: readonly ProblemView[]): string | null {
  const known = new Set(before.map((one) => one.message));
  return then.find((one) => one.severity === 'error' && !known.has(one.message))?.message ?? null;
}
