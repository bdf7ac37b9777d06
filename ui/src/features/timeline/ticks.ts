import type { TimelineTicks } from '$lib/api';
import { lastAtMost } from '$lib/ui/folded';

export { lastAtMost };

/** The columns of events with room behind them, shared by all `Ticks` that have grown in it. */
interface Room {
  readonly at: Float64Array;
  readonly seq: Float64Array;
  readonly lane: Int32Array;
  /** How much of it is taken. */
  used: number;
}

/** Of an event that is about no step. */
export const NO_LANE = -1;

const room = (size: number): Room => ({
  at: new Float64Array(size),
  seq: new Float64Array(size),
  lane: new Int32Array(size),
  used: 0,
});

/** The events of a run as columns, so that a million of them take little room and are searched in microseconds. */
export class Ticks {
  static readonly none = new Ticks(room(0), 0);
  readonly at: Float64Array;
  readonly seq: Float64Array;
  /** The place of the lane of the step that is meant, or `NO_LANE`. */
  readonly lane: Int32Array;
  readonly #room: Room;

  private constructor(inside: Room, length: number) {
    this.#room = inside;
    this.at = inside.at.subarray(0, length);
    this.seq = inside.seq.subarray(0, length);
    this.lane = inside.lane.subarray(0, length);
  }

  get length(): number {
    return this.seq.length;
  }

  /** These and the ones that were told besides. These stay as they are, and are copied only where there is no room behind them. */
  and(told: TimelineTicks): Ticks {
    const before = this.length;
    const length = before + told.seq.length;
    if (length === before) return this;
    const to = this.#roomFor(length);
    let [seq, at] = [0, 0];
    let latest = this.at[before - 1] ?? -Infinity;
    for (let i = before; i < length; i++) {
      seq += told.seq[i - before] ?? 0;
      at += told.at[i - before] ?? 0;
      // A clock that was set back does not turn the axis around.
      latest = Math.max(latest, at);
      to.seq[i] = seq;
      to.at[i] = latest;
      to.lane[i] = told.lane[i - before] ?? NO_LANE;
    }
    to.used = length;
    return new Ticks(to, length);
  }

  #roomFor(length: number): Room {
    // Where others have grown from these, what is behind them is theirs.
    if (this.#room.used === this.length && length <= this.#room.seq.length) return this.#room;
    const larger = room(length + Math.ceil(length / 2));
    larger.at.set(this.at);
    larger.seq.set(this.seq);
    larger.lane.set(this.lane);
    return larger;
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
