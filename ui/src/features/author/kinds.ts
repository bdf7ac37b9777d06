import type { StepKind } from '$lib/api';

/** So many of the first words say what kind of step it is: “Decide on the contract”. */
const FIRST = 3;
/** Shorter words say nothing; and words are alike when they begin alike: “decide”, “decides”. */
const LENGTH = 4;
const STEM = 5;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
function alike(a: string, b: string): boolean {
  const n = Math.min(STEM, a.length, b.length);
  return n >= LENGTH && a.slice(0, n) === b.slice(0, n);
}

/**
 * The kind that what was typed speaks of: its name or its help has one of the first words, and no other kind's has it. The words are
 * those that the program says of its kinds.
 */
export function spokenOf(kinds: readonly StepKind[], name: string): string | null {
  for (const word of wordsOf(name).slice(0, FIRST)) {
    if (word.length < LENGTH) continue;
    const fits = (text: string) => wordsOf(text).some((one) => alike(one, word));
    for (const of of [({ label }: StepKind) => label, ({ help }: StepKind) => help]) {
      const found = kinds.filter((one) => fits(of(one)));
      if (found.length === 1) return found[0]?.kind ?? null;
      if (found.length > 1) break;
    }
  }
  return null;
}
