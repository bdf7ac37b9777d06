import { scaleUtc } from 'd3-scale';
import type { BarView, Status, WaitInside } from '$lib/api';
import { locale, say } from '$lib/ui/say';
import { STATUS } from '$lib/ui/statuses';
import { duration } from '$lib/ui/time';
import { zone } from '$lib/ui/zone.svelte';
import type { Palette } from '$lib/ui/palette';
import type { Axis, Scale, Space } from './axis';
import type { Course } from './course';
import type { Planned } from './gantt';
import type { Row } from './phases';
import { LEAST, Pyramid, type Mark } from './pyramid';
import { words as w } from './words';

/** px */
export const ROW = 26;
export const AXIS = 24;
const BAR = 14;
const RADIUS = 4;
/** Waiting for its turn is less than being at work. */
const WAIT = 8;
const DASH = 12;
const LABEL_EVERY = 96;
const FONT = 10.5;
const THIN = 2.5;
const SHADE = 0.7;

/** What is drawn of a timeline. */
type Drawn = Pick<Course, 'lanes' | 'end' | 'waits_inside'>;

/** The lanes of a timeline in the space of its axis, whatever its width. */
export class Pyramids {
  /** Bars stay the same object until one of them changes: what was made of them stands then too. */
  readonly #made = new WeakMap<readonly BarView[], { scale: Scale; pyramid: Pyramid }>();

  of(timeline: Drawn, space: Space): Pyramid[] {
    return timeline.lanes.map(({ bars }) => {
      const made = this.#made.get(bars);
      if (made?.scale === space.scale) return made.pyramid;
      const pyramid = built(bars, timeline.end, space);
      // What is open grows with the run.
      if (bars.every((bar) => bar.end !== null)) this.#made.set(bars, { scale: space.scale, pyramid });
      return pyramid;
    });
  }
}

function built(bars: readonly BarView[], now: number, space: Space): Pyramid {
  const from = new Float64Array(bars.length);
  const to = new Float64Array(bars.length);
  bars.forEach((bar, i) => {
    const start = space.ofSeq(bar.from_seq, bar.start);
    const end = bar.end === null ? space.ofTime(now) : space.ofSeq(bar.to_seq ?? bar.from_seq, bar.end);
    from[i] = start;
    to[i] = Math.max(end, start);
  });
  return new Pyramid(bars, from, to);
}

export interface Sheet {
  readonly width: number;
  readonly height: number;
  /** How far the lanes are scrolled, and the axis. */
  readonly top: number;
  readonly left: number;
  readonly ratio: number;
}

/** Paints the lanes in sight and the axis below them. */
export function paint(
  context: CanvasRenderingContext2D,
  timeline: Drawn,
  lanes: readonly Pyramid[],
  axis: Axis,
  palette: Palette,
  sheet: Sheet,
  chosen: string | null,
  planned: ReadonlyMap<string, Planned> = new Map(),
): void {
  const { width, height, top, left, ratio } = sheet;
  const floor = height - AXIS;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = 'middle';
  context.save();
  context.beginPath();
  context.rect(0, 0, width, floor);
  context.clip();
  ticks(context, axis, palette, left, width, floor);
  const folds = axis.folds.filter((fold) => fold.x + fold.width > left && fold.x < left + width);
  // In the dark theme the ground that is sunken cannot be told from the sheet.
  context.fillStyle = palette.line;
  context.globalAlpha = SHADE;
  for (const fold of folds) context.fillRect(fold.x - left, 0, fold.width, floor);
  context.globalAlpha = 1;
  const place = (value: number) => axis.place(value);
  const narrow = new Narrow(context);
  const first = Math.max(0, Math.floor(top / ROW));
  const last = Math.min(lanes.length - 1, Math.floor((top + floor) / ROW));
  const waits = byLane(timeline.waits_inside ?? []);
  for (let i = first; i <= last; i++) {
    const y = i * ROW - top;
    if (timeline.lanes[i]?.step?.id === chosen && chosen) {
      context.fillStyle = palette['accent-soft'];
      context.fillRect(0, y, width, ROW);
    }
    if (heading(timeline.lanes[i])) {
      context.fillStyle = palette.sunken;
      context.fillRect(0, y, width, ROW);
    }
    context.fillStyle = palette.line;
    context.fillRect(0, y + ROW - 1, width, 0.5);
    const expected = planned.get(timeline.lanes[i]?.step?.id ?? '');
    if (expected) outline(context, palette, axis, expected, left, y);
    lanes[i]?.visit(place, left, left + width, LEAST, (mark) => bar(context, palette, narrow, mark, left, y));
    narrow.end();
    const row = timeline.lanes[i];
    if (row && !heading(row)) {
      for (const wait of waits.get(row.place) ?? []) {
        const mark = waitMark(wait, axis, timeline.end);
        if (mark.to >= left && mark.from <= left + width) bar(context, palette, narrow, mark, left, y);
      }
      narrow.end();
    }
  }
  for (const fold of folds) torn(context, palette, fold.x - left, fold.width, floor);
  context.restore();
  scale(context, axis, palette, left, width, floor);
}

/** Waits by the place of their lane. */
function byLane(waits: readonly WaitInside[]): Map<number, WaitInside[]> {
  const found = new Map<number, WaitInside[]>();
  for (const wait of waits) {
    const of = found.get(wait.place);
    if (of) of.push(wait);
    else found.set(wait.place, [wait]);
  }
  return found;
}

/** What the runs inside waited for is drawn like every wait for a person, over the bar of the step. No event of this run began or ended it. */
function waitMark({ start, end }: WaitInside, axis: Axis, now: number): Mark {
  const bar: BarView = { start, end, from_seq: 0, to_seq: null, status: 'blocked', label: '' };
  return { from: axis.ofTime(start), to: axis.ofTime(end ?? now), status: 'blocked', bar, count: 1 };
}

/** Whether a row is the heading of a phase. */
const heading = (row: Row | undefined) => row?.heading === true;

/** Marks too narrow for a shape: those of one colour that touch each other are one rectangle, or a long run has thousands. */
class Narrow {
  readonly #context: CanvasRenderingContext2D;
  #colour = '';
  #x = 0;
  #top = 0;
  #end = -Infinity;

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
  }

  add(x: number, top: number, width: number, colour: string): void {
    if (colour !== this.#colour || top !== this.#top || x > this.#end) {
      this.end();
      [this.#colour, this.#x, this.#top] = [colour, x, top];
    }
    this.#end = x + width;
  }

  /** Draws what has come so far: what comes next may lie on it. */
  end(): void {
    if (this.#end > this.#x) {
      this.#context.fillStyle = this.#colour;
      this.#context.fillRect(this.#x, this.#top, this.#end - this.#x, BAR);
    }
    this.#end = -Infinity;
  }
}

function bar(
  context: CanvasRenderingContext2D,
  palette: Palette,
  narrow: Narrow,
  mark: Mark,
  left: number,
  y: number,
): void {
  const x = mark.from - left;
  const width = Math.max(LEAST, mark.to - mark.from);
  const top = y + (ROW - BAR) / 2;
  const { line, soft } = shade(palette, mark.status);
  if ((mark.bar === null || width < 6) && mark.status !== 'skipped' && mark.status !== 'queued') {
    narrow.add(x, top, width, line);
    return;
  }
  narrow.end();
  if (mark.bar?.status === 'skipped' && width <= DASH) {
    dash(context, palette, mark.bar.label || STATUS.skipped.word, line, x, y + ROW / 2);
    return;
  }
  if (mark.bar?.status === 'queued') {
    // Too short to be seen as waiting, it would only look like a step of its own.
    if (width >= 6) turn(context, soft, line, x, y, width);
    return;
  }
  if (mark.bar === null || width < 6) {
    context.fillStyle = line;
    context.fillRect(x, top, width, BAR);
    return;
  }
  context.beginPath();
  context.roundRect(x + 0.5, top + 0.5, width - 1, BAR - 1, RADIUS);
  const waits = mark.status === 'blocked' || mark.status === 'queued' || mark.status === 'paused';
  if (waits) {
    context.fillStyle = soft;
    context.fill();
    hatch(context, line, x, top, width, BAR);
    context.beginPath();
    context.roundRect(x + 0.5, top + 0.5, width - 1, BAR - 1, RADIUS);
    context.setLineDash([4, 3]);
    context.strokeStyle = line;
    context.lineWidth = 1;
    context.stroke();
    context.setLineDash([]);
  } else {
    context.fillStyle = mark.bar.end === null ? soft : line;
    context.fill();
    if (mark.bar.end === null) {
      context.strokeStyle = line;
      context.lineWidth = 1.5;
      context.stroke();
    }
  }
  // What is quoted stands in backticks, which only text with markup can show as such.
  const label = mark.bar.label.replaceAll('`', '');
  if (!label) return;
  // No letter is narrower; measuring takes longer than drawing the bar.
  if (label.length * THIN + 12 > width) return;
  context.font = `500 ${FONT}px ${palette.font}`;
  const room = context.measureText(label).width + 12;
  if (room > width) return;
  context.fillStyle = waits || mark.bar.end === null ? line : palette.surface;
  context.textAlign = 'left';
  if (waits) {
    // Words do not stand on hatching.
    context.fillStyle = soft;
    context.fillRect(x + 4, top + 1, room - 4, BAR - 2);
    context.fillStyle = line;
  }
  context.fillText(label, x + 6, top + BAR / 2 + 0.5);
}

/** Left out: a dash, and the word. */
function dash(
  context: CanvasRenderingContext2D,
  palette: Palette,
  word: string,
  colour: string,
  x: number,
  middle: number,
): void {
  context.fillStyle = colour;
  context.fillRect(x, middle - 1, DASH, 2);
  context.font = `400 ${FONT}px ${palette.font}`;
  context.fillStyle = palette['ink-3'];
  context.textAlign = 'left';
  context.fillText(word, x + DASH + 4, middle + 0.5);
}

/** Waiting for its turn: thin and lightly hatched, without a border. */
function turn(
  context: CanvasRenderingContext2D,
  soft: string,
  line: string,
  x: number,
  y: number,
  width: number,
): void {
  const top = y + (ROW - WAIT) / 2;
  context.beginPath();
  context.roundRect(x, top, width, WAIT, WAIT / 2);
  context.fillStyle = soft;
  context.fill();
  hatch(context, line, x, top, width, WAIT);
}

/** What is expected: an outline, nothing in it. */
function outline(
  context: CanvasRenderingContext2D,
  palette: Palette,
  axis: Axis,
  planned: Planned,
  left: number,
  y: number,
): void {
  if (axis.scale !== 'time') return;
  const from = axis.ofTime(planned.start) - left;
  const width = Math.max(LEAST, axis.ofTime(planned.end) - left - from);
  context.beginPath();
  context.roundRect(from + 0.5, y + (ROW - BAR) / 2 + 0.5, width - 1, BAR - 1, RADIUS);
  context.setLineDash([3, 3]);
  context.strokeStyle = palette['line-control'];
  context.lineWidth = 1;
  context.stroke();
  context.setLineDash([]);
}

function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  context.save();
  context.clip();
  context.strokeStyle = colour;
  context.globalAlpha = 0.35;
  context.lineWidth = 1;
  context.beginPath();
  // Only what can be seen: a wait of a zoomed-in week is a long bar.
  const from = Math.max(x, -height);
  const to = Math.min(x + width, 8000);
  for (let at = from - ((from - x) % 6) - height; at < to; at += 6) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/** The edges of a stretch in which nothing happened and which was cut out: over the bars, which go on behind it. */
function torn(context: CanvasRenderingContext2D, palette: Palette, x: number, width: number, height: number): void {
  context.strokeStyle = palette['line-control'];
  context.lineWidth = 1;
  context.setLineDash([2, 3]);
  context.beginPath();
  context.moveTo(x + 0.5, 0);
  context.lineTo(x + 0.5, height);
  context.moveTo(x + width - 0.5, 0);
  context.lineTo(x + width - 0.5, height);
  context.stroke();
  context.setLineDash([]);
}

/** A faint line at every event; where they stand too close, at every place where there is one. */
function ticks(
  context: CanvasRenderingContext2D,
  axis: Axis,
  palette: Palette,
  left: number,
  width: number,
  height: number,
): void {
  if (axis.ticks.length === 0) return;
  context.fillStyle = palette.line;
  let i = Math.max(0, axis.tickAt(left) - 1);
  const end = left + width;
  while (i < axis.ticks.length) {
    const x = axis.ofTick(i);
    if (x > end) break;
    context.fillRect(Math.round(x - left), 0, 0.5, height);
    // To the first event at least two pixels on: a hundred thousand events cost as much as a few hundred.
    const next = axis.tickAt(x + 2);
    i = Math.max(i + 1, next);
  }
}

function scale(
  context: CanvasRenderingContext2D,
  axis: Axis,
  palette: Palette,
  left: number,
  width: number,
  floor: number,
): void {
  context.fillStyle = palette.line;
  context.fillRect(0, floor, width, 1);
  context.font = `400 ${FONT}px ${palette.font}`;
  context.fillStyle = palette['ink-3'];
  context.textAlign = 'center';
  const marks = axis.scale === 'time' ? timeMarks(axis, left, width) : eventMarks(axis, left, width);
  const taken: [number, number][] = [];
  let said = '';
  // What a fold hides is said first; hours that would stand on it are left out.
  for (const mark of [...marks.filter((one) => one.fold), ...marks.filter((one) => !one.fold)]) {
    const half = context.measureText(mark.text).width / 2 + 6;
    const x = mark.x - left;
    if (x < -half || x > width + half) continue;
    const at = Math.min(Math.max(x, half), width - half);
    if (taken.some(([from, to]) => at - half < to && at + half > from)) continue;
    // Several events of one moment: it is said where it begins.
    if (!mark.fold && mark.text === said) continue;
    if (!mark.fold) said = mark.text;
    taken.push([at - half, at + half]);
    context.fillStyle = mark.fold ? palette['ink-2'] : palette['ink-3'];
    context.fillText(mark.text, at, floor + AXIS / 2 + 1);
  }
}

interface AxisMark {
  readonly x: number;
  readonly text: string;
  readonly fold?: boolean;
}

function timeMarks(axis: Axis, left: number, width: number): AxisMark[] {
  // Stretches between folds have ticks of their own; a fold says how long it was.
  const stretches: [number, number][] = [];
  let from = 0;
  for (const fold of axis.folds) {
    stretches.push([from, fold.x]);
    from = fold.x + fold.width;
  }
  stretches.push([from, axis.width]);
  const marks: AxisMark[] = [];
  stretches.forEach(([a, b], i) => {
    const [shownFrom, shownTo] = [Math.max(a, left), Math.min(b, left + width)];
    if (shownTo > shownFrom) {
      const [start, end] = [axis.timeAt(shownFrom + 0.01), axis.timeAt(shownTo - 0.01)];
      const count = Math.max(1, Math.floor((shownTo - shownFrom) / LABEL_EVERY));
      const format = clockFor(end - start);
      if (end > start && shownTo - shownFrom > LABEL_EVERY / 3) {
        // Round moments are those of the clock that they are told by.
        const ahead = zone.ahead(start);
        for (const date of scaleUtc()
          .domain([start + ahead, end + ahead])
          .ticks(count)) {
          const at = date.getTime() - ahead;
          marks.push({ x: axis.ofTime(at), text: format.format(at) });
        }
      }
    }
    const fold = axis.folds[i];
    if (fold)
      marks.push({
        x: fold.x + fold.width / 2,
        text: say(fold.rest ? w.rest : w.fold, { time: duration(fold.ms) }),
        fold: true,
      });
  });
  return marks;
}

function eventMarks(axis: Axis, left: number, width: number): AxisMark[] {
  const marks: AxisMark[] = [];
  const first = Math.max(0, axis.tickAt(left));
  const last = axis.tickAt(left + width);
  const each = Math.max(1, Math.ceil(LABEL_EVERY / Math.max(0.001, axis.ofTick(1) - axis.ofTick(0))));
  const format = clockFor((axis.ticks.at[last] ?? 0) - (axis.ticks.at[first] ?? 0));
  for (let i = first - (first % each); i <= last; i += each) {
    if (i >= 0) marks.push({ x: axis.ofTick(i), text: format.format(axis.ticks.at[i] ?? 0) });
  }
  return marks;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Clock times as fine as the stretch needs, in the zone that times are shown in. */
function clockFor(span: number): Intl.DateTimeFormat {
  const day = 86_400_000;
  const options: Intl.DateTimeFormatOptions =
    span > 2 * day
      ? { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
      : span > 20 * 60_000
        ? { hour: '2-digit', minute: '2-digit' }
        : span > 5_000
          ? { hour: '2-digit', minute: '2-digit', second: '2-digit' }
          : { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: span > 500 ? 1 : 3 };
  options.timeZone = zone.name;
  const key = JSON.stringify(options);
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  formats.set(key, known);
  return known;
}

function shade(palette: Palette, status: Status): { line: string; soft: string } {
  const { tone } = STATUS[status];
  return { line: palette[tone], soft: palette[`${tone}-soft`] };
}
