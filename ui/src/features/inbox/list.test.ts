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

it('says by when an answer is wanted, and in words that it is overdue', () => {
  const hour = 3_600_000;
  const card = (gate: string, wanted_by?: number) =>
    gateCard({ gate, question: gate, waiting_since: Date.now() - 50 * hour, wanted_by });
  const cards = [card('none'), card('soon', Date.now() + hour), card('late', Date.now() - 48 * hour)];
  render(InboxList, { cards, isShown: () => false, href: () => '#', onmove: () => {}, onenter: () => {} });
  const [none, soon, late] = screen.getAllByTestId('gate-card').map((one) => ({
    tint: one.querySelector('.since')?.className.includes('days'),
    wanted: one.querySelector('[data-testid="wanted-by"]'),
  }));
  expect(none).toEqual({ tint: true, wanted: null });
  expect(soon?.wanted).toHaveTextContent(/^Answer wanted by \w{3} \d{1,2}:\d\d/);
  expect(late?.wanted).toHaveTextContent(/^Overdue: answer was wanted by .+ \(2 days ago\)$/);
  // Of two signs, one for each.
  const sign = (one: typeof soon) => one?.wanted?.querySelector('svg')?.outerHTML;
  expect(sign(soon)).not.toBe(sign(late));
  expect([soon?.tint, late?.tint]).toEqual([false, false]);
  expect(late?.wanted?.querySelector('time')?.title).toContain(' UTC');
});
