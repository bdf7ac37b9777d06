import type { Status, TimelineLane, WaitInside } from '$lib/api';
import type { Stretch } from '$lib/ui/folded';
import type { Axis } from './axis';
import type { Course } from './course';

/** What is expected of a step that has not begun, or not ended: an estimate, never a fact. */
export interface Planned {
  readonly step: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Lanes in the order in which their steps began; those that have not begun below them, as planned, then as written. People last.
 */
export function inStartOrder(lanes: readonly TimelineLane[], planned: readonly Planned[] = []): TimelineLane[] {
  const expected = new Map(planned.map((one) => [one.step, one.start]));
  const begun = (lane: TimelineLane) =>
    lane.bars[0]?.start ?? (lane.step ? expected.get(lane.step.id) : undefined) ?? Infinity;
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

/** How a step stands while it is not at work though its attempt is open: a pipeline's stage whose own run asks somebody. */
const AT_REST: readonly Status[] = ['blocked', 'paused', 'left_open'];

/**
 * The bar of an attempt that is open looks as its step stands now, where nothing is at work in it. `now`: how the steps stand. `waits`: what
 * the runs inside wait for is drawn within the bar, which is work before.
 */
export function standing(
  lanes: readonly TimelineLane[],
  now: readonly { readonly id: string; readonly status: Status }[],
  waits: readonly WaitInside[] = [],
): readonly TimelineLane[] {
  const resting = new Map(now.flatMap(({ id, status }) => (AT_REST.includes(status) ? [[id, status]] : [])));
  if (resting.size === 0) return lanes;
  const drawn = new Set(waits.filter((wait) => wait.end === null).map((wait) => wait.place));
  return lanes.map((lane) => {
    const bar = lane.bars.at(-1);
    const status = lane.step && resting.get(lane.step.id);
    if (!status || bar?.end !== null || bar.status !== 'running') return lane;
    if (status === 'blocked' && drawn.has(lane.place)) return lane;
    return { ...lane, bars: lane.bars.with(-1, { ...bar, status }) };
  });
}

/** The stretches to fold: where nothing was at work, and every rest between an end and being taken up again, however short. */
export function stretches({ gaps, rests }: Pick<Course, 'gaps' | 'rests'>): Stretch[] {
  const told = (of: Course['gaps'], rest: boolean) => of.map(([from, to]): Stretch => ({ from, to, rest }));
  return [...told(gaps, false), ...told(rests, true)];
}

/** A bar this long is seen beside others, px. */
const LONG = 48;

/** Whether lengths tell something: where some step worked for long enough to be seen, time is the right measure. */
export function telling(timeline: Pick<Course, 'lanes' | 'end'>, axis: Axis): boolean {
  return timeline.lanes.some(
    (lane) =>
      lane.step !== null &&
      lane.bars.some(
        (bar) => bar.status !== 'queued' && axis.ofTime(bar.end ?? timeline.end) - axis.ofTime(bar.start) >= LONG,
      ),
  );
}
