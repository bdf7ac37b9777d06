import type { Tick } from '$lib/api';

/** The events of a run as columns, so that a hundred thousand of them are searched in microseconds. */
export class Ticks {
  readonly at: Float64Array;
  readonly seq: Float64Array;
  readonly list: readonly Tick[];

  constructor(list: readonly Tick[]) {
    this.list = list;
    this.at = new Float64Array(list.length);
    this.seq = new Float64Array(list.length);
    let latest = -Infinity;
    list.forEach((tick, i) => {
      // A clock that was set back does not turn the axis around.
      latest = Math.max(latest, tick.at);
      this.at[i] = latest;
      this.seq[i] = tick.seq;
    });
  }

  get length(): number {
    return this.list.length;
  }

  /** The last event at or before a sequence number (events of output are not in the list), 0-based; -1 before the first. */
  indexOfSeq(seq: number): number {
    return lastAtMost(this.seq, seq);
  }

  /** The last event at or before an instant; -1 before the first. */
  indexOfTime(at: number): number {
    return lastAtMost(this.at, at);
  }
}

/** Index of the last value not above `wanted`; -1 if all are. The values ascend. */
export function lastAtMost(values: Float64Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const half = (low + high) >>> 1;
    if ((values[half] ?? Infinity) <= wanted) low = half + 1;
    else high = half;
  }
  return low - 1;
}
