import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import { gateCard } from '$lib/fixtures';
import InboxList from './InboxList.svelte';

it('says which round a question is of where it is not the first', () => {
  const card = (purpose: 'approval' | 'outcome', round: number) =>
    gateCard({ purpose, round, gate: `${purpose}:${round}`, question: 'Draft the lease' });
  const cards = [card('outcome', 1), card('outcome', 5), card('approval', 2)];
  render(InboxList, { cards, isShown: () => false, href: () => '#', onmove: () => {}, onenter: () => {} });
  const said = screen.getAllByTestId('gate-card').map((one) => one.textContent?.match(/Round \d/g) ?? []);
  // That of a decision stands in its chip.
  expect(said).toEqual([[], ['Round 5'], ['Round 2']]);
});

it('says a question of a runbook once', () => {
  const card = gateCard({ purpose: 'outcome', is_question: true, question: 'Go live?' });
  card.step = { ...card.step, name: 'Go live?' };
  render(InboxList, { cards: [card], isShown: () => false, href: () => '#', onmove: () => {}, onenter: () => {} });
  expect(screen.getAllByText(/Go live\?/)).toHaveLength(1);
  expect(screen.getByTestId('gate-card')).toHaveTextContent('Question');
});
