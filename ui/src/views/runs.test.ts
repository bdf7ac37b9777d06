import { useHost } from '$lib/api';
import { findings } from '$lib/axe';
import { runRow, settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';
import App from '../App.svelte';

async function open(unlisted: (params: never) => unknown) {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }))
    .on('runs.list', () => ({ runs: [runRow({ subject: 'Northwind' })] }))
    .on('runs.people', () => ({ names: ['Ada', 'Grace'] }))
    .on('runs.unlisted', unlisted);
  useHost(host);
  location.hash = '#/runs';
  render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  await waitFor(() => expect(host.called('runs.unlisted').length).toBeGreaterThan(0));
  return host;
}

it('names the runs that the list does not have', async () => {
  const lost = 'Run 42 is missing from this list, though its log is there.';
  await open(() => ({ words: [lost], notes: [] }));
  expect(await screen.findByTestId('runs-unlisted')).toHaveTextContent(lost);
  expect(screen.getByRole('table')).toBeInTheDocument();
  expect(await findings(document.body)).toEqual([]);
});

it('says of which runs only files are there, and warns of nothing', async () => {
  const said = 'The files of run 42 lie in .gatehouse/runs, and this history does not have it.';
  await open(() => ({ words: [], notes: [said] }));
  expect(await screen.findByTestId('runs-note')).toHaveTextContent(said);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(screen.queryByTestId('runs-unlisted')).toBeNull();
  expect(await findings(document.body)).toEqual([]);
});

it('lists the others where that cannot be asked', async () => {
  await open(() => {
    throw { code: 'locked', message: 'In use.', hint: null };
  });
  expect(await screen.findByRole('table')).toBeInTheDocument();
  expect(screen.queryByTestId('runs-unlisted')).toBeNull();
});

it('asks for the runs of some days and of a person, and says where there are none', async () => {
  const host = await open(() => ({ words: [], notes: [] }));
  const user = userEvent.setup();
  await screen.findByRole('table');
  expect(host.called('runs.list').at(-1)).toEqual({});
  host.on('runs.list', ({ by }: { by?: string }) => ({ runs: by ? [] : [runRow()] }));
  await user.selectOptions(screen.getByTestId('runs-when'), 'From … to …');
  await user.type(screen.getByTestId('runs-from'), '2026-03-01');
  await waitFor(() => expect(host.called('runs.list').at(-1)).toEqual({ since: '2026-03-01' }));
  await user.selectOptions(await screen.findByTestId('runs-who'), 'Grace');
  await waitFor(() => expect(host.called('runs.list').at(-1)).toEqual({ since: '2026-03-01', by: 'Grace' }));
  expect(await screen.findByText('No run matches.')).toBeVisible();
  expect(await findings(document.body)).toEqual([]);
  // Everything is shown again once nothing is asked for.
  await user.selectOptions(screen.getByTestId('runs-who'), 'Anybody');
  await user.selectOptions(screen.getByTestId('runs-when'), 'At any time');
  expect(await screen.findByRole('table')).toBeVisible();
});

it('offers the ZIP files of the project where it can show no file of the computer', async () => {
  const host = await open(() => ({ words: [], notes: [] }));
  const file = { path: '/p/reports/memo.zip', name: 'memo.zip', bytes: 2048 };
  let files: unknown[] = [];
  let added: string[] = [];
  host.on('bundle.list', () => ({ files }));
  host.on('bundle.check', () => ({
    ok: true,
    in_doubt: false,
    added,
    words: 'Unchanged since it was handed over.',
    run_id: 'r1',
    title: 'Memo',
    stands: 'done',
    rehearsal: false,
    checks: [],
  }));
  const user = userEvent.setup();
  await user.click(await screen.findByTestId('runs-check-bundle'));
  expect(await screen.findByTestId('bundle-listed')).toHaveTextContent('There is none yet.');
  files = [file];
  await user.click(screen.getByRole('button', { name: 'Look again' }));
  await user.click(await screen.findByRole('button', { name: 'memo.zip' }));
  expect(await screen.findByTestId('bundle-found')).toHaveTextContent('Verified Unchanged since it was handed over.');
  // Where something lies beside it, that comes first.
  added = ['memo/more.txt'];
  await user.click(screen.getByTestId('bundle-check'));
  await waitFor(() => expect(screen.getByTestId('bundle-found')).toHaveTextContent('Something was added Unchanged'));
  expect(screen.getByTestId('bundle-found')).not.toHaveTextContent('Verified');
  expect(host.called('bundle.check')).toEqual([{ path: file.path }, { path: file.path }]);
  expect(await findings(document.body)).toEqual([]);
});

it('shows real runs alone, or rehearsals alone', async () => {
  const host = await open(() => ({ words: [], notes: [] }));
  const rows = [runRow({ subject: 'For real' }), runRow({ run_id: 'run-2', subject: 'Rehearsed', rehearsal: true })];
  host.on('runs.list', () => ({ runs: [...rows] }));
  host.send({ kind: 'run', run_id: 'run-2', last: 9, status: 'done' });
  const user = userEvent.setup();
  expect(await screen.findByText('2 runs')).toBeInTheDocument();
  await user.selectOptions(screen.getByTestId('runs-kind'), 'Real');
  expect(screen.getByText('1 run')).toBeInTheDocument();
  await user.selectOptions(screen.getByTestId('runs-kind'), 'Rehearsals');
  expect(screen.getByText('1 run')).toBeInTheDocument();
  expect(await findings(document.body)).toEqual([]);
  // What is left out is no empty project.
  rows.pop();
  host.send({ kind: 'run', run_id: 'run-2', last: 10, status: 'done' });
  expect(await screen.findByText('No run matches.')).toBeVisible();
});

it('checks what somebody handed over, run by run, and says it of the file that was checked alone', async () => {
  const host = await open(() => ({ words: [], notes: [] }));
  const counts = { events: 22, blobs: 11, files: 18, signatures: 1 };
  const verified = { ok: true, in_doubt: false, words: 'Unaltered.', ...counts, findings: [], notes: ['Compare it.'] };
  const altered = {
    ...verified,
    ok: false,
    words: 'Not what was written down.',
    findings: [{ code: 'x', place: 'event 3', message: 'It was changed.' }],
  };
  host.on('bundle.check', ({ path }: { path: string }) => {
    if (path !== '/tmp/a.zip') throw { code: 'no_bundle', message: 'It is none.', hint: null };
    return {
      ok: false,
      in_doubt: false,
      added: [],
      words: 'Of 2 runs 1 is not as written down.',
      run_id: 'r1',
      title: 'Memo',
      stands: 'done',
      rehearsal: true,
      checks: [
        { run_id: 'r1', title: 'Memo', verified },
        { run_id: 'r2', title: 'Contract', verified: altered },
      ],
    };
  });
  const user = userEvent.setup();
  await user.click(await screen.findByTestId('runs-check-bundle'));
  const path = await screen.findByTestId('bundle-path');
  expect(screen.getByTestId('bundle-check')).toBeDisabled();
  await user.type(path, '/tmp/a.zip{Enter}');
  const found = await screen.findByTestId('bundle-found');
  expect(found).toHaveTextContent('Of 2 runs 1 is not as written down.');
  expect(screen.getByRole('heading', { name: 'a.zip' })).toHaveAttribute('title', '/tmp/a.zip');
  expect(found).toHaveTextContent('It was changed.');
  expect(screen.getAllByTestId('verification').map((one) => one.dataset.ok)).toEqual(['true', 'false']);
  expect(await findings(document.body)).toEqual([]);
  await user.type(path, 'x');
  expect(screen.queryByTestId('bundle-found')).toBeNull();
  await user.click(screen.getByTestId('bundle-check'));
  expect(await screen.findByText('It is none.')).toBeVisible();
});
