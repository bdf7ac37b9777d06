import type { Edit } from '$lib/api';

/** A step as the file has it: where it stands, and the ids of the steps it waits for as they are listed. */
export interface Waiting {
  readonly ordinal: number;
  readonly depends_on: readonly string[];
}

/** The change that makes a step wait for another one: behind those it waits for already. */
export function connected(step: Waiting, on: string): Edit {
  const path = ['depends_on', String(step.depends_on.length)];
  return { kind: 'set', place: { step: step.ordinal, path }, value: on };
}

/** The change that makes a step wait for another one no longer; null when it does not. Of several mentions the last goes. */
export function disconnected(step: Waiting, from: string): Edit | null {
  const at = step.depends_on.lastIndexOf(from);
  if (at < 0) return null;
  return { kind: 'remove', place: { step: step.ordinal, path: ['depends_on', String(at)] } };
}
