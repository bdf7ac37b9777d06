import type { EdgeOverlay, FaceView, LogView, RunView, Status, StepOverlay, StepRef, TimelineView } from '$lib/api';
import type { Drawing } from '$lib/api/drawing.gen';
import drawingJson from './delivery.drawing.json';
import { columns } from '../../timeline/__fixtures__/columns';
import { runAt } from './request';

/** A pipeline of eleven stages, three and two of them side by side, as the backend would tell it. */
export const drawing = drawingJson as Drawing;

const STAGES = [
  ['analysis', 'Analysis', 'analyst'],
  ['requirements', 'Requirements', 'product-manager'],
  ['architecture', 'Architecture', 'architect'],
  ['ux', 'Screen design', 'ux-designer, copy-writer'],
  ['threats', 'Threat model', 'security-reviewer'],
  ['planning', 'Plan the work', 'scrum-master'],
  ['backend', 'Build the server', 'developer'],
  ['frontend', 'Build the pages', 'developer'],
  ['docs', 'Write the manual', 'writer'],
  ['checks', 'Run all checks', 'make check'],
  ['release', 'Release', 'release.runbook.md'],
] as const;

export const order: readonly string[] = STAGES.map(([id]) => id);
const ref = (i: number): StepRef => ({ id: STAGES[i]?.[0] ?? '', number: String(i + 1), name: STAGES[i]?.[1] ?? '' });
/** The longest way, first to last. */
export const critical = ['analysis', 'requirements', 'ux', 'planning', 'backend', 'checks', 'release'];

export const faces: FaceView[] = STAGES.map(([id, , who], ordinal) => ({
  step: ref(ordinal),
  ordinal,
  kind: id === 'checks' ? 'command' : id === 'release' ? 'runbooks' : 'agent',
  parent: null,
  dynamic: false,
  jump_only: false,
  detour_from: null,
  collapsed: null,
  sub: who,
  ...(who.includes(', ') ? { agents: who.split(', ') } : {}),
  gate: id === 'planning',
  loop_max: null,
  problem: null,
}));

const step = (id: string, status: string, words: string): StepOverlay => ({
  id,
  // Statuses that the backend is about to tell.
  status: status as Status,
  words,
  visits: status === 'not_started' ? 0 : 1,
  instances: 0,
  retry: null,
});

/** Two designs at work, the third queued. */
export const steps: StepOverlay[] = [
  step('analysis', 'done', 'done · 2 min'),
  step('requirements', 'done', 'done · 3 min 10 s'),
  step('architecture', 'running', 'running · 40 s'),
  step('ux', 'running', 'running · 38 s'),
  step('threats', 'queued', 'queued · waits for room'),
  ...order.slice(5).map((id) => step(id, 'not_started', '')),
];

/** Taken up again after a stop: a build failed, the manual was skipped. */
export const ended: StepOverlay[] = [
  ...order.slice(0, 6).map((id) => step(id, 'done', 'done · 2 min')),
  step('backend', 'failed', 'failed · compiler missing'),
  step('frontend', 'aborted', 'stopped after 12 s'),
  step('docs', 'skipped', 'skipped by Anna Berger'),
  step('checks', 'skipped', 'skipped, needs Build the server'),
  step('release', 'skipped', 'skipped, needs Run all checks'),
];

/** A dependency that held back no longer is numbered in the order in which it was met. */
export const edges = (of: readonly StepOverlay[]): EdgeOverlay[] => {
  let n = 0;
  return drawing.edges.map((edge) => {
    const met = of[Number(edge.from)]?.status === 'done' && of[Number(edge.to)]?.visits === 1;
    return { id: edge.id, taken: met ? [++n] : [], loop_badge: null };
  });
};

const START = Date.UTC(2026, 10, 21, 9);
const MIN = 60_000;

/** Every event. */
const happened: { seq: number; at: number; words: string; step: string | null }[] = [];

/** Queued, at work side by side, a gate, a stop, a rest of two hours, taken up again. */
export const timeline: TimelineView = (() => {
  const ticks = happened;
  const bars = new Map<string, TimelineView['lanes'][number]['bars']>();
  const tick = (at: number, words: string, id: string | null = null) => {
    ticks.push({ seq: ticks.length + 1, at: START + at, words, step: id });
    return ticks.length;
  };
  const bar = (id: string, from: number, to: number | null, status: string, label = '') =>
    bars.set(id, [
      ...(bars.get(id) ?? []),
      {
        start: START + from,
        end: to === null ? null : START + to,
        from_seq: ticks.length,
        to_seq: to === null ? null : ticks.length + 1,
        status: status as Status,
        label,
      },
    ]);
  const work = (id: string, queued: number, from: number, to: number | null, status = 'done', label = '') => {
    tick(queued, `${id} queued.`, id);
    if (from > queued) bar(id, queued, from, 'queued');
    tick(from, `${id} started.`, id);
    bar(id, from, to, status, label);
    if (to !== null) tick(to, `${id} ended.`, id);
  };
  tick(0, 'Run started.');
  work('analysis', 0, 0, 2 * MIN);
  work('requirements', 2 * MIN, 2 * MIN, 5 * MIN);
  work('architecture', 5 * MIN, 5 * MIN, 9 * MIN);
  work('ux', 5 * MIN, 5 * MIN, 11 * MIN);
  work('threats', 5 * MIN, 9 * MIN, 12 * MIN);
  work('planning', 12 * MIN, 12 * MIN, 14 * MIN);
  tick(14 * MIN, 'Plan the work asks for a decision.', 'planning');
  bar('People', 14 * MIN, 20 * MIN, 'blocked', 'Plan the work');
  work('frontend', 20 * MIN, 20 * MIN, 22 * MIN, 'aborted');
  work('backend', 20 * MIN, 20 * MIN, 22 * MIN, 'failed', 'attempt 1');
  tick(22 * MIN, 'Run stopped.');
  tick(142 * MIN, 'Taken up again.');
  bar('docs', 142 * MIN, 142 * MIN, 'skipped', 'skipped');
  work('backend', 142 * MIN, 142 * MIN, 146 * MIN, 'done', 'attempt 2');
  work('frontend', 142 * MIN, 144 * MIN, null, 'running', 'attempt 2');
  ticks.sort((a, b) => a.at - b.at).forEach((one, i) => (one.seq = i + 1));
  return {
    start: START,
    end: START + 147 * MIN,
    at: ticks.length,
    last: ticks.length,
    queued: true,
    lanes: [
      ...order.map((id, i) => ({ place: i, from: 0, step: ref(i), name: ref(i).name, bars: bars.get(id) ?? [] })),
      { place: order.length, from: 0, step: null, name: 'People', bars: bars.get('People') ?? [] },
    ],
    ticks: columns(ticks.map(({ step, ...tick }) => ({ ...tick, lane: step === null ? null : order.indexOf(step) }))),
    gaps: [],
    rests: [[START + 22 * MIN, START + 142 * MIN]],
  };
})();

export const log: LogView = {
  lines: happened.map(({ seq, at, words }) => ({ seq, at, step: null, stream: 'event', text: words, status: null })),
  last: happened.length,
};

export function run(of: readonly StepOverlay[]): RunView {
  return {
    ...runAt(undefined),
    workflow_title: 'Deliver a feature',
    workflow_path: 'pipelines/PIPE-20261121-deliver-a-feature-090000.yaml',
    format: 'pipeline',
    at: timeline.at,
    last: timeline.last,
    status: 'running',
    status_words: 'running',
    drawing,
    faces,
    steps: [...of],
    edges: edges(of),
    routes: [],
    waiting: null,
  };
}
