import { useHost, type SessionView } from '$lib/api';
import { findings } from '$lib/axe';
import { settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../App.svelte';
import { bar, numbered, span, told, trends } from '../features/session/words';

const agent = (name: string, more: Partial<SessionView['agents'][number]> = {}): SessionView['agents'][number] => ({
  line: 1,
  name,
  status: 'completed',
  started: null,
  ended: null,
  retries: null,
  escalated_to: null,
  inputs: [],
  outputs: [],
  feedback: [],
  ...more,
});

const session = (more: Partial<SessionView> = {}): SessionView => ({
  path: 'session.json',
  session_id: 'bmad-session-1763459000000-k3v9q2aa',
  project: 'Allotment bookings',
  workflow_type: 'greenfield-service',
  run: null,
  imported: null,
  status: null,
  environment: null,
  created_at: '2026-11-18T10:00:00Z',
  updated_at: '2026-11-18T11:00:00Z',
  current_step: '10',
  current_group: null,
  completed_steps: ['2', '10'],
  failed_steps: [{ step: '3', agent: 'qa', error: '<b>it fell</b>', retries: '1' }],
  skipped_steps: ['1'],
  paused: null,
  quality_score: null,
  quality_gates: [],
  agents: [agent('analyst')],
  gaps: [],
  decisions: [],
  feedback: [],
  checkpoints: [],
  artifacts: [],
  checks: [],
  problems: [],
  source: '{\n}',
  ...more,
});

function project(view: SessionView): FakeHost {
  return new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('library.list', () => ({
      project: 'garden',
      folders: [],
      sessions: [{ path: 'session.json', project: view.project, at: view.updated_at, errors: view.problems.length }],
      unreadable: [],
    }))
    .on('pipeline.list', () => ({ pipelines: [] }))
    .on('session.open', () => view);
}

function open(view: SessionView, hash = '#/session/file/session.json') {
  location.hash = hash;
  const host = project(view);
  useHost(host);
  return { host, ...render(App, { host }) };
}

afterEach(() => (location.hash = ''));

describe('a session', () => {
  it('is listed among the workflows, apart, and opens', async () => {
    open(session(), '#/library');
    const card = await screen.findByTestId('session-card');
    await userEvent.click(within(card).getByRole('link', { name: 'Allotment bookings' }));
    expect(await screen.findByRole('heading', { name: 'Allotment bookings' })).toBeVisible();
  });

  it('tells its steps in the order of their numbers, and what failed in its own words', async () => {
    const { container } = open(session());
    await screen.findByTestId('session-view');
    expect(numbered(session()).map(({ n }) => n)).toEqual(['1', '2', '3', '10']);
    expect(await screen.findByText(/<b>it fell<\/b>/)).toBeVisible();
    expect(await findings(container)).toEqual([]);
  });

  it('shows words and times that it does not know as they stand', async () => {
    open(
      session({
        agents: [agent('<img src=x>', { status: 'resting', started: 'yesterday' })],
        decisions: [{ line: 1, at: 'noon', kind: 'vote', maker: null, decision: 'Yes', reasoning: null }],
      }),
    );
    expect(await screen.findByText('resting')).toBeVisible();
    for (const word of ['<img src=x>', 'noon', 'vote']) expect(screen.getByText(word)).toBeVisible();
  });

  it('shows what a sentence quotes as such', async () => {
    const reasoning = '`stores_personal_data` does not hold, by what was reported';
    open(session({ decisions: [{ line: 1, at: null, kind: 'way', maker: null, decision: 'Left out', reasoning }] }));
    expect(await screen.findByText('stores_personal_data', { selector: 'code' })).toBeVisible();
  });

  it('shows the first of many checks, and more when asked', async () => {
    const checks = Array.from({ length: 5000 }, (_, i) => ({
      line: i + 1,
      at: null,
      step: String(i),
      agent: null,
      kind: 'schema',
      passed: i % 2 === 0,
    }));
    open(session({ checks }));
    await screen.findByText('step 99');
    expect(screen.queryByText('step 100')).toBeNull();
    await userEvent.click(screen.getByText(/^Show \d+ more$/));
    await waitFor(() => expect(screen.getByText('step 499')).toBeInTheDocument());
  });

  it('draws a lane over the time of all of them', () => {
    const first = agent('a', { started: '2026-11-18T10:00:00Z', ended: '2026-11-18T10:30:00Z' });
    const open = agent('b', { started: '2026-11-18T10:30:00Z' });
    const view = session({ agents: [first, open, agent('c')] });
    const all = span(view);
    expect(bar(all, first)).toEqual({ left: 0, width: 50 });
    expect(bar(all, open)).toEqual({ left: 50, width: 50 });
    expect(bar(all, agent('c'))).toBeNull();
  });

  it('draws a stretch in which no agent was at work short, and says so', async () => {
    const first = agent('a', { started: '2026-11-18T10:00:00Z', ended: '2026-11-18T10:00:02Z' });
    const later = agent('b', { started: '2026-11-18T10:59:58Z', ended: '2026-11-18T11:00:00Z' });
    const at = (time: string) => Date.parse(`2026-11-18T${time}Z`);
    const gaps: [number, number][] = [[at('10:00:02'), at('10:59:58')]];
    const view = session({ agents: [first, later], gaps });
    // Two seconds of an hour would be nothing to see.
    expect(bar(span({ ...view, gaps: [] }), first)?.width).toBeLessThan(0.1);
    expect(bar(span(view), first)?.width).toBeGreaterThan(40);
    expect(bar(span(view), later)?.width).toBeGreaterThan(40);
    open(view);
    const [fold] = await screen.findAllByTestId('session-fold');
    expect(fold).toHaveAttribute('title', expect.stringMatching(/^No agent was at work for 59 min/));
  });

  it('says of what is no file that it was reported', async () => {
    const output = { scores: [], trend: [], valid: null };
    const outputs = [
      { ...output, name: 'check', file: null },
      { ...output, name: 'check.md', file: 'check.md' },
    ];
    open(session({ agents: [agent('checker', { outputs })] }));
    const lane = await screen.findByTestId('session-agent');
    const rows = [...lane.querySelectorAll('dl > div')].map((row) => row.textContent?.replace(/\s+/g, ' ').trim());
    expect(rows).toEqual(['Made check.md', 'Reported check']);
  });

  it('places ten thousand lanes in the time of one look at each', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => agent(`a${i}`, { started: '2026-11-18T10:00:00Z' }));
    const view = session({ agents: many });
    const all = span(view);
    expect(many.every((one) => bar(all, one)?.left === 0)).toBe(true);
  });

  it('tells how scores went round by round', async () => {
    const output = { name: 'sketch', file: null, scores: [], valid: null };
    const view = session({
      agents: [
        agent('ux-expert', {
          outputs: [
            { ...output, trend: [6, 7.25, 8] },
            { ...output, trend: [] },
          ],
        }),
      ],
    });
    expect(trends(view)).toEqual([{ what: 'sketch', agent: 'ux-expert', scores: [6, 7.3, 8] }]);
    open(view);
    expect(await screen.findByText('6 → 7.3 → 8')).toBeVisible();
  });

  it('shows the document beside it, each choosing the other', async () => {
    const source = Array.from({ length: 400 }, (_, i) => `line ${i + 1}`).join('\n');
    const decision = { at: null, kind: 'vote', maker: null, reasoning: null };
    const view = session({
      source,
      decisions: [
        { ...decision, line: 10, decision: 'First' },
        { ...decision, line: 20, decision: 'Second' },
      ],
    });
    expect([1, 9, 10, 15, 25].map((line) => told({ ...view, agents: [] }, line))).toEqual([null, null, 10, 10, 20]);
    const { container } = open(view);
    await userEvent.click(await screen.findByRole('button', { name: 'Line 20' }));
    const shown = await screen.findByTestId('session-source');
    expect(shown.querySelector('.at')?.textContent).toBe('line 20');
    const row = () => container.querySelector('[aria-current="true"]');
    expect(row()?.textContent).toContain('Second');
    // Only what is in sight is drawn.
    expect(shown.querySelectorAll('.line').length).toBeLessThan(200);
    shown.focus();
    await userEvent.keyboard('{ArrowUp}');
    expect(shown.querySelector('.at')?.textContent).toBe('line 19');
    expect(row()?.textContent).toContain('First');
    expect(await findings(container)).toEqual([]);
  });
});
