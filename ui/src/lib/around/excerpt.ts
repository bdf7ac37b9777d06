/** How many lines are shown before and behind the one that is meant. */
const AROUND = 2;
/** A longer line is cut: nobody reads on. */
const LONGEST = 400;

/** The lines around one line of a text, with their numbers (from 1). */
export function excerpt(source: string, line: number): { number: number; text: string }[] {
  const lines = source.split(/\r\n|\r|\n/);
  const last = Math.min(Math.max(line, 1), lines.length);
  const from = Math.max(1, last - AROUND);
  return lines
    .slice(from - 1, last + AROUND)
    .map((text, n) => ({ number: from + n, text: text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text }));
}
