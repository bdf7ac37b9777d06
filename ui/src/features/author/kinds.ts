import type { StepKind } from '$lib/api';

/** What a person decides is told of with one of these, as whole words: “Sign off the contract”, “May the offer go out?” */
const DECIDES = [
  'approv(?:e|es|al|als)',
  'sign(?:s|ing)?[ -]off',
  'sign-?offs?',
  'decid(?:e|es)',
  'decisions?',
  'accepts?',
  'permits?',
  'permission',
  'may (?:we|i|it|he|she|they|this|that|the)',
];
const SPOKEN = new RegExp(`(?<![\\p{L}\\p{N}])(?:${DECIDES.join('|')})(?![\\p{L}\\p{N}])`, 'iu');

/** The kind that what was typed speaks of: a decision, where a word of it means one. Null: it is of the ordinary kind. */
export function spokenOf(kinds: readonly StepKind[], name: string): string | null {
  const decision = kinds.find((one) => one.kind === 'decision');
  return decision && SPOKEN.test(name.replace(/\s+/g, ' ')) ? decision.kind : null;
}
