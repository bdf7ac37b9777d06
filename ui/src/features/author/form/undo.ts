import type { Place, ProblemView } from '$lib/api';

/** The last change of a file. */
export interface Undo {
  /** Which one it is; undefined: nothing has been changed. */
  entry: string | undefined;
  /** Takes it back; ends when that is done. */
  run: () => Promise<unknown>;
}

/** What is wrong at a place of the file, or inside of it; null: nothing is, as far as it is known. */
export function problemAt(problems: readonly ProblemView[], place: Place): string | null {
  const here = problems.filter(({ at }) => at?.step === place.step && place.path.every((key, i) => at.path[i] === key));
  return (here.find((one) => one.severity === 'error') ?? here[0])?.message ?? null;
}
