import { useHost, type ComparedRow, type RunsComparedView } from '$lib/api';
import { findings } from '$lib/axe';
import { runRow, settings, step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import App from '../App.svelte';

const came = { status: 'done', words: 'done', attempts: 1, duration_ms: 20 } as const;
const rows: ComparedRow[] = [
  { step: step('draft', '1'), apart: [], left: came, right: came },
  {
    step: step('review', '2'),
    which: '2nd time',
    apart: ['way', 'files'],
    left: { ...came, way: { to: step('send'), why: 'verdict is good.' }, inside: ['run-1a'] },
    right: { ...came, way: { to: step('draft'), why: 'verdict is poor.' }, inside: ['run-2a'] },
    files: [
      { name: 'letter.md', left: { path: 'letter.md', digest: 'aa' }, right: { path: 'letter.md', digest: 'bb' } },
    ],
    inside: [{ title: 'Read it', left: 'run-1a', right: 'run-2a', words: 'done in the first, failed in the second' }],
  },
];
const view: RunsComparedView = {
  left: {
    run: runRow({ run_id: 'run-1', subject: 'Northwind' }),
    version: 'v1',
    found: '1 difference was found. This run’s record is not what was written down; do not rely on it.',
  },
  right: { run: runRow({ run_id: 'run-2', subject: 'Southwind', rehearsal: true }), version: 'v2' },
  words: 'The first step is the same in both.',
  remarks: ['The workflow was changed between them.'],
  started: [{ name: 'Audience', left: 'staff', right: null }],
  steps: [
    { step: step('review', '2'), what: ['renamed', 'changed'], fields: ['Who does it', '`notes`'], before: 'check' },
    { step: step('post', '3'), what: ['added'], fields: [], before: null },
  ],
  rows,
  parts_at: 1,
  apart: 1,
};

async function open(address: string) {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }))
    .on('runs.list', () => ({
      runs: [
        runRow({ run_id: 'run-3', workflow_path: 'other.yaml', workflow_title: 'Another' }),
        runRow({ run_id: 'run-2', subject: 'Southwind' }),
        runRow({ run_id: 'run-1', subject: 'Northwind' }),
      ],
    }))
    .on('runs.unlisted', () => ({ words: [], notes: [] }))
    .on('run.compare', () => view)
    .on('run.compare_files', () => ({
      path: 'letter.md',
      bytes: 9,
      digest: 'bb',
      kind: 'text',
      html: '<pre>Dear friends</pre>',
      changes: { since: 'beside the first run', html: '<pre><ins>friends</ins></pre>', added: 1, removed: 1 },
      differs_on_disk: false,
    }));
  useHost(host);
  location.hash = address;
  render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  return host;
}

it('shows where two runs part, and folds what is the same', async () => {
  const host = await open('#/compare/run-1/run-2');
  expect(await screen.findByTestId('compare-words')).toHaveTextContent('The first step is the same in both.');
  expect(host.called('run.compare')).toEqual([{ left: 'run-1', right: 'run-2' }]);
  const parted = screen.getAllByTestId('compare-row');
  expect(parted).toHaveLength(1);
  expect(parted[0]).toHaveTextContent(/Here they part.*review.*2nd time.*another way on.*other files/);
  expect(parted[0]).toHaveTextContent(/then “send”.*verdict is good.*then “draft”.*verdict is poor/);
  // What is pressed says which file and which run it is of.
  expect(screen.getByRole('button', { name: 'What differs in letter.md' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'The run inside, run-1a (First run)' })).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'The run inside, run-2a (Second run)' })).toBeInTheDocument();
  expect(screen.getByText('staff').closest('tr')).toHaveTextContent('nothing');
  expect(screen.getByTestId('compare-swap')).toHaveAttribute('href', '#/compare/run-2/run-1');
  await fireEvent.click(screen.getByTestId('compare-same'));
  expect(screen.getAllByTestId('compare-row')).toHaveLength(2);
  expect(await findings(document.body)).toEqual([]);
});

it('names the steps whose definition differs, and those of one workflow alone', async () => {
  await open('#/compare/run-1/run-2');
  const steps = await screen.findByTestId('compare-steps');
  const lines = within(steps).getAllByRole('listitem');
  expect(lines.map((line) => line.textContent.replaceAll(/\s+/g, ' ').trim())).toEqual([
    '2 review called check in the first changed Who does it, notes',
    '3 post only in the second',
  ]);
});

it('offers the comparison of the runs inside, and says what they came to', async () => {
  await open('#/compare/run-1/run-2');
  const inside = await screen.findByRole('link', { name: 'Compare inside “Read it”' });
  expect(inside).toHaveAttribute('href', '#/compare/run-1a/run-2a');
  expect(inside.closest('th')).toHaveTextContent('done in the first, failed in the second');
});

it('says what verifying finds of the record of either, with the way to it', async () => {
  await open('#/compare/run-1/run-2');
  expect(await screen.findByTestId('compare-found')).toHaveTextContent('do not rely on it');
  expect(screen.getByRole('link', { name: 'See the record of the run (First run)' })).toHaveAttribute(
    'href',
    '#/report/run-1',
  );
});

it('shows what differs in a file of both', async () => {
  const host = await open('#/compare/run-1/run-2');
  await fireEvent.click(await screen.findByTestId('compare-file'));
  const shown = await screen.findByTestId('artifact');
  expect(shown).toHaveTextContent('beside the first run');
  // It was played, and says so here as well.
  expect(shown.closest('[role="dialog"]')).toHaveTextContent('Rehearsal');
  expect(host.called('run.compare_files')).toEqual([
    {
      left: { run_id: 'run-1', path: 'letter.md', digest: 'aa' },
      right: { run_id: 'run-2', path: 'letter.md', digest: 'bb' },
    },
  ]);
});

it('has the second run chosen among the others', async () => {
  await open('#/compare/run-1');
  await screen.findByRole('table');
  expect(screen.getByText(/Compare “Northwind”/)).toBeInTheDocument();
  // Rows are drawn where there is room for them, which there is none of here.
  expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '3');
  expect(await findings(document.body)).toEqual([]);
});
