import type { Stretch } from './gantt';
import { lastAtMost, type Ticks } from './ticks';

/** What the length of the timeline means: time that passed, or one width per event. */
export type Scale = 'time' | 'events';

/** A folded stretch: where its mark stands and what it hides. */
export interface Fold {
  readonly x: number;
  readonly width: number;
  readonly ms: number;
  /** The run had ended and was not yet taken up again. */
  readonly rest: boolean;
}

/** px of a folded stretch. */
const FOLD = 44;
/** Folds together never take more than this part of the length. */
const FOLDS_SHARE = 0.4;
/** px left free at both ends, so that the first and the last event can be taken hold of. */
const END = 12;

/** Where things stand however wide the timeline is drawn: in milliseconds, or in widths of one event. */
export class Space {
  readonly scale: Scale;
  readonly ticks: Ticks;
  readonly start: number;
  readonly last: number;

  constructor(scale: Scale, ticks: Ticks, start: number, end: number) {
    this.scale = scale;
    this.ticks = ticks;
    this.start = start;
    this.last = Math.max(end, start + 1, ticks.at[ticks.length - 1] ?? -Infinity);
  }

  ofTime(at: number): number {
    if (this.scale === 'time') return at;
    const { length } = this.ticks;
    const before = this.ticks.indexOfTime(at);
    const [from, to] = [this.#timeOf(before), this.#timeOf(before + 1)];
    const part = to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0;
    const [a, b] = [Math.max(0, before + 0.5), Math.min(length, before + 1.5)];
    return a + part * (b - a);
  }

  timeAt(value: number): number {
    if (this.scale === 'time') return value;
    const { length } = this.ticks;
    const at = Math.min(Math.max(value, 0), length);
    const before = Math.floor(at - 0.5);
    const [a, b] = [Math.max(0, before + 0.5), Math.min(length, before + 1.5)];
    const [from, to] = [this.#timeOf(before), this.#timeOf(before + 1)];
    return b > a ? from + ((at - a) / (b - a)) * (to - from) : from;
  }

  ofTick(index: number): number {
    return this.scale === 'time' ? (this.ticks.at[index] ?? this.start) : index + 0.5;
  }

  /** Where something stands that an event began or ended. */
  ofSeq(seq: number, at: number): number {
    if (this.scale === 'time') return at;
    const index = this.ticks.indexOfSeq(seq);
    return index < 0 ? 0 : this.ofTick(index);
  }

  /** The instant of an event; before the first the start, after the last the end. */
  #timeOf(index: number): number {
    if (index < 0) return this.start;
    return this.ticks.at[index] ?? this.last;
  }
}

/** Maps instants and events to places and back; ascending, so everything is found by halving. */
export class Axis {
  readonly width: number;
  readonly folds: readonly Fold[];
  readonly #space: Space;
  /** Corners of the map from what stands in `Space` to its place. */
  readonly #values: Float64Array;
  readonly #places: Float64Array;

  constructor(scale: Scale, ticks: Ticks, start: number, end: number, gaps: readonly Stretch[], width: number) {
    const space = new Space(scale, ticks, start, end);
    this.#space = space;
    this.width = Math.max(2 * END + 1, width);
    const room = this.width - 2 * END;
    const folds: Fold[] = [];
    const values = [scale === 'time' ? start : 0];
    const places = [END];
    if (scale === 'time') {
      const clean = tidy(gaps, start, space.last);
      const fold = Math.min(FOLD, (room * FOLDS_SHARE) / Math.max(1, clean.length));
      const open = clean.reduce((left, { from, to }) => left - (to - from), space.last - start);
      const perMs = (room - fold * clean.length) / Math.max(1, open);
      let x = END;
      let t = start;
      for (const { from, to, rest } of clean) {
        x += (from - t) * perMs;
        values.push(from);
        places.push(x);
        folds.push({ x, width: fold, ms: to - from, rest });
        x += fold;
        t = to;
        values.push(to);
        places.push(x);
      }
    }
    values.push(scale === 'time' ? space.last : Math.max(1, ticks.length));
    places.push(this.width - END);
    this.folds = folds;
    this.#values = Float64Array.from(values);
    this.#places = Float64Array.from(places);
  }

  get scale(): Scale {
    return this.#space.scale;
  }

  get ticks(): Ticks {
    return this.#space.ticks;
  }

  /** The place of what stands at `value` in `Space`. */
  place(value: number): number {
    return between(this.#values, this.#places, value);
  }

  /** Where an instant stands. */
  ofTime(at: number): number {
    return this.place(this.#space.ofTime(at));
  }

  /** The instant that stands at a place. */
  timeAt(x: number): number {
    return this.#space.timeAt(between(this.#places, this.#values, x));
  }

  /** Where an event stands. */
  ofTick(index: number): number {
    return this.place(this.#space.ofTick(index));
  }

  /** The event nearest to a place; -1 when there is none. */
  tickAt(x: number): number {
    const { length } = this.ticks;
    if (length === 0) return -1;
    if (x < this.ofTick(0)) return 0;
    // Where it is sought is found first: a step of the search is a look at a number then.
    const value = between(this.#places, this.#values, x);
    const { at } = this.ticks;
    let low = this.scale === 'time' ? lastAtMost(at, value) + 1 : Math.min(length, Math.floor(value + 0.5));
    // There and back a number may come out a hair smaller: the last of all that stand at this place.
    if (low < length && this.ofTick(low) <= x)
      low = this.scale === 'time' ? lastAtMost(at, at[low] ?? value) + 1 : low + 1;
    const before = Math.max(0, low - 1);
    const after = Math.min(length - 1, low);
    return x - this.ofTick(before) <= this.ofTick(after) - x ? before : after;
  }
}

/** Gaps in order, inside the run, none touching another of its kind. */
function tidy(gaps: readonly Stretch[], start: number, end: number): Stretch[] {
  const inside = gaps
    .map(({ from, to, rest }) => ({ from: Math.max(from, start), to: Math.min(to, end), rest }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from);
  const apart: Stretch[] = [];
  for (const gap of inside) {
    const before = apart.at(-1);
    if (before && (gap.from < before.to || (gap.from === before.to && gap.rest === before.rest)))
      apart[apart.length - 1] = {
        from: before.from,
        to: Math.max(before.to, gap.to),
        rest: before.rest || gap.rest,
      };
    else apart.push(gap);
  }
  return apart;
}

/** The value of a piecewise straight, ascending map. Beyond its ends it stays there. */
function between(from: Float64Array, to: Float64Array, value: number): number {
  const left = lastAtMost(from, value);
  if (left < 0) return to[0] ?? 0;
  if (left >= from.length - 1) return to[to.length - 1] ?? 0;
  const [a, b] = [from[left] ?? 0, from[left + 1] ?? 0];
  const [p, q] = [to[left] ?? 0, to[left + 1] ?? 0];
  return b === a ? p : p + ((value - a) / (b - a)) * (q - p);
}

/** Events nearer to each other than this many px look like one. */
const APART = 4;
/** Where fewer than one in so many can be told apart, time is the wrong measure. */
const FEW = 5;
/** As many as stand beside each other on a wide screen. */
const MANY = 500;
/** Of fewer events nothing can be said. */
const LEAST = 4;

/**
 * Whether most events could not be told apart by time: then one width per event shows more.
 * True for runs whose steps take milliseconds between long waits for people.
 */
export function crowded(axis: Axis): boolean {
  const { length } = axis.ticks;
  if (axis.scale !== 'time' || length < LEAST) return false;
  // No run can have more places than there is room for; zoomed in, there would be room for millions.
  const most = Math.min(length, axis.width / (2 * APART), MANY);
  let places = 1;
  let before = axis.ofTick(0);
  // From place to place, not from event to event: at most as many steps as there are pixels.
  for (let i = 1; i < length;) {
    const x = axis.ofTick(i);
    if (x - before >= APART) {
      places += 1;
      if (places > 2 && places * FEW >= most) return false;
      before = x;
      i += 1;
    } else i = Math.max(i + 1, axis.tickAt(before + APART));
  }
  return true;
}

/**
 * How a timeline is measured that nobody has chosen for: decided once, as soon as there is something to tell apart. What somebody looks at
 * does not turn over by itself while a run waits.
 */
export class Measure {
  #kept: Scale | null = null;

  /** `telling`: whether time says something that the order of events does not. */
  of(byTime: Axis, telling: () => boolean): Scale {
    if (this.#kept) return this.#kept;
    const scale = crowded(byTime) && !telling() ? 'events' : 'time';
    if (byTime.ticks.length >= LEAST) this.#kept = scale;
    return scale;
  }
}
