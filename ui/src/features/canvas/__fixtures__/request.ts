import type {
  AttemptView,
  EdgeOverlay,
  FaceView,
  LogLine,
  LogView,
  RouteView,
  RunView,
  Status,
  StepDetail,
  StepOverlay,
  StepRef,
  TimelineView,
} from '$lib/api';
import type { Drawing } from '$lib/api/drawing.gen';
import { ordinal } from '$lib/ui/say';
import { columns } from '../../timeline/__fixtures__/columns';
import drawingJson from './request.drawing.json';

/** A run of "Shape a request" as the backend would tell it, at every event: for tests and for looking at the view. */
export const drawing = drawingJson as Drawing;
export const RUN = 'r-2026-11-21-0900-invoice';
const START = Date.UTC(2026, 10, 21, 9, 0, 4);

const refs: Record<string, StepRef> = Object.fromEntries(
  (
    [
      ['normalise', '1', 'Normalise the request'],
      ['frame', '2', 'Frame the problem'],
      ['author', '3', 'Author the requirements'],
      ['critique', '4', 'Critique the requirements'],
      ['scenarios', '5', 'Write scenarios'],
      ['scope', '6', 'Scope and risks'],
      ['decline', '7', 'Decline with reasons'],
    ] as const
  ).map(([id, number, name]) => [id, { id, number, name }]),
);
/** Steps in document order: the drawing names its boxes by position. */
export const order = Object.keys(refs);
const ref = (id: string): StepRef => refs[id] ?? { id, number: '?', name: id };
const agents: Record<string, string> = {
  normalise: 'signal-normaliser',
  frame: 'problem-framer',
  author: 'requirements-author',
  critique: 'requirements-critic',
  scenarios: 'scenario-writer',
  scope: 'scope-assessor',
  decline: 'decliner',
};

export const faces: FaceView[] = order.map((id, ordinal) => ({
  step: ref(id),
  kind: 'agent',
  parent: null,
  dynamic: false,
  jump_only: false,
  detour_from: null,
  collapsed: null,
  ordinal,
  sub: agents[id] ?? '',
  gate: id === 'critique',
  loop_max: id === 'critique' ? 5 : null,
  problem: null,
}));

interface Script {
  after: number;
  kind: string;
  step: string | null;
  words: string;
  stream?: 'stdout' | 'stderr';
}
const S = 1000;
const H = 3600 * S;
/** Milliseconds after the event before. */
const script: Script[] = [
  { after: 0, kind: 'run_created', step: null, words: 'Run created by Anna Berger' },
  { after: 40, kind: 'run_started', step: null, words: 'Run started' },
  { after: 10, kind: 'step_start', step: 'normalise', words: '“Normalise the request” started' },
  { after: 12 * S, kind: 'step_end', step: 'normalise', words: '“Normalise the request” done after 12 s' },
  { after: 5, kind: 'route', step: 'normalise', words: 'On to “Frame the problem”' },
  { after: 5, kind: 'step_start', step: 'frame', words: '“Frame the problem” started' },
  { after: 31 * S, kind: 'step_end', step: 'frame', words: '“Frame the problem” done after 31 s' },
  { after: 5, kind: 'route', step: 'frame', words: 'On to “Author the requirements”' },
  { after: 5, kind: 'step_start', step: 'author', words: '“Author the requirements” started' },
  { after: 20 * S, kind: 'output', step: 'author', words: 'Reading request.md (38 lines)', stream: 'stdout' },
  { after: 22 * S, kind: 'step_end', step: 'author', words: '“Author the requirements” done after 42 s' },
  { after: 5, kind: 'route', step: 'author', words: 'On to “Critique the requirements”' },
  { after: 5, kind: 'step_start', step: 'critique', words: '“Critique the requirements” started' },
  {
    after: 12 * S,
    kind: 'output',
    step: 'critique',
    words: 'R3 has no limit; large exports not covered',
    stream: 'stderr',
  },
  {
    after: 24 * S,
    kind: 'step_end',
    step: 'critique',
    words: '“Critique the requirements” done after 36 s: UNVERIFIED',
  },
  { after: 5, kind: 'route', step: 'critique', words: 'Back to “Author the requirements”, round 1 of 5' },
  { after: 5, kind: 'step_start', step: 'author', words: '“Author the requirements” started for the 2nd time' },
  { after: 46 * S, kind: 'step_end', step: 'author', words: '“Author the requirements” done after 46 s' },
  { after: 5, kind: 'route', step: 'author', words: 'On to “Critique the requirements”' },
  { after: 5, kind: 'step_start', step: 'critique', words: '“Critique the requirements” started for the 2nd time' },
  { after: 48 * S, kind: 'step_end', step: 'critique', words: '“Critique the requirements” done after 48 s: VERIFIED' },
  {
    after: 5,
    kind: 'gate_opened',
    step: 'critique',
    words: 'Asked: Are these requirements good enough to write scenarios?',
  },
  { after: 2 * H, kind: 'gate_answered', step: 'critique', words: 'Anna Berger approved' },
  { after: 5, kind: 'route', step: 'critique', words: 'On to “Write scenarios”' },
  { after: 5, kind: 'step_start', step: 'scenarios', words: '“Write scenarios” started' },
];
let clock = START;
const events = script.map((event, i) => ({ ...event, seq: i + 1, at: (clock += event.after) }));
export const LAST = events.length;
/** The event after which the run waits for a person. */
export const WAITING = 22;

const upTo = (at: number) => events.filter((event) => event.seq <= at);

interface Attempt {
  step: string;
  visit: number;
  start: number;
  from: number;
  end: number | null;
  to: number | null;
}

function attemptsAt(at: number): Attempt[] {
  const attempts: Attempt[] = [];
  for (const event of upTo(at)) {
    const { kind, step } = event;
    if (kind === 'step_start' && step)
      attempts.push({
        step,
        visit: attempts.filter((one) => one.step === step).length + 1,
        start: event.at,
        from: event.seq,
        end: null,
        to: null,
      });
    const open = attempts.findLast((one) => one.step === step && one.end === null);
    if (kind === 'step_end' && open) {
      open.end = event.at;
      open.to = event.seq;
    }
  }
  return attempts;
}

function statusOf(step: string, at: number): Status {
  const mine = attemptsAt(at).filter((one) => one.step === step);
  const gate = upTo(at).findLast((event) => event.kind.startsWith('gate_') && event.step === step);
  if (gate?.kind === 'gate_opened') return 'blocked';
  if (mine.length === 0) return 'not_started';
  return mine.at(-1)?.end === null ? 'running' : 'done';
}

function overlayOf(step: string, at: number): StepOverlay {
  const mine = attemptsAt(at).filter((one) => one.step === step);
  const status = statusOf(step, at);
  const spent = mine.reduce((sum, one) => sum + ((one.end ?? 0) - one.start), 0);
  const [nth, times] = mine.length > 1 ? [` · ${ordinal(mine.length)} time`, ` · ${mine.length} times`] : ['', ''];
  const words: Partial<Record<Status, string>> = {
    not_started: 'not yet',
    running: `running${nth}`,
    blocked: `waits for a person${nth}`,
    done: `done${times} · ${Math.round(spent / S)} s`,
  };
  return { id: step, status, words: words[status] ?? status, visits: mine.length, instances: 0, retry: null };
}

const reasons: Record<
  string,
  Pick<RouteView, 'headline' | 'why' | 'reason' | 'source' | 'source_words' | 'looked_at' | 'alternatives'>
> = {
  linear: {
    headline: 'Why on?',
    why: 'The step ended well and the flow is linear here: the next step follows.',
    reason: 'linear_next',
    source: 'fast_path',
    source_words: 'the only way there was',
    looked_at: [],
    alternatives: [],
  },
  back: {
    headline: 'Why back to “Author the requirements”?',
    why: 'The critic was not satisfied and said that another round can help, so the loop went on: round 1 of 5.',
    reason: 'loop_continue:status=UNVERIFIED',
    source: 'deterministic',
    source_words: "the workflow's own rule",
    looked_at: [
      { name: 'status', value: 'UNVERIFIED' },
      { name: 'can_further_iteration_help', value: 'yes' },
    ],
    alternatives: [
      { to: ref('scenarios'), why_not: 'status is not VERIFIED' },
      { to: ref('decline'), why_not: 'status is not INVALID' },
    ],
  },
  exit: {
    headline: 'Why on to “Write scenarios”?',
    why: 'The critic verified the requirements and Anna Berger approved them, so the loop ended.',
    reason: 'loop_exit_condition_met',
    source: 'person',
    source_words: 'a person',
    looked_at: [
      { name: 'status', value: 'VERIFIED' },
      { name: 'answer', value: 'approve' },
    ],
    alternatives: [{ to: ref('author'), why_not: 'the exit condition is met' }],
  },
};

function edgeBetween(from: string, to: string | null): string | null {
  const [a, b] = [String(order.indexOf(from)), String(order.indexOf(to ?? ''))];
  return drawing.edges.find((edge) => edge.from === a && edge.to === b)?.id ?? null;
}

function routesAt(at: number): RouteView[] {
  return upTo(at)
    .filter((event) => event.kind === 'route')
    .map((event, i) => {
      const from = event.step ?? '';
      const to = events.find((next) => next.seq > event.seq && next.kind === 'step_start')?.step ?? null;
      const why = from === 'critique' ? (to === 'author' ? 'back' : 'exit') : 'linear';
      const words = reasons[why];
      if (!words) throw new Error(why);
      return {
        ...words,
        headline: why === 'linear' && to ? `Why on to “${ref(to).name}”?` : words.headline,
        number: i + 1,
        seq: event.seq,
        at: event.at,
        from: ref(from),
        unit: null,
        visit: attemptsAt(event.seq).filter((one) => one.step === from).length,
        to: to ? ref(to) : null,
        edge_id: edgeBetween(from, to),
        decision: why === 'back' ? 'loop' : 'advance',
      };
    });
}

export function runAt(seq: number | undefined, last = LAST): RunView {
  const at = Math.min(seq ?? last, last);
  const routes = routesAt(at);
  const steps = order.map((id) => overlayOf(id, at));
  const blocked = steps.some((step) => step.status === 'blocked');
  const live = at === last;
  const edges: EdgeOverlay[] = drawing.edges.map((edge) => {
    const taken = routes.filter((route) => route.edge_id === edge.id).map((route) => route.number);
    return { id: edge.id, taken, loop_badge: edge.kind === 'loop' ? `${taken.length}/5` : null };
  });
  return {
    run_id: RUN,
    format: 'stepwise',
    message: null,
    parent: null,
    pipeline: null,
    prompted: false,
    workflow_title: 'Shape a request',
    workflow_path: 'workflows/shape-a-request/flow.yaml',
    at,
    last,
    at_time: events[at - 1]?.at ?? START,
    status: blocked ? 'blocked' : 'running',
    status_words: blocked ? 'waits for you' : 'running',
    outcome: null,
    created_at: START,
    ended_at: null,
    error: null,
    by: 'Anna Berger',
    initiator: 'desktop',
    rehearsal: false,
    scenario: null,
    driver: 'desktop 4711@atlas',
    source_changed: true,
    drawing,
    faces,
    steps,
    edges,
    routes,
    waiting: blocked
      ? {
          run_id: RUN,
          gate: 'critique',
          purpose: 'approval',
          instance: null,
          round: 1,
          question: 'Are these requirements good enough to write scenarios?',
          workflow_title: 'Shape a request',
          step: ref('critique'),
          waiting_since: events[WAITING - 1]?.at ?? START,
          asks: ['product'],
          mine: true,
          own: true,
          started_by: 'Anna Berger',
          rehearsal: false,
        }
      : null,
    actions: live
      ? [
          { action: 'pause', allowed: true, refusal: null },
          { action: 'resume', allowed: false, refusal: { code: 'not_paused', message: 'The run is not paused.' } },
          { action: 'abort', allowed: true, refusal: null },
        ]
      : [],
  };
}

export function timelineAt(last = LAST): TimelineView {
  const shown = upTo(last);
  const end = shown.at(-1)?.at ?? START;
  const opened = shown.find((event) => event.kind === 'gate_opened');
  const answered = shown.find((event) => event.kind === 'gate_answered');
  return {
    start: START,
    end,
    at: last,
    last,
    queued: false,
    lanes: [
      ...order.map((id, place) => ({
        place,
        from: 0,
        step: ref(id),
        name: `${ref(id).number} ${ref(id).name}`,
        bars: attemptsAt(last)
          .filter((one) => one.step === id)
          .map((one) => ({
            start: one.start,
            end: one.end,
            from_seq: one.from,
            to_seq: one.to,
            status: (one.end === null ? 'running' : 'done') as Status,
            label: ['author', 'critique'].includes(id) ? `round ${one.visit}` : '',
          })),
      })),
      {
        place: order.length,
        from: 0,
        step: null,
        name: 'People',
        bars: opened
          ? [
              {
                start: opened.at,
                end: answered?.at ?? null,
                from_seq: opened.seq,
                to_seq: answered?.seq ?? null,
                status: 'blocked' as Status,
                label: 'Anna Berger',
              },
            ]
          : [],
      },
    ],
    ticks: columns(
      shown
        .filter((event) => event.kind !== 'output')
        .map(({ seq, at, step }) => ({ seq, at, lane: step === null ? null : order.indexOf(step) })),
    ),
    gaps: opened && answered ? [[opened.at + 60 * S, answered.at - 5 * S]] : [],
    rests: [],
  };
}

const critique =
  '<h1>Critique</h1><p>R3 now has a limit and <strong>R3a</strong> covers large exports.</p><ul><li>R1 clear</li><li>R2 clear</li></ul>';

export function stepAt(step: string, seq: number | undefined): StepDetail {
  const at = seq ?? LAST;
  const overlay = overlayOf(step, at);
  const mine = attemptsAt(at).filter((one) => one.step === step);
  const routes = routesAt(at);
  return {
    step: ref(step),
    intent: 'Find what would stop somebody from building this, and say whether another round can help.',
    status: overlay.status,
    words: overlay.words,
    waiting: overlay.status === 'blocked' ? runAt(at).waiting : null,
    intent_html: null,
    kind: 'agent',
    run_ended_before: false,
    instances: [],
    instances_in_all: 0,
    path: [],
    inside: [],
    command: null,
    visits: mine
      .map((one) => ({
        children: [],
        visit: one.visit,
        attempts: [attemptOf(one)],
        route: routes.find((route) => route.from.id === step && route.visit === one.visit) ?? null,
      }))
      .reverse(),
  };
}

function attemptOf(one: Attempt): AttemptView {
  const ended = one.end !== null;
  return {
    output_from_end: false,
    attempt: 1,
    status: ended ? 'done' : 'running',
    agent: agents[one.step] ?? '',
    engine: 'stub-step',
    model: 'stub',
    started_at: one.start,
    ended_at: one.end,
    duration_ms: one.end === null ? null : one.end - one.start,
    error: null,
    output: ended ? 'R3 now has a limit and R3a covers large exports. Nothing blocks building.' : '',
    whole_output: null,
    report: ended
      ? [
          { name: 'status', value: one.visit > 1 ? 'VERIFIED' : 'UNVERIFIED' },
          { name: 'can_further_iteration_help', value: 'yes' },
        ]
      : [],
    tokens: ended ? [1890, 420, 2310] : [0, 0, 0],
    comments: one.visit > 1 ? ['Please say what happens above 10 000 rows.'] : [],
    artifacts: ended
      ? [
          {
            path: `signal/${one.step}.md`,
            bytes: 1893,
            digest: '3f9a2c1b7d3f9a2c1b7d3f9a2c1b7d3f9a2c1b7d3f9a2c1b7d3f9a2c1b7d0000',
            kind: 'markdown',
            html: critique,
            changes: null,
            differs_on_disk: false,
          },
        ]
      : [],
    tools: ended
      ? [
          ['read_file', true],
          ['write_file', true],
          ['search', false],
        ]
      : [],
    receipt: ended
      ? {
          path: `signal/receipts/${one.step}-${agents[one.step] ?? ''}.json`,
          text: JSON.stringify(
            { engine: 'stub-step', status: 'succeeded', duration_ms: (one.end ?? 0) - one.start },
            null,
            2,
          ),
        }
      : null,
    transcript: ended
      ? [
          { timestamp: new Date(one.start).toISOString(), role: 'system', content: 'You are the critic.' },
          {
            timestamp: new Date(one.start + 2000).toISOString(),
            role: 'user',
            content: 'Critique signal/requirements.md.',
          },
          { timestamp: new Date(one.end ?? 0).toISOString(), role: 'assistant', content: 'R3 now has a limit.' },
        ]
      : [],
  };
}

export function logAfter(after: number, last = LAST): LogView {
  return {
    lines: upTo(last)
      .filter((event) => event.seq > after)
      .map((event): LogLine => ({
        seq: event.seq,
        at: event.at,
        step: event.step ? ref(event.step) : null,
        stream: event.stream ?? 'event',
        text: event.words,
        status: event.kind === 'step_end' ? 'done' : event.kind === 'gate_opened' ? 'blocked' : null,
      })),
    last,
  };
}
