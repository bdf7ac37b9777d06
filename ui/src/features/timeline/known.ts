import type { TimelineView } from '$lib/api';

/**
 * What was known of a timeline and what was told besides, as one. What did not change stays the same object. Null: what was told is not
 * besides that.
 */
export function together(known: TimelineView | null, told: TimelineView): TimelineView | null {
  if (told.after === undefined) return told;
  if (known?.at !== told.after) return null;
  const lanes = new Map(known.lanes.map((lane) => [lane.place, lane]));
  for (const lane of told.lanes) {
    const before = lanes.get(lane.place)?.bars ?? [];
    lanes.set(lane.place, { ...lane, from: 0, bars: [...before.slice(0, lane.from), ...lane.bars] });
  }
  const { after: _, ...rest } = told;
  return {
    ...rest,
    lanes: [...lanes.values()].toSorted((a, b) => a.place - b.place),
    ticks: told.ticks.length > 0 ? [...known.ticks, ...told.ticks] : known.ticks,
  };
}
