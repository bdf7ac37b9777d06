import { useHost } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import Report from './Report.svelte';

async function open(rehearsal: boolean, ok = true) {
  const counts = { events: 44, blobs: 17, files: 22, signatures: 4 };
  const host = new FakeHost()
    .on('report.view', () => ({ html: '<p>What happened</p>', file_name: 'report.html', rehearsal }))
    .on('run.verify', () => ({ ok, words: 'What was found.', ...counts, findings: [], notes: [] }));
  useHost(host);
  render(Report, { run: 'run-1' });
  await screen.findByTestId('report-frame');
  await userEvent.setup().click(screen.getByTestId('report-verify'));
  return within(await screen.findByTestId('verification'));
}

it('a report of a rehearsal is marked around its page, and where it is verified', async () => {
  const verification = await open(true);
  const head = screen.getByRole('heading', { level: 1 }).closest('header') as HTMLElement;
  expect(within(head).getByTestId('rehearsal')).toBeVisible();
  expect(verification.getByTestId('rehearsal')).toBeVisible();
  expect(verification.getByText('Verified')).toBeVisible();
});

it('a report of a real run is not', async () => {
  const verification = await open(false, false);
  expect(screen.queryByTestId('rehearsal')).toBeNull();
  expect(verification.getByText('Altered')).toBeVisible();
});
