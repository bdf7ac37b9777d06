import { useHost } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { theme } from '../app/theme.svelte';
import Report from './Report.svelte';

it('its page looks as the window does', async () => {
  const html = '<!doctype html>\n<html lang="en"><p>What happened</p></html>';
  useHost(
    new FakeHost().on('report.view', () => ({ html, title: 'A memo', file_name: 'report.html', rehearsal: false })),
  );
  theme.choose('dark');
  render(Report, { run: 'run-1' });
  const frame = await screen.findByTestId('report-frame');
  expect(frame).toHaveAttribute('srcdoc', html.replace('<html', '<html data-theme="dark"'));
  theme.choose('light');
  await vi.waitFor(() => expect(frame.getAttribute('srcdoc')).toContain('data-theme="light"'));
});

async function open(rehearsal: boolean, ok = true) {
  const counts = { events: 44, blobs: 17, files: 22, signatures: 4 };
  const host = new FakeHost()
    .on('report.view', () => ({ html: '<p>What happened</p>', title: 'A memo', file_name: 'report.html', rehearsal }))
    .on('run.verify', () => ({ ok, words: 'What was found.', ...counts, findings: [], notes: [] }));
  useHost(host);
  render(Report, { run: 'run-1' });
  await screen.findByTestId('report-frame');
  await userEvent.setup().click(screen.getByTestId('report-verify'));
  return within(await screen.findByTestId('verification'));
}

it('a report of a rehearsal is marked around its page, and where it is verified', async () => {
  const verification = await open(true);
  expect(screen.getByRole('link', { name: 'A memo' })).toHaveAttribute('title', 'run-1');
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

it('says of what is handed over that nothing but earlier versions is in it', async () => {
  const host = new FakeHost()
    .on('report.view', () => ({
      html: '<p>What happened</p>',
      title: 'A memo',
      file_name: 'memo-1.html',
      rehearsal: false,
    }))
    .on('bundle.contents', () => ({ runs: 1, events: 40, files: 0, earlier: 2, bytes: 4096 }));
  useHost(host);
  render(Report, { run: 'run-1' });
  await screen.findByTestId('report-frame');
  await userEvent.setup().click(screen.getByTestId('report-hand-over'));
  const contents = await screen.findByTestId('hand-over-contents');
  expect(contents).toHaveTextContent('no file that counts now, but 2 earlier versions that the record keeps');
  expect(contents).not.toHaveTextContent('0 files');
});

it('a run is handed over into the folder of reports where there is no dialog for it', async () => {
  const path = '/project/reports/memo-1.zip';
  const host = new FakeHost()
    .on('report.view', () => ({
      html: '<p>What happened</p>',
      title: 'A memo',
      file_name: 'memo-1.html',
      rehearsal: false,
    }))
    .on('bundle.contents', () => ({ runs: 2, events: 40, files: 3, earlier: 2, bytes: 4096 }))
    .on('bundle.save', () => ({ path, bytes: 2048 }));
  useHost(host);
  render(Report, { run: 'run-1' });
  await screen.findByTestId('report-frame');
  const user = userEvent.setup();
  await user.click(screen.getByTestId('report-hand-over'));
  // First it is said what goes in; nothing is written yet.
  const contents = await screen.findByTestId('hand-over-contents');
  expect(contents).toHaveTextContent(
    'the records of 2 runs: this one, and those around, inside and before it (40 events)',
  );
  expect(contents).toHaveTextContent('3 files that the steps made, with 2 earlier versions of them, 4');
  expect(screen.getByTestId('hand-over-withdrawn')).toHaveTextContent('drafts that were sent back');
  expect(contents).toHaveTextContent('Personal data in there is not taken out.');
  expect(host.called('bundle.save')).toEqual([]);
  await user.click(screen.getByTestId('hand-over-write'));
  expect(host.called('bundle.save')).toEqual([{ run_id: 'run-1', to: undefined }]);
  // Where it lies stays on screen.
  expect(await screen.findByTestId('hand-over-written')).toHaveTextContent(path);
});

it('a record that was changed is said over the report, before it is handed over and after', async () => {
  const warning = 'This run’s record is not what was written down; do not rely on it.';
  const host = new FakeHost()
    .on('report.view', () => ({ html: '<p>What happened</p>', file_name: 'memo-1.html', rehearsal: false, warning }))
    .on('bundle.contents', () => ({ runs: 1, events: 40, files: 0, earlier: 0, bytes: 0, warning }))
    .on('bundle.save', () => ({ path: '/project/reports/memo-1.zip', bytes: 2048, warning }));
  useHost(host);
  render(Report, { run: 'run-1' });
  expect(await screen.findByTestId('report-warning')).toHaveTextContent(warning);
  const user = userEvent.setup();
  await user.click(screen.getByTestId('report-hand-over'));
  await screen.findByTestId('hand-over-contents');
  expect(screen.getByTestId('hand-over-warning')).toHaveTextContent(warning);
  await user.click(screen.getByTestId('hand-over-write'));
  await screen.findByTestId('hand-over-written');
  expect(screen.getByTestId('hand-over-warning')).toHaveTextContent(warning);
});
