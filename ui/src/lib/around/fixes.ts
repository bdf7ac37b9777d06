import type { Edit, ProblemView } from '$lib/api';

/**
 * What mends all problems of one kind, as edits of one change. Each is made on what those before it have left, so the last one of the
 * file goes first: places that are counted stay what they are. Two problems that the same edit mends need it once.
 */
export function fixesOf(problems: readonly ProblemView[], code: string): Edit[] {
  const last = problems
    .filter((one) => one.code === code && one.fix !== null)
    .toSorted((a, b) => b.line - a.line || b.column - a.column);
  const byEdit = new Map(last.flatMap(({ fix }) => (fix ? [[JSON.stringify(fix.edit), fix.edit] as const] : [])));
  return [...byEdit.values()];
}
