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
