import { createRawSnippet } from 'svelte';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import type { AttemptView, DecisionView, RouteView, StepDetail } from '$lib/api';
import { findings } from '$lib/axe';
import { answeredBy, evidence, gateCard, step, toolCall } from '$lib/fixtures';
import { localTime } from '$lib/ui/time';
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
  instances_in_all: 2,
  path: [2],
  inside: [],
  command: { language: 'bash', script: 'npm test' },
  visits: [{ visit: 2, children: [], attempts: [attempt()], route: null }],
  waiting: null,
  run_ended_before: false,
  ...over,
});

const artifact = createRawSnippet(() => ({ render: () => '<p></p>' }));

function open(of: StepDetail, more: object = {}) {
  return render(Inspector, { detail: of, live: true, moment: null, artifact, ...more });
}

describe('the scores of a step', () => {
  it('are told round by round, with what supports them', () => {
    open(
      detail({
        scores: [
          { visit: 1, attempt: 1, overall: 6.5, parts: ['clarity 6', 'completeness 7'] },
          { visit: 2, attempt: 1, overall: 8, parts: [], change: 1.5, support: 'approved by Ada Lund' },
        ],
      }),
    );
    const said = screen.getByTestId('inspector-scores').textContent.replaceAll(/\s+/g, ' ');
    expect(said).toContain('1st time 6.5 of 10 clarity 6 · completeness 7');
    expect(said).toContain('2nd time 8 of 10 +1.5 approved by Ada Lund');
  });

  it('are not spoken of where nobody claims any', () => {
    open(detail());
    expect(screen.queryByTestId('inspector-scores')).toBeNull();
  });
});

describe('the decisions at a step', () => {
  const decided = (visit: number, by: string, over = {}): DecisionView => ({
    gate: 'flow:review:outcome',
    purpose: 'outcome',
    question: 'How did it go?',
    step: step('review', '2'),
    visit,
    role: null,
    decision: { ...answeredBy(by, { round: visit, ...over })! },
    files: [],
  });
  const visits = [2, 1].map((visit) => ({ visit, children: [], attempts: [attempt()], route: null }));

  it('are those of the round that is shown; what is asked for the next one stands beside the latest', async () => {
    open(detail({ instances: [], visits, decisions: [decided(1, 'Ada'), decided(2, 'Bo'), decided(3, 'Cy')] }));
    const shown = () => screen.getByTestId('inspector-decisions').textContent;
    expect(shown()).toMatch(/Bo[^]*Cy/);
    expect(shown()).not.toContain('Ada');
    await userEvent.setup().selectOptions(screen.getByTestId('inspector-visit'), 'the 1st time');
    expect(shown()).toContain('Ada');
    expect(shown()).not.toMatch(/Bo|Cy/);
  });

  it('look like what was reported, not like the answer alone', () => {
    const over = { answer: 'pass' as const, words: 'did it; status: UNVERIFIED' };
    const decisions = [
      decided(2, 'Ada', { ...over, status: 'waiting' }),
      decided(2, 'Bo', { ...over, round: 3, status: 'done' }),
    ];
    open(detail({ instances: [], visits, decisions }));
    const chips = [...screen.getByTestId('inspector-decisions').querySelectorAll('.chip')];
    expect(chips.map((chip) => [...chip.classList].find((name) => ['waiting', 'done'].includes(name)))).toEqual([
      'waiting',
      'done',
    ]);
  });
});

describe('a step of several agents', () => {
  it('lists each of them with how it went, its report and its receipt', async () => {
    const worked = (agent: string, over: object = {}) => ({
      agent,
      engine: 'shell-step',
      status: 'done' as const,
      words: `${agent} done in 2s`,
      duration_ms: 2000,
      error: null,
      report: [],
      receipt: null,
      ...over,
    });
    const agents = [
      worked('reader', { report: [{ name: 'status', value: 'UNVERIFIED' }] }),
      worked('tester', {
        status: 'failed' as const,
        words: 'tester failed after 1s',
        error: 'no ink',
        receipt: { path: 'flow/receipts/review-tester.json', text: '{}' },
      }),
    ];
    const { container } = open(
      detail({ visits: [{ visit: 2, children: [], attempts: [attempt({ status: 'failed', agents })], route: null }] }),
    );
    const each = screen.getByTestId('inspector-agents');
    expect(each).toHaveTextContent('reader done in 2s');
    expect(each).toHaveTextContent('UNVERIFIED');
    expect(each).toHaveTextContent('tester failed after 1s: no ink');
    expect(each).toHaveTextContent('flow/receipts/review-tester.json');
    expect(await findings(container)).toEqual([]);
  });
});

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

  it('counts a visit by the times that the work had begun, where that is not its number', () => {
    const visits = [
      { visit: 3, time: 2, children: [], attempts: [attempt()], route: null },
      { visit: 1, children: [], attempts: [attempt()], route: null },
    ];
    open(detail({ instances: [], visits }));
    expect(screen.getByTestId('inspector-visit')).toHaveTextContent('the 2nd time');
    expect(screen.getByTestId('inspector-visit')).not.toHaveTextContent('3rd');
    expect(screen.getByText(/2nd time, attempt/)).toBeVisible();
  });

  it('has no accessibility findings', async () => {
    const page = open(detail());
    expect(await findings(page.container)).toEqual([]);
  });
});

describe('a step of a StepSpec workflow', () => {
  const around = (): StepDetail => {
    const one = attempt({
      status: 'done',
      output: 'written',
      calls: [
        toolCall({ name: 'deploy', risk: 'high', status: 'failed', words: 'failed', error: 'no such host' }),
        toolCall({ earlier: true, words: 'answered in an earlier attempt; it was not called again' }),
      ],
      guardrails: [{ name: 'Input check', status: 'done', words: 'nothing was found', findings: [] }],
      unkept: [{ name: 'model.bin is not kept', status: 'waiting', detail: 'It had 21 MB.' }],
      unchanged: [{ name: 'old.md holds what it held before', status: 'waiting', detail: 'It was there.' }],
      unmade: [{ name: 'notes.md was not made', status: 'waiting', detail: 'It was not there.' }],
      validation: {
        policy: 'AST + type',
        passed: false,
        words: '1 of 2 checks failed, 1 not looked at',
        checks: [
          { name: 'Syntax: a.py', status: 'failed', detail: 'line 3: no end' },
          { name: 'Types: a.py', status: 'skipped', detail: 'mypy is not on this machine' },
        ],
      },
      context: {
        words: '1 passage, 31 tokens',
        fields: [{ name: 'query', value: 'parse' }],
        passages: [{ title: 'src/a.py, line 3: parse', tier: 'nano', tokens: 31, text: 'def parse()' }],
      },
    });
    return detail({
      step: step('build', '3'),
      kind: 'agent',
      instances: [],
      path: [],
      command: null,
      phase: 'Phase 4',
      visits: [{ visit: 1, children: [], attempts: [one], route: null, evidence: [evidence()] }],
    });
  };

  it('tells tools, guardrails, checks, context and evidence of the attempt', async () => {
    const page = open(around(), { evidenceHref: '#/evidence/run-1' });
    const calls = screen.getByTestId('inspector-calls');
    for (const words of ['deploy', 'high risk', 'no such host', 'was not called again']) {
      expect(calls).toHaveTextContent(words);
    }
    expect(screen.getByTestId('inspector-validation')).toHaveTextContent('mypy is not on this machine');
    expect(screen.getByTestId('inspector-guardrails')).toHaveTextContent('nothing was found');
    expect(screen.getByTestId('inspector-unkept')).toHaveTextContent(/model\.bin is not kept.*21 MB/);
    expect(screen.getByTestId('inspector-unmade')).toHaveTextContent('notes.md was not made');
    expect(screen.getByTestId('inspector-unchanged')).toHaveTextContent('old.md holds what it held before');
    expect(screen.getByTestId('inspector-context')).toHaveTextContent('src/a.py, line 3: parse');
    expect(screen.getByTestId('inspector-evidence')).toHaveTextContent('The requirements are complete.');
    expect(screen.getByText('phase “Phase 4”')).toBeVisible();
    expect(await findings(page.container)).toEqual([]);
  });

  it('says nothing of not being reached where a person refused', () => {
    open(detail({ status: 'refused', words: 'rejected by Ada Lund', instances: [], visits: [] }));
    expect(screen.getByText('rejected by Ada Lund')).toBeVisible();
    expect(screen.queryByText(/has not been reached/)).toBeNull();
  });

  it('says of a run that is over that it ended before the step', () => {
    open(detail({ status: 'not_started', words: 'not run', instances: [], visits: [], run_ended_before: true }));
    expect(screen.getByTestId('inspector-ended-before')).toHaveTextContent('The run ended before this step.');
    expect(screen.queryByText(/has not been reached/)).toBeNull();
  });

  it('says nothing of what was not done', () => {
    open(detail());
    for (const part of ['calls', 'guardrails', 'unkept', 'unmade', 'unchanged', 'validation', 'context', 'evidence']) {
      expect(screen.queryByTestId(`inspector-${part}`)).toBeNull();
    }
  });
});

it('says of a step that was left out that it was, not that it is still to come', () => {
  open(detail({ status: 'skipped', words: 'skipped', kind: 'agent', instances: [], visits: [] }));
  expect(screen.getByTestId('inspector-left-out')).toHaveTextContent('It was left out of this run.');
  expect(screen.queryByText(/has not been reached/)).toBeNull();
});

describe('the attempts of a visit', () => {
  it('do not call it a try that somebody was asked for permission', async () => {
    const attempts = [
      attempt({ attempt: 2, status: 'done', ended_at: 2 }),
      attempt({ status: 'paused', ended_at: 1, error: 'A person must allow the tool schedulePayment first.' }),
    ];
    open(detail({ instances: [], status: 'done', visits: [{ visit: 1, children: [], attempts, route: null }] }));
    const options = [...screen.getByTestId('inspector-attempt').querySelectorAll('option')];
    expect(options.map((one) => one.textContent)).toEqual(['attempt 2: done', '1: stopped to ask for permission']);
    expect(screen.getByText(/1st time, after permission was asked for/)).toBeVisible();
  });

  it('do not all have what the last one led to', async () => {
    const attempts = [
      attempt({ attempt: 2, status: 'done', ended_at: 2 }),
      attempt({ status: 'failed', ended_at: 1, error: 'no ink' }),
    ];
    const route: RouteView = {
      number: 1,
      seq: 9,
      at: 2,
      from: step('print'),
      unit: null,
      visit: 1,
      to: step('send'),
      edge_id: 'e1',
      decision: 'advance',
      headline: 'On to “Send”',
      why: 'It was printed.',
      reason: '',
      source: 'fast_path',
      source_words: '',
      looked_at: [],
      alternatives: [],
    };
    open(
      detail({
        instances: [],
        status: 'done',
        visits: [{ visit: 1, children: [], attempts, route, evidence: [evidence()] }],
        waiting: gateCard({ question: 'Is it good?' }),
      }),
      { decision: '#/decision' },
    );
    const shown = () => [
      screen.queryByText('How it was left'),
      screen.queryByTestId('inspector-evidence'),
      screen.queryByTestId('open-decision'),
    ];
    expect(shown()).not.toContain(null);
    await userEvent.selectOptions(screen.getByTestId('inspector-attempt'), '1');
    expect(screen.getByText('no ink')).toBeVisible();
    expect(shown()).toEqual([null, null, null]);
  });
});

describe('the rounds of a step', () => {
  const rounds = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => ({
      visit: to - i,
      children: [],
      attempts: [attempt()],
      route: null,
    }));

  it('are chosen among those that are there', async () => {
    open(detail({ visits: rounds(1, 3) }));
    const choice = screen.getByTestId<HTMLSelectElement>('inspector-visit');
    expect(choice).toHaveValue('3');
    await userEvent.setup().selectOptions(choice, '1');
    expect(choice).toHaveValue('1');
    expect(screen.queryByTestId('inspector-earlier')).toBeNull();
  });

  it('say whom the one waits for that begins with an answer, and since when', async () => {
    const waiting = gateCard({ role: 'legal', waiting_since: Date.parse('2026-03-10T10:00:00Z') });
    const open_ = { visit: 3, waiting, children: [], attempts: [], route: null };
    open(detail({ visits: [open_, ...rounds(1, 2)] }));
    const choice = screen.getByTestId<HTMLSelectElement>('inspector-visit');
    expect(choice).toHaveValue('3');
    expect(choice.options[0]).toHaveTextContent(/^the 3rd time: waits for legal$/);
    expect(screen.getByTestId('inspector-since')).toHaveTextContent(localTime(waiting.waiting_since));
    expect(choice.options[1]).toHaveTextContent(/^the 2nd time$/);
    await userEvent.setup().selectOptions(choice, '2');
    expect(choice).toHaveValue('2');
  });

  it('say at the head how the chosen one went, and not how the step stands', async () => {
    const went = (visit: number, status: 'failed' | 'done') => ({
      visit,
      children: [],
      attempts: [attempt({ status, ended_at: 2 })],
      route: null,
    });
    const { container } = open(detail({ status: 'done', words: 'done', visits: [went(2, 'done'), went(1, 'failed')] }));
    const head = () => container.querySelector('header [data-status]')?.getAttribute('data-status');
    expect(head()).toBe('done');
    await userEvent.selectOptions(screen.getByTestId('inspector-visit'), '1');
    expect(head()).toBe('failed');
  });

  it('say that a person did not take what was done', async () => {
    const visit = { children: [], attempts: [attempt({ status: 'done', ended_at: 2 })], route: null };
    const refused = { status: 'refused' as const, words: 'rejected by Ada Lund' };
    const { container } = open(
      detail({
        status: 'done',
        words: 'done',
        visits: [
          { ...visit, visit: 2 },
          { ...visit, visit: 1, refused },
        ],
      }),
    );
    await userEvent.selectOptions(screen.getByTestId('inspector-visit'), '1');
    expect(container.querySelector('header [data-status]')).toHaveTextContent('rejected by Ada Lund');
  });

  it('do not stand under a question that is asked now', async () => {
    open(detail({ visits: rounds(1, 2), waiting: gateCard({ question: 'Is it good?' }) }), { decision: '#/decision' });
    expect(screen.getByText('Is it good?')).toBeVisible();
    expect(screen.getByTestId('open-decision')).toHaveAttribute('href', '#/decision');
    await userEvent.selectOptions(screen.getByTestId('inspector-visit'), '1');
    expect(screen.queryByText('Is it good?')).toBeNull();
    expect(screen.queryByTestId('open-decision')).toBeNull();
    await userEvent.selectOptions(screen.getByTestId('inspector-visit'), '2');
    expect(screen.getByText('Is it good?')).toBeVisible();
  });

  it('are asked for by piece where there are very many', async () => {
    const user = userEvent.setup();
    const onrounds = vi.fn();
    const page = open(detail({ visits: rounds(881, 900), earlier: 880 }), { onrounds });
    expect(screen.getByTestId('inspector-later')).toBeDisabled();
    await user.selectOptions(screen.getByTestId('inspector-visit'), '890');
    await user.click(screen.getByTestId('inspector-earlier'));
    expect(onrounds).toHaveBeenLastCalledWith(880);
    await page.rerender({ detail: detail({ visits: rounds(1, 20), later: 40 }) });
    expect(screen.getByTestId('inspector-visit')).toHaveValue('20');
    expect(screen.getByTestId('inspector-earlier')).toBeDisabled();
    await user.click(screen.getByTestId('inspector-later'));
    expect(onrounds).toHaveBeenLastCalledWith(40);
    await user.click(screen.getByRole('button', { name: 'Latest' }));
    expect(onrounds).toHaveBeenLastCalledWith(null);
    expect(await findings(page.container)).toEqual([]);
  });
});
