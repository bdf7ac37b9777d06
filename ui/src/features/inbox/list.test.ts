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
