import type { TimelineView } from '$lib/api';
import { Ticks } from './ticks';

/** A run over time, as far as it is known. */
export type Course = Omit<TimelineView, 'after' | 'ticks'> & { readonly ticks: Ticks };

/**
 * What was known of a run over time and the piece that was told besides, as one. What did not change stays the same object. Null: the piece
 * is not besides what was known.
 */
export function together(known: Course | null, { after, ticks, ...told }: TimelineView): Course | null {
  if (after === undefined) return { ...told, ticks: Ticks.none.and(ticks) };
  if (known?.at !== after) return null;
  const lanes = new Map(known.lanes.map((lane) => [lane.place, lane]));
  for (const lane of told.lanes) {
    const before = lanes.get(lane.place)?.bars ?? [];
    lanes.set(lane.place, { ...lane, from: 0, bars: before.slice(0, lane.from).concat(lane.bars) });
  }
  return {
    ...told,
    lanes: [...lanes.values()].toSorted((a, b) => a.place - b.place),
    ticks: known.ticks.and(ticks),
  };
}
