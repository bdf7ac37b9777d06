import type { TimelineTicks } from '$lib/api';

/** Events as a timeline tells them. */
export function columns(events: readonly { seq: number; at: number; lane?: number | null }[]): TimelineTicks {
  const before = (i: number) => events[i - 1] ?? { seq: 0, at: 0 };
  return {
    seq: events.map(({ seq }, i) => seq - before(i).seq),
    at: events.map(({ at }, i) => at - before(i).at),
    lane: events.map(({ lane }) => lane ?? null),
  };
}
