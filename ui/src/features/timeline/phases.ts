import type { TimelineLane } from '$lib/api';

/** A lane, or the heading above the lanes of a phase. */
export type Row = TimelineLane & { readonly heading?: boolean };

/** The lanes with a heading wherever a phase begins. Where no step has a phase they stay as they are. */
export function grouped(lanes: readonly TimelineLane[]): readonly Row[] {
  if (!lanes.some((lane) => lane.phase)) return lanes;
  let phase: string | undefined;
  return lanes.flatMap((lane) => {
    const begins = lane.step !== null && lane.phase !== undefined && lane.phase !== phase;
    phase = lane.step === null ? phase : lane.phase;
    const heading: Row = { place: lane.place, from: 0, step: null, name: lane.phase ?? '', bars: [], heading: true };
    return begins ? [heading, lane] : [lane];
  });
}
