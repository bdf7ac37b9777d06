import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import type { DecidedCard } from '$lib/api';
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
  expect(soon?.wanted).toHaveTextContent(/^Answer wanted by \w{3},? .*\d{1,2}:\d\d/);
  expect(late?.wanted).toHaveTextContent(/^Overdue: answer was wanted by .+ \(2 days ago\)$/);
  // Of two signs, one for each.
  const sign = (one: typeof soon) => one?.wanted?.querySelector('svg')?.outerHTML;
  expect(sign(soon)).not.toBe(sign(late));
  expect([soon?.tint, late?.tint]).toEqual([false, false]);
  expect(late?.wanted?.querySelector('time')?.title).toContain(' UTC');
});

it('says first what tells a card apart from the others', () => {
  const asked = 'Do you approve the result?';
  const cards = [
    gateCard({ run_id: 'a', question: asked, subject: 'Northwind', workflow_title: 'Sign a lease' }),
    gateCard({ run_id: 'b', question: asked, subject: 'Contoso', workflow_title: 'Sign a lease' }),
    gateCard({ run_id: 'c', question: asked, workflow_title: 'Release' }),
    gateCard({ run_id: '0190aaaa-1', question: asked, workflow_title: 'Scan' }),
    gateCard({ run_id: '0190bbbb-2', question: asked, workflow_title: 'Scan' }),
    gateCard({ run_id: 'f', question: 'Pay it?', subject: 'Northwind, the second' }),
  ];
  render(InboxList, { cards, isShown: () => false, href: () => '#', onmove: () => {}, onenter: () => {} });
  const heads = screen.getAllByTestId('card-head').map((one) => one.textContent ?? '');
  const { name } = gateCard().step;
  expect(heads.slice(0, 3)).toEqual(['Northwind', 'Contoso', `Release · ${name}`]);
  expect(heads[3]).toMatch(new RegExp(`^Scan · ${name} · run `));
  expect(heads[5]).toBe('Pay it?');
  expect(new Set(heads).size).toBe(cards.length);
  // The question is asked all the same, and nothing stands there twice.
  const texts = screen.getAllByTestId('gate-card').map((one) => one.textContent ?? '');
  for (const text of texts.slice(0, 5)) expect(text.split(asked)).toHaveLength(2);
  expect(texts[0]?.split('Northwind')).toHaveLength(2);
  expect(texts[2]?.split('Release')).toHaveLength(2);
});

it('says with a decision which files were named and not shown', () => {
  const { waiting_since: _, wanted_by: __, asks: ___, ...rest } = gateCard({ question: 'Pay it?' });
  const decision = { round: 1, opened_at: 0, answer: 'approve', words: 'approved', by: 'Ada', answered_at: 1_000 };
  const card = {
    ...rest,
    given_by: 'person',
    decision: { ...decision, not_shown: ['en/a.pdf', 'fr/a.pdf', 'b.xlsx'] },
  };
  const all = { isShown: () => false, href: () => '#', onmove: () => {}, onenter: () => {}, dated: true };
  render(InboxList, { cards: [card as unknown as DecidedCard], ...all });
  expect(screen.getByTestId('card-not-shown')).toHaveTextContent('Named, not shown: en/a.pdf, fr/a.pdf, b.xlsx');
});
