import { between, folded, type Fold, type Stretch } from '$lib/ui/folded';
import { lastAtMost, type Ticks } from './ticks';

export type { Fold };

/** What the length of the timeline means: time that passed, or one width per event. */
export type Scale = 'time' | 'events';

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
    const ends = { from: END, to: this.width - END };
    const { values, places, folds } =
      scale === 'time'
        ? folded(start, space.last, gaps, ends)
        : { values: [0, Math.max(1, ticks.length)], places: [ends.from, ends.to], folds: [] };
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
