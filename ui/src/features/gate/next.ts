import type { GateCard } from '$lib/api';

/** Where a person goes on after an answer. */
export interface NextDecision {
  card: GateCard;
  href: string;
  /** It belongs to the run in which they have just answered. */
  sameRun: boolean;
}

/**
 * What is offered after an answer: a person's own decisions before those of others, and of each the run's next question
 * before whatever has waited longest.
 */
export function nextAfter(
  waiting: readonly GateCard[],
  answered: { run: string; gate: string; round: number },
  href: (card: GateCard) => string,
): NextDecision | null {
  const rank = (card: GateCard) => (card.own ? 0 : 2) + (card.run_id === answered.run ? 0 : 1);
  const [card] = waiting
    .filter((one) => one.run_id !== answered.run || one.gate !== answered.gate || one.round !== answered.round)
    .sort((a, b) => rank(a) - rank(b));
  return card ? { card, href: href(card), sameRun: card.run_id === answered.run } : null;
}
