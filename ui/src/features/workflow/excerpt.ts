/** What stands between two places of an excerpt. */
const GAP = '⋯\n';

/** Of each line of an excerpt its number in the file; null: it is not known. */
export type Numbers = readonly (number | null)[];

/**
 * The numbers of lines that two programs have changed, as they stand in the file: those on disk say where they are, and one's own would
 * stand in their place. Lines that the file has more than once could be any of them, and have none.
 */
export function numbersOf(mine: string, theirs: string, file: string): { mine: Numbers; theirs: Numbers } {
  const begins = theirs.split(GAP).map((part) => lineOf(part, file));
  const count = (text: string) =>
    text.split(GAP).flatMap((part, at, parts): Numbers => {
      const begin = begins[at] ?? null;
      const numbers = linesOf(part).map((_, i) => (begin === null ? null : begin + i));
      return at < parts.length - 1 ? [...numbers, null] : numbers;
    });
  return { mine: count(mine), theirs: count(theirs) };
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** The number of the line at which these begin, if they stand there alone. */
function lineOf(part: string, file: string): number | null {
  const lines = linesOf(part);
  const all = file.split('\n');
  const found = all.flatMap((_, at) => (lines.every((line, i) => all[at + i] === line) ? at + 1 : []));
  return lines.length > 0 && found.length === 1 ? (found[0] ?? null) : null;
}
