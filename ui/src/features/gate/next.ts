import type { GateCard } from '$lib/api';

/** Where a person goes on after an answer. */
export interface NextDecision {
  question: string;
  href: string;
  /** It belongs to the run in which they have just answered. */
  sameRun: boolean;
}

/** After an answer in a run the next question of that run comes first, then whatever has waited longest. */
export function nextAfter(
  waiting: readonly GateCard[],
  answered: { run: string; gate: string; round: number },
  href: (card: GateCard) => string,
): NextDecision | null {
  const others = waiting.filter(
    (card) => card.run_id !== answered.run || card.gate !== answered.gate || card.round !== answered.round,
  );
  const card = others.find((one) => one.run_id === answered.run) ?? others[0];
  return card ? { question: card.question, href: href(card), sameRun: card.run_id === answered.run } : null;
}
