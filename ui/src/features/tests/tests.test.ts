import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { createRawSnippet } from 'svelte';
import { describe, expect, it, vi } from 'vitest';
import type { TestsView, TestView } from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import Tests from './Tests.svelte';

const fields = createRawSnippet(() => ({ render: () => '<p></p>' }));

const test = (name: string, over: Partial<TestView> = {}): TestView => ({
  name,
  description: null,
  origin: 'deploy.runbook.md',
  line: 12,
  start: `deploy.runbook.md#${name}`,
  passed: true,
  expects: true,
  words: 'It did what it says.',
  notes: [],
  result: 'COMPLETE',
  path: [step('1.1', '1.1'), step('Recover', '')],
  path_length: 4,
  steps: [1],
  edges: ['1-2-0'],
  stations: [],
  ...over,
});

const view: TestsView = {
  path: 'deploy.runbook.md',
  title: 'Deploy',
  tests: [
    test('well'),
    test('badly', { passed: false, words: 'It ended with `STOP`, not with COMPLETE.', result: 'STOP' }),
  ],
  passed: 1,
  failed: 1,
  steps: { seen: 3, of: 4 },
  edges: { seen: 2, of: 5 },
  unseen_steps: [step('2', '2')],
  unseen_edges: [{ id: '2-3-0', from: step('2', '2'), to: step('Recover', ''), label: 'FAIL', unreachable: false }],
  next: {
    name: 'fails',
    result: 'STOP',
    yaml: 'fails: {}\n',
    steps: [2],
    edges: ['2-3-0'],
    words: 'It would add 1 step.',
  },
  words: 'They cover 3 of 4 steps.',
};

function open(tests: TestsView = view) {
  const calls = { onrun: vi.fn(), onchoose: vi.fn(), onwatch: vi.fn(), onstep: vi.fn(), online: vi.fn() };
  const page = render(Tests, { tests, busy: false, chosen: null, desk: null, step: null, fields, ...calls });
  return { page, calls, user: userEvent.setup() };
}

describe('the tests of a runbook', () => {
  it('says what came of each, what is covered, and what the next one would add', async () => {
    const { calls, user } = open();
    expect(screen.getByText('1 passed, 1 failed')).toBeVisible();
    expect(screen.getByText('3 of 4')).toBeVisible();
    const [good, bad] = screen.getAllByTestId('test');
    if (!good || !bad) throw new Error('both are listed');
    expect(good).toHaveTextContent(/1\.1→Recover\s*and 2 more/);
    expect(bad).toHaveTextContent('It ended with STOP, not with COMPLETE.');
    expect(screen.getByTestId('tests-next')).toHaveTextContent('It would add 1 step.');
    await user.click(within(bad).getByRole('button', { name: 'Mark in the graph' }));
    expect(calls.onchoose).toHaveBeenCalledWith(view.tests[1]);
    await user.click(within(good).getByRole('button', { name: 'Watch it' }));
    expect(calls.onwatch).toHaveBeenCalledWith(view.tests[0]);
    await user.click(screen.getByRole('button', { name: '2 2 → Recover' }));
    expect(calls.onstep).toHaveBeenCalledWith('2');
    await user.click(screen.getByTestId('tests-run'));
    expect(calls.onrun).toHaveBeenCalledOnce();
  });

  it('says once what scenarios are where there is none, and has nothing to run', () => {
    const none = { ...view, tests: [], passed: 0, failed: 0, next: null, words: 'There is no scenario yet.' };
    const { page } = open(none);
    expect(screen.getByText('No scenario is written yet')).toBeVisible();
    expect(screen.queryByText('There is no scenario yet.')).toBeNull();
    expect(screen.getByText(/front matter/)).toBeVisible();
    expect(screen.getByTestId('tests-run')).toBeDisabled();
    page.unmount();
    // A pipeline is YAML: it has no front matter.
    open({ ...none, path: 'release.yaml' });
    expect(screen.queryByText(/front matter/)).toBeNull();
    expect(screen.getByText(/It is a file beside the workflow/)).toBeVisible();
  });

  it('says of a run that ends at a question that it waits for a decision', () => {
    open({ ...view, tests: [test('asks', { result: 'waits' })] });
    expect(screen.getByTestId('test')).toHaveTextContent('ends waiting for a decision');
  });

  it('calls nothing passed that expected nothing, and says so', () => {
    const words = 'It waits at “Sign”; its scenario does not say how it should end.';
    const empty = { ...view, tests: [test('new', { expects: false, words, result: 'waits' })], passed: 1, failed: 0 };
    open(empty);
    const one = screen.getByTestId('test');
    expect(one).toHaveTextContent('nothing checked');
    expect(one).toHaveTextContent('its scenario does not say how it should end');
    expect(one).not.toHaveTextContent('passed');
  });

  it('has no accessibility findings', async () => {
    const { page } = open();
    expect(await findings(page.container)).toEqual([]);
  });
});

it('shows what a sentence quotes as such', () => {
  open();
  expect(screen.getByText('STOP', { selector: 'code' })).toBeVisible();
});
