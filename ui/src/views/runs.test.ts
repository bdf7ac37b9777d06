import { useHost } from '$lib/api';
import { findings } from '$lib/axe';
import { runRow, settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import App from '../App.svelte';

async function open(unlisted: (params: never) => unknown) {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }))
    .on('runs.list', () => ({ runs: [runRow({ subject: 'Northwind' })] }))
    .on('runs.unlisted', unlisted);
  useHost(host);
  location.hash = '#/runs';
  render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  await waitFor(() => expect(host.called('runs.unlisted').length).toBeGreaterThan(0));
}

it('names the runs that the list does not have', async () => {
  const lost = 'Run 42 is missing from this list, though its log is there.';
  await open(() => ({ words: [lost] }));
  expect(await screen.findByTestId('runs-unlisted')).toHaveTextContent(lost);
  expect(screen.getByRole('table')).toBeInTheDocument();
  expect(await findings(document.body)).toEqual([]);
});

it('lists the others where that cannot be asked', async () => {
  await open(() => {
    throw { code: 'locked', message: 'In use.', hint: null };
  });
  expect(await screen.findByRole('table')).toBeInTheDocument();
  expect(screen.queryByTestId('runs-unlisted')).toBeNull();
});
