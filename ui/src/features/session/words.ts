import type { SessionView } from '$lib/api';
import { between, folded, type Fold } from '$lib/ui/folded';
import { STATUS, type Look } from '$lib/ui/statuses';

/** What the screen of a session says. */
export const words = {
  title: 'Session',
  untitled: 'A session without a name',
  link: 'Session',
  tabs: 'What to show',
  story: 'What it says',
  document: 'The document',
  both: 'With the document',
  line: 'Line {n}',
  toLine: 'Show line {n} of the document',
  tooLong: 'This document is too long to be shown as one text. Open the file in an editor.',
  what: 'The state of a run of several agents in one document. Nothing here is carried out.',
  claims: 'Scores and results are the claims of whoever reported them.',
  ofRun: 'This is the run in the form of a session, as it stands now.',
  run: 'The run',
  id: 'Session',
  type: 'Workflow',
  environment: 'Environment',
  began: 'Began',
  written: 'Last written',
  breaks: { one: '{n} break of the schema', other: '{n} breaks of the schema' },
  standing: 'Where it stands',
  at: 'At step',
  inGroup: ', in group {group}',
  noStep: 'No step has begun.',
  steps: 'Steps by their numbers',
  noSteps: 'No step is completed, failed or skipped.',
  paused: 'Paused: {why}',
  pausedWithout: 'Paused, without a reason',
  quality: 'Quality {score} of 10, as reported',
  status: 'Status',
  tries: { one: 'tried again once', other: 'tried again {n} times' },
  gates: 'Quality gates',
  passed: 'passed',
  failed: 'failed',
  unnamed: 'without a name',
  trend: 'Scores by rounds',
  trendHint: 'As those who did the work claim them, oldest first.',
  trendWords: 'Scores of the rounds, oldest first: {scores}',
  agents: 'Agents',
  noAgents: 'No agent is named.',
  times: 'From {from} to {to}',
  needs: 'Needs',
  made: 'Made',
  reported: 'Reported',
  shortened: 'No agent was at work for {time}: this stretch is drawn short.',
  heard: 'Was told',
  escalated: 'Handed on to {who}',
  decisions: 'Decisions',
  checks: 'Checks',
  failedStep: 'Step {n}',
  ofStep: 'step {n}',
  feedback: 'Feedback between agents',
  to: 'to {who}',
  checkpoints: 'Checkpoints',
  files: 'Files that were made',
  take: 'Import as a run',
  takeOver: 'Go on with its workflow…',
  takeOverTitle: 'Go on from this session?',
  takeOverText: 'Choose the workflow that it is of. What it says is completed is not done again.',
  takeOverMissing: 'What the steps need is not all here',
  takeOverWith: 'Workflow',
  takeOverChoose: 'Choose a workflow',
  takeOverAt: 'Go on at',
  takeOverFirst: 'Where the session stands',
  takeOverConfirm: 'Start a new run from there',
  countsAsDone: 'Counts as completed',
  countsAsSkipped: 'Counts as left out',
  runsNow: 'Runs now',
  mayCome: 'May come after it',
  more: { one: 'Show {n} more', other: 'Show {n} more' },
} as const;

/** The seed's words for how an agent stands. A word that it does not know is shown as it stands. */
const AGENT: Record<string, Look> = {
  pending: STATUS.not_started,
  in_progress: STATUS.running,
  completed: STATUS.done,
  failed: STATUS.failed,
  skipped: STATUS.skipped,
};

export const agentLook = (status: string | null): Look =>
  AGENT[status ?? ''] ?? { ...STATUS.not_started, word: status ?? words.unnamed };

/** How a run of ours stands, by the words of `run.json`. */
export const RUN: Partial<Record<string, Look>> = {
  new: STATUS.not_started,
  running: STATUS.running,
  blocked: STATUS.blocked,
  paused: STATUS.paused,
  succeeded: STATUS.done,
  failed: STATUS.failed,
  aborted: STATUS.aborted,
  completed_with_failures: STATUS.partly,
  refused: STATUS.refused,
  stopped: STATUS.stopped,
  imported: STATUS.imported,
};

/** The seed's words for kinds of decisions, feedback and checks. */
const KINDS: Record<string, string> = {
  workflow_selection: 'Workflow chosen',
  agent_escalation: 'Handed on',
  quality_gate_override: 'Quality gate overridden',
  parallel_execution: 'Beside each other',
  retry_decision: 'Tried again',
  workflow_pause: 'Paused',
  adaptive_routing: 'Way chosen',
  constraint_violation: 'Constraint violated',
  inconsistency: 'Inconsistency',
  missing_requirement: 'Missing requirement',
  technical_infeasibility: 'Not feasible',
  cross_agent: 'Between agents',
  quality_gate: 'Quality gate',
  schema: 'Schema',
  checklist: 'Checklist',
};

export const kind = (word: string | null): string => KINDS[word ?? ''] ?? word ?? '';

/** `completeness_score`: completeness. */
export const score = (name: string): string => name.replace(/_score$/, '').replaceAll('_', ' ');

/** A step of a session: sessions know steps by their numbers alone. */
export interface NumberedStep {
  n: string;
  look: Look;
  failed: SessionView['failed_steps'][number] | null;
}

/** The steps that a session says something about, in the order of their numbers. */
export function numbered(view: SessionView): NumberedStep[] {
  const steps = new Map<string, NumberedStep>();
  const put = (n: string, look: Look, failed: NumberedStep['failed'] = null) => steps.set(n, { n, look, failed });
  for (const n of view.completed_steps) put(n, STATUS.done);
  for (const n of view.skipped_steps) put(n, STATUS.skipped);
  for (const step of view.failed_steps) put(step.step ?? '?', STATUS.failed, step);
  return [...steps.values()].sort((a, b) => Number(a.n) - Number(b.n));
}

/** The time of all lanes together, in milliseconds, with what of it is drawn short. */
export interface Span {
  first: number;
  last: number;
  folds: readonly Fold[];
  /** Where an instant stands, in hundredths of the length. */
  place: (at: number) => number;
}

/** So many parts are drawn of the length: a stretch that is drawn short is as long as on a timeline of so many px. */
const PARTS = 1000;

/** From when to when the agents of a session were at work; null: no times are told. */
export function span(view: SessionView): Span | null {
  let first = Infinity;
  let last = -Infinity;
  const take = (at: string | null) => {
    const time = Date.parse(at ?? '');
    if (Number.isNaN(time)) return;
    first = Math.min(first, time);
    last = Math.max(last, time);
  };
  for (const { started, ended } of view.agents) {
    take(started);
    take(ended);
  }
  if (first === Infinity) return null;
  take(view.updated_at);
  const gaps = view.gaps.map(([from, to]) => ({ from, to, rest: false }));
  const { values, places, folds } = folded(first, Math.max(last, first + 1), gaps, { from: 0, to: PARTS });
  const [from, to] = [Float64Array.from(values), Float64Array.from(places)];
  const part = PARTS / 100;
  return {
    first,
    last,
    folds: folds.map((fold) => ({ ...fold, x: fold.x / part, width: fold.width / part })),
    place: (at) => between(from, to, at) / part,
  };
}

/** A lane's bar, in hundredths of the length; null: no times are told. */
export function bar(all: Span | null, agent: SessionView['agents'][number]): { left: number; width: number } | null {
  const from = Date.parse(agent.started ?? '');
  if (!all || Number.isNaN(from)) return null;
  const to = Date.parse(agent.ended ?? '') || all.last;
  const left = all.place(from);
  return { left, width: all.place(Math.max(from, to)) - left };
}

/** What an agent did in more than one round, with the score of each. */
export function trends(view: SessionView): { what: string; agent: string; scores: number[] }[] {
  const tenths = (score: number) => Math.round(score * 10) / 10;
  return view.agents.flatMap((agent) =>
    agent.outputs
      .filter(({ trend }) => trend.length > 1)
      .map(({ name, trend }) => ({ what: name, agent: agent.name, scores: trend.map(tenths) })),
  );
}

/** The line on which what stands at a line of the document begins; null: it belongs to nothing that is told. */
export function told(view: SessionView, line: number): number | null {
  const lists = [view.quality_gates, view.agents, view.decisions, view.feedback, view.checkpoints, view.checks];
  let found: number | null = null;
  for (const list of lists)
    for (const one of list) if (one.line <= line && (found === null || one.line > found)) found = one.line;
  return found;
}
