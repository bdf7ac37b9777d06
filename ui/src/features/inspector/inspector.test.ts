import { createRawSnippet } from 'svelte';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { AttemptView, StepDetail } from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import Inspector from './Inspector.svelte';

const attempt = (over: Partial<AttemptView> = {}): AttemptView => ({
  attempt: 1,
  status: 'running',
  agent: '',
  engine: 'bash-step',
  model: 'bash',
  started_at: Date.parse('2026-03-10T10:00:00Z'),
  ended_at: null,
  duration_ms: null,
  error: null,
  output: 'one\ntwo\n',
  output_from_end: true,
  whole_output: null,
  report: [],
  tokens: [0, 0, 0],
  comments: [],
  artifacts: [],
  tools: [],
  receipt: null,
  transcript: [],
  ...over,
});

const detail = (over: Partial<StepDetail> = {}): StepDetail => ({
  step: step('{N}.2', '{N}.2'),
  intent: null,
  intent_html: null,
  status: 'running',
  words: 'running',
  kind: 'command',
  instances: [1, 2].map((n) => ({
    path: [n],
    label: String(n),
    status: n === 1 ? 'done' : 'running',
    words: n === 1 ? 'done' : 'running',
  })),
  path: [2],
  inside: [],
  command: { language: 'bash', script: 'npm test' },
  visits: [{ visit: 2, children: [], attempts: [attempt()], route: null }],
  waiting: null,
  ...over,
});

const artifact = createRawSnippet(() => ({ render: () => '<p></p>' }));

function open(of: StepDetail, more: object = {}) {
  return render(Inspector, { detail: of, live: true, moment: null, artifact, ...more });
}

describe('a step of a runbook', () => {
  it('lets one choose among its instances', async () => {
    const onpath = vi.fn();
    open(detail(), { onpath });
    const picker = screen.getByTestId('inspector-instance');
    expect(picker).toHaveValue('2');
    expect(screen.getByText('×2')).toBeVisible();
    await userEvent.setup().selectOptions(picker, '1: done');
    expect(onpath).toHaveBeenCalledWith([1]);
  });

  it('shows what a running command prints, and its command', () => {
    open(detail());
    expect(screen.getByRole('log', { name: 'What it prints' })).toHaveTextContent('one two');
    expect(screen.getByText('The end of what it has printed so far.')).toBeVisible();
    expect(screen.getByTestId('inspector-command')).toHaveTextContent('npm test');
  });

  it('shows what a container holds, and the runs that carry a step out', async () => {
    const onstep = vi.fn();
    open(
      detail({
        kind: 'group',
        inside: [{ step: step('1.1', '1.1'), status: 'done', words: 'done' }],
        visits: [
          {
            visit: 1,
            route: null,
            attempts: [attempt({ status: 'done', output: '' })],
            children: [{ run_id: 'run-2', title: 'Smoke tests', status: 'done', words: 'done' }],
          },
        ],
      }),
      { onstep, runHref: (run: string) => `#/run/${run}` },
    );
    await userEvent.setup().click(screen.getByRole('button', { name: '1.1 1.1' }));
    expect(onstep).toHaveBeenCalledWith('1.1');
    expect(screen.getByRole('link', { name: 'Smoke tests' })).toHaveAttribute('href', '#/run/run-2');
  });

  it('has no accessibility findings', async () => {
    const page = open(detail());
    expect(await findings(page.container)).toEqual([]);
  });
});
