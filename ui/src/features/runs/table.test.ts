import { render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';
import { runRow } from '$lib/fixtures';
import RunsTable from './RunsTable.svelte';

it('shows the status in a word, and what it says more below it', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(900);
  const words = 'asks whether “Change the pages” is done';
  const runs = [runRow({ status: 'blocked', status_words: words }), runRow({ run_id: 'run-2' })];
  render(RunsTable, { runs, href: (run) => `#/run/${run.run_id}` });
  await vi.waitFor(() => expect(screen.getAllByTestId('run-row')).toHaveLength(2));
  expect(screen.getByText('waits for a person')).toBeVisible();
  expect(screen.getAllByTestId('run-words').map((one) => one.textContent)).toEqual([words]);
  vi.restoreAllMocks();
});

it('says in the runs of one workflow what each is about, and the status in a word', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(900);
  const words = 'rejected by Ada Lund at “Sign the lease”';
  const runs = [
    runRow({ subject: 'Lease of flat 12', status: 'refused', status_words: words }),
    runRow({ run_id: 'run-2', scenario: null, subject: undefined }),
  ];
  render(RunsTable, { runs, compact: true, href: (run) => `#/run/${run.run_id}` });
  await vi.waitFor(() => expect(screen.getAllByTestId('run-row')).toHaveLength(2));
  expect(screen.getByRole('columnheader', { name: 'About' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Lease of flat 12' })).toHaveAttribute('href', '#/run/run-1');
  expect(screen.getByRole('link', { name: 'not said' })).toHaveAttribute('href', '#/run/run-2');
  expect(screen.getByTestId('run-words')).toHaveTextContent(words);
  vi.restoreAllMocks();
});

it('a run whose record is known to be changed is no plain done one', async () => {
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(900);
  const runs = [
    runRow({ status: 'done', status_words: 'done; its record was changed', altered: true }),
    runRow({ run_id: 'run-2', status: 'done', status_words: 'done' }),
  ];
  render(RunsTable, { runs, href: (run) => `#/run/${run.run_id}` });
  await vi.waitFor(() => expect(screen.getAllByTestId('run-row')).toHaveLength(2));
  expect(screen.getAllByTestId('run-altered').map((one) => one.textContent.trim())).toEqual(['Record changed']);
  expect(screen.getByTestId('run-words')).toHaveTextContent('its record was changed');
  vi.restoreAllMocks();
});
