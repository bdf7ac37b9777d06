import type { TimelineView } from '$lib/api';
import type { Axis } from './axis';

type Lane = TimelineView['lanes'][number];

/** A folded stretch: from, to, and whether the run was at rest then, ended and not yet taken up again. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly rest: boolean;
}

/** What is expected of a step that has not begun, or not ended: an estimate, never a fact. */
export interface Planned {
  readonly step: string;
  readonly start: number;
  readonly end: number;
}

/** Whether steps were queued: then several may have run at once, and who began first is what the lanes should tell. */
export function isGantt(timeline: TimelineView): boolean {
  return timeline.ticks.some((tick) => tick.kind === 'queued');
}

/**
 * Lanes in the order in which their steps began; those that have not begun below them, as planned, then as written. People last.
 */
export function inStartOrder(lanes: readonly Lane[], planned: readonly Planned[] = []): Lane[] {
  const expected = new Map(planned.map((one) => [one.step, one.start]));
  const begun = (lane: Lane) => lane.bars[0]?.start ?? (lane.step ? expected.get(lane.step.id) : undefined) ?? Infinity;
  const place = new Map(lanes.map((lane, i) => [lane, { last: lane.step === null, none: lane.bars.length === 0, i }]));
  return [...lanes].sort((a, b) => {
    const [x, y] = [place.get(a), place.get(b)];
    if (!x || !y) return 0;
    if (x.last !== y.last) return x.last ? 1 : -1;
    if (x.none !== y.none) return x.none ? 1 : -1;
    const [s, t] = [begun(a), begun(b)];
    return s === t ? x.i - y.i : s - t;
  });
}

/** The stretches to fold: those of the backend, and every rest between an end and being taken up again, however short. */
export function stretches(timeline: TimelineView): Stretch[] {
  const rests: Stretch[] = [];
  let ended: number | null = null;
  for (const { kind, at } of timeline.ticks) {
    if (kind === 'run_completed') ended = at;
    else if (kind === 'run_reopened' && ended !== null) {
      if (at > ended) rests.push({ from: ended, to: at, rest: true });
      ended = null;
    }
  }
  return [...timeline.gaps.map(([from, to]) => ({ from, to, rest: false })), ...rests];
}

/** A bar this long is seen beside others, px. */
const LONG = 48;

/** Whether lengths tell something: where some step worked for long enough to be seen, time is the right measure. */
export function telling(timeline: TimelineView, axis: Axis): boolean {
  return timeline.lanes.some(
    (lane) =>
      lane.step !== null &&
      lane.bars.some(
        (bar) => bar.status !== 'queued' && axis.ofTime(bar.end ?? timeline.end) - axis.ofTime(bar.start) >= LONG,
      ),
  );
}
