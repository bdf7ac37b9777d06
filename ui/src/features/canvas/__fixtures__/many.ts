import type { FaceView, LogView, RunView, Status, StepDetail, TimelineView } from '$lib/api';
import type { Drawing, EdgePath } from '$lib/api/drawing.gen';
import { columns } from '../../timeline/__fixtures__/columns';
import { RUN, runAt, stepAt } from './request';

const COLUMN = 232;
const ROW = 96;

/** A large made-up run: a grid of steps, and as many events as wanted. */
export function many(steps: number, events: number) {
  const rows = Math.max(1, Math.round(Math.sqrt(steps / 4)));
  const nodes = Array.from({ length: steps }, (_, i) => ({
    id: String(i),
    x: 24 + Math.floor(i / rows) * COLUMN,
    y: 24 + (i % rows) * ROW,
    width: 168,
    height: 64,
  }));
  const edges: EdgePath[] = [];
  nodes.forEach((from, i) => {
    for (const j of i % 5 === 0 ? [i + rows, i + rows + 1] : [i + rows]) {
      const to = nodes[j];
      if (!to) continue;
      const [x1, y1, x2, y2] = [from.x + 168, from.y + 32, to.x, to.y + 32];
      const half = (x1 + x2) / 2;
      edges.push({
        id: `e${edges.length}`,
        from: from.id,
        to: to.id,
        kind: j === i + rows ? 'flow' : 'branch',
        back: false,
        implied: false,
        label: null,
        path: `M ${x1} ${y1} C ${half} ${y1} ${half} ${y2} ${x2} ${y2}`,
        points: [
          { x: x1, y: y1 },
          { x: x2, y: y2 },
        ],
        arrow: { x: x2, y: y2, angle_deg: 0 },
        label_at: null,
        number_at: { x: half, y: (y1 + y2) / 2 - 11 },
      });
    }
  });
  const drawing: Drawing = {
    width: 48 + Math.ceil(steps / rows) * COLUMN - 64,
    height: 48 + rows * ROW - 32,
    direction: 'right',
    nodes,
    edges,
    groups: [],
    lanes: [],
    forks: [],
    bars: nodes
      .filter((_, i) => i % 17 === 16)
      .map((node) => ({ x1: node.x + 176, y1: node.y + 16, x2: node.x + 176, y2: node.y + 48, node: node.id })),
  };
  const ref = (i: number) => ({ id: `s${i}`, number: String(i + 1), name: `Check the documents of folder ${i + 1}` });
  const faces: FaceView[] = nodes.map((_, i) => ({
    step: ref(i),
    kind: 'agent',
    parent: null,
    dynamic: false,
    jump_only: false,
    detour_from: null,
    collapsed: null,
    ordinal: i,
    sub: 'document-checker',
    gate: i % 17 === 16,
    loop_max: null,
    problem: null,
  }));
  const statusOf = (i: number): Status =>
    i < steps * 0.6 ? (i % 97 === 5 ? 'failed' : 'done') : i < steps * 0.62 ? 'running' : 'not_started';
  const run = (at: number | undefined): RunView => ({
    ...runAt(undefined),
    at: at ?? events,
    last: events,
    drawing,
    faces,
    steps: nodes.map((_, i) => ({ id: `s${i}`, status: statusOf(i), words: '', visits: 1, instances: 0, retry: null })),
    edges: edges.map((edge, i) => ({ id: edge.id, taken: i < edges.length * 0.55 ? [i + 1] : [], loop_badge: null })),
    routes: [],
    waiting: null,
    status: 'running',
    status_words: 'running',
  });
  const start = Date.UTC(2026, 10, 21, 9);
  const lanes = Math.min(steps, 400);
  const perLane = Math.ceil(events / 2 / lanes);
  const timeline: TimelineView = {
    start,
    end: start + events * 50,
    at: events,
    last: events,
    queued: false,
    lanes: Array.from({ length: lanes }, (_, lane) => ({
      place: lane,
      from: 0,
      step: ref(lane),
      name: ref(lane).name,
      bars: Array.from({ length: perLane }, (_, i) => {
        const seq = (i * lanes + lane) * 2 + 1;
        return {
          start: start + seq * 50,
          end: start + (seq + 1) * 50,
          from_seq: seq,
          to_seq: seq + 1,
          status: ((i * 7 + lane) % 53 === 0 ? 'failed' : 'done') as Status,
          label: `round ${i + 1}`,
        };
      }),
    })),
    ticks: columns(
      Array.from({ length: events }, (_, i) => ({
        seq: i + 1,
        at: start + i * 50,
        lane: Math.floor(i / 2) % lanes,
      })),
    ),
    gaps: [],
    rests: [],
  };
  const step = (id: string): StepDetail => ({ ...stepAt('critique', undefined), step: ref(Number(id.slice(1))) });
  const log = (after: number, until = events): LogView => ({
    lines: Array.from({ length: Math.min(until, events) - after }, (_, i) => ({
      seq: after + i + 1,
      at: start + (after + i) * 50,
      step: null,
      stream: 'event',
      text: `Event ${after + i + 1} of a made-up run`,
      status: null,
    })),
    last: events,
  });
  return { id: RUN, run, timeline, step, log };
}
