import type { EdgeOverlay, FaceView, ForkView, StepOverlay } from '$lib/api';
import type { Bar, Drawing, EdgePath, Lane, NodeBox, Point } from '$lib/api/drawing.gen';
import { say } from '$lib/ui/say';
import { covers, touches, widened, type Box } from './view';
import { words as w } from './words';

/** What happened: per step and per edge, as the backend says it. */
export interface Overlay {
  readonly steps: readonly StepOverlay[];
  readonly edges: readonly EdgeOverlay[];
  /** Of each step that forks its latest fork. */
  readonly forks?: readonly ForkView[];
}

export interface SceneNode {
  readonly box: NodeBox;
  /** The step's id. A box has an id of its own, because a broken workflow may hold two steps of one id. */
  readonly step: string;
  readonly face: FaceView | undefined;
  /** The border of the steps it holds: only its title is in the way of anything. */
  readonly frame: boolean;
  /** Where it is taken hold of: the box, of a border its title. */
  readonly grip: Box;
}

export interface SceneEdge {
  readonly edge: EdgePath;
  /** Everything of it: path, arrow, label, number. */
  readonly bounds: Box;
}

/** Height of a container's title. */
export const TITLE_HEIGHT = 32;

/** Height of the strip that a phase's title stands in (`layout` leaves room for it). */
export const PHASE_TITLE = 28;

/** Room around an edge's points for arrows, strokes and numbers. */
const EDGE_MARGIN = 24;

/** A drawing with its lookups; made once per drawing, never touched by what happens in a run. */
export class Scene {
  readonly nodes: readonly SceneNode[];
  readonly edges: readonly SceneEdge[];
  readonly drawing: Drawing;
  /** The smallest box around all steps. */
  readonly around: Box;
  readonly #nodes = new Map<string, SceneNode>();
  readonly #steps = new Map<string, SceneNode>();
  readonly #leaving = new Map<string, EdgePath[]>();
  readonly #arriving = new Map<string, EdgePath[]>();

  constructor(drawing: Drawing, faces: readonly FaceView[]) {
    this.drawing = drawing;
    const borders = new Set(drawing.groups.map((group) => group.id));
    this.nodes = drawing.nodes.map((box, i) => {
      const frame = borders.has(box.id);
      const grip = frame ? { x: box.x, y: box.y, width: box.width, height: TITLE_HEIGHT } : box;
      return { box, step: faces[i]?.step.id ?? box.id, face: faces[i], frame, grip };
    });
    this.around = around(drawing.nodes);
    this.edges = drawing.edges.map((edge) => ({ edge, bounds: boundsOf(edge) }));
    for (const node of this.nodes) {
      this.#nodes.set(node.box.id, node);
      if (!this.#steps.has(node.step)) this.#steps.set(node.step, node);
    }
    for (const edge of drawing.edges) {
      push(this.#leaving, edge.from, edge);
      push(this.#arriving, edge.to, edge);
    }
  }

  /** By the box's id, as edges name it. */
  node(id: string | null | undefined): SceneNode | undefined {
    return id ? this.#nodes.get(id) : undefined;
  }

  /** By the step's id, as everybody else names it. */
  ofStep(step: string | null | undefined): SceneNode | undefined {
    return step ? this.#steps.get(step) : undefined;
  }

  /** What a box is called. */
  nameOf(id: string): string {
    const node = this.node(id);
    return node?.face?.step.name ?? node?.step ?? id;
  }

  edge(id: string): EdgePath | undefined {
    return this.drawing.edges.find((edge) => edge.id === id);
  }

  leaving(id: string): readonly EdgePath[] {
    return this.#leaving.get(id) ?? [];
  }

  arriving(id: string): readonly EdgePath[] {
    return this.#arriving.get(id) ?? [];
  }

  /** Nothing follows it: all lines that leave it, or steps inside of it, lead back, are those of a rejection, or stay inside. */
  ends(id: string): boolean {
    const node = this.node(id);
    if (!node) return false;
    const inside = node.frame ? this.nodes.filter(({ box }) => covers(node.box, box)) : [node];
    const own = new Set(inside.map(({ box }) => box.id));
    const on = (edge: EdgePath) => !edge.back && edge.kind !== 'loop' && edge.kind !== 'reject' && !own.has(edge.to);
    return !inside.some(({ box }) => this.leaving(box.id).some(on));
  }

  nodesIn(part: Box): SceneNode[] {
    return this.nodes.filter((node) => touches(node.box, part));
  }

  edgesIn(part: Box): SceneEdge[] {
    return this.edges.filter((edge) => touches(edge.bounds, part));
  }

  /** The step under a point of the drawing. */
  nodeAt(x: number, y: number): SceneNode | undefined {
    return this.nodes.findLast(
      ({ grip }) => x >= grip.x && x <= grip.x + grip.width && y >= grip.y && y <= grip.y + grip.height,
    );
  }

  /** The edge nearest to a point of the drawing, if one is within `reach`. */
  edgeAt(x: number, y: number, reach: number): EdgePath | undefined {
    let best: EdgePath | undefined;
    let nearest = reach;
    const near: Box = { x: x - reach, y: y - reach, width: 2 * reach, height: 2 * reach };
    for (const { edge, bounds } of this.edges) {
      if (!touches(bounds, near)) continue;
      for (let i = 1; i < edge.points.length; i++) {
        const a = edge.points[i - 1];
        const b = edge.points[i];
        if (!a || !b) continue;
        const distance = toSegment(x, y, a.x, a.y, b.x, b.y);
        if (distance < nearest) {
          nearest = distance;
          best = edge;
        }
      }
    }
    return best;
  }
}

/** Widths of what stands beside a line, px: about as wide as it is written, at most as wide as the layout lets it be. */
const LETTER = 6;
const LABEL_MOST = 168;
const LABEL_HEIGHT = 18;
const NUMBER_WIDTH = 28;

/** Room on both sides of a phase's title, px. */
const TITLE_ROOM = 12;
/** A letter of a phase's title is about so wide, px. */
const TITLE_LETTER = 7.5;

/** How far from the beginning of a phase its title stands, px: where no line crosses it, if there is such a place. */
export function besideLines(lane: Lane, title: string, edges: readonly EdgePath[]): number {
  const width = title.length * TITLE_LETTER + 2 * TITLE_ROOM;
  const most = lane.width - width;
  const [top, bottom] = [lane.y, lane.y + PHASE_TITLE];
  const crossings = edges
    .flatMap(({ points }) =>
      points.slice(1).flatMap((b, i) => {
        const a = points[i] ?? b;
        if (Math.max(a.y, b.y) < top || Math.min(a.y, b.y) > bottom) return [];
        return [[Math.min(a.x, b.x) - lane.x, Math.max(a.x, b.x) - lane.x] as const];
      }),
    )
    .sort((one, other) => one[0] - other[0]);
  let at = 0;
  for (const [from, to] of crossings) if (from < at + width && to > at) at = to + 1;
  return at <= most ? at : 0;
}

/** Where words and numbers stand beside a line, about. */
export function labelBoxes(edge: EdgePath, taken: number): Box[] {
  const box = (at: { x: number; y: number }, width: number): Box => ({
    x: at.x - width / 2,
    y: at.y - LABEL_HEIGHT / 2,
    width,
    height: LABEL_HEIGHT,
  });
  return [
    ...(edge.label && edge.label_at ? [box(edge.label_at, Math.min(LABEL_MOST, edge.label.length * LETTER + 8))] : []),
    ...(taken > 0 ? [box(edge.number_at, NUMBER_WIDTH)] : []),
  ];
}

/** How far the bar of a gate reaches around the line that it is drawn along, px. */
const BAR_MARGIN = 3;

/** Where the bar of a gate stands. */
export function barBox({ x1, y1, x2, y2 }: Bar): Box {
  const box = { x: Math.min(x1, x2), y: Math.min(y1, y2), width: Math.abs(x2 - x1), height: Math.abs(y2 - y1) };
  return widened(box, BAR_MARGIN);
}

/** So far on both sides of a line is still on it, px. */
const BESIDE_LINE = 3;

/** Where a line runs, a box for each stretch of it. */
export function lineBoxes({ points }: EdgePath): Box[] {
  return points.slice(1).map((b, i) => {
    const a = points[i] ?? b;
    const box = {
      x: Math.min(a.x, b.x),
      y: Math.min(a.y, b.y),
      width: Math.abs(b.x - a.x),
      height: Math.abs(b.y - a.y),
    };
    return widened(box, BESIDE_LINE);
  });
}

/** As long as the head of a line is, px. */
const HEAD = 9;

/** Where the head of a line stands, whichever way it points. */
export function headBox({ arrow }: EdgePath): Box {
  return widened({ x: arrow.x, y: arrow.y, width: 0, height: 0 }, HEAD);
}

/** Size of the button that adds a step, and how far behind a step that ends it stands, px. */
export const ADD = 18;
const ADD_BEHIND = 26;

/** Where along the side of its step that button may stand: the middle first. */
const ALONG_SIDE = [0.5, 0.8, 0.2, 0.65, 0.35];

/**
 * Where a step is added behind one that nothing follows: beside the line of a rejection that leaves it there, and what is written at it.
 * `taken`: where lines and words are.
 */
export function addBehind({ box }: SceneNode, direction: Drawing['direction'], taken: readonly Box[]): Point {
  const places = ALONG_SIDE.map((part) =>
    direction === 'right'
      ? { x: box.x + box.width + ADD_BEHIND, y: box.y + part * box.height }
      : { x: box.x + part * box.width, y: box.y + box.height + ADD_BEHIND },
  );
  const covered = ({ x, y }: Point) =>
    taken.filter((one) => touches({ x: x - ADD / 2, y: y - ADD / 2, width: ADD, height: ADD }, one)).length;
  return places.reduce((best, place) => (covered(place) < covered(best) ? place : best));
}

/** Where along a line its button may stand: the middle first. */
const ALONG = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78];
/** How near the ends of a line its button may not come: handle and arrow are there, px. */
const ENDS = 22;

/**
 * Where a step is added on a line: on it where there is room beside what is written there, else next to that. `others`: where other lines
 * run, which it keeps off where it can.
 */
export function addOn(edge: EdgePath, others: readonly Box[] = []): Point {
  const written = [
    ...labelBoxes(edge, 1),
    ...(edge.back && edge.label_at ? labelBoxes({ ...edge, number_at: edge.label_at }, 1) : []),
  ];
  const around = (at: Point): Box => ({ x: at.x - ADD / 2, y: at.y - ADD / 2, width: ADD, height: ADD });
  const free = (at: Point) => !written.some((box) => touches(box, around(at)));
  const lengths = edge.points
    .slice(1)
    .map((b, i) => Math.hypot(b.x - (edge.points[i]?.x ?? b.x), b.y - (edge.points[i]?.y ?? b.y)));
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const along = ALONG.map((part) => part * length)
    .filter((far) => far >= ENDS && length - far >= ENDS)
    .map((far) => pointAt(edge.points, lengths, far))
    .filter(free);
  const alone = along.find((at) => !others.some((box) => touches(box, around(at))));
  const on = alone ?? along[0];
  if (on) return on;
  const middle = pointAt(edge.points, lengths, length / 2);
  const [a, b] = [pointAt(edge.points, lengths, length / 2 - 1), pointAt(edge.points, lengths, length / 2 + 1)];
  const flat = Math.abs(b.x - a.x) >= Math.abs(b.y - a.y);
  for (let off = ADD; off < LABEL_MOST; off += ADD / 2)
    for (const side of [-off, off]) {
      const at = flat ? { x: middle.x, y: middle.y + side } : { x: middle.x + side, y: middle.y };
      if (free(at)) return at;
    }
  return middle;
}

/** The point of a chain that is so far from its beginning. */
function pointAt(points: readonly Point[], lengths: readonly number[], far: number): Point {
  let left = far;
  for (const [i, length] of lengths.entries()) {
    const [a, b] = [points[i], points[i + 1]];
    if (a && b && left <= length && length > 0) {
      const t = left / length;
      return { x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y) };
    }
    left -= length;
  }
  return points.at(-1) ?? { x: 0, y: 0 };
}

function around(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    left = Math.min(left, box.x);
    top = Math.min(top, box.y);
    right = Math.max(right, box.x + box.width);
    bottom = Math.max(bottom, box.y + box.height);
  }
  return boxes.length === 0
    ? { x: 0, y: 0, width: 0, height: 0 }
    : { x: left, y: top, width: right - left, height: bottom - top };
}

function boundsOf(edge: EdgePath): Box {
  const points = [...edge.points, edge.number_at, { x: edge.arrow.x, y: edge.arrow.y }];
  if (edge.label_at) points.push(edge.label_at);
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const x = Math.min(...xs) - EDGE_MARGIN;
  const y = Math.min(...ys) - EDGE_MARGIN;
  return { x, y, width: Math.max(...xs) + EDGE_MARGIN - x, height: Math.max(...ys) + EDGE_MARGIN - y };
}

function toSegment(x: number, y: number, ax: number, ay: number, bx: number, by: number): number {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
  return Math.hypot(x - ax - t * (bx - ax), y - ay - t * (by - ay));
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Numbers beside a taken edge are no more than these. */
const NUMBERS = 3;
/** More letters than this would lie over the steps at the ends of a short edge. */
const NUMBERS_LETTERS = 8;

/** Numbers beside a taken edge: all of a few, else the first and how many more, as far as there is room. */
export function numbersText(taken: readonly number[]): string {
  const first = (n: number) => [...taken.slice(0, n), ...(n < taken.length ? [`+${taken.length - n}`] : [])].join(', ');
  let n = taken.length > NUMBERS ? NUMBERS - 1 : taken.length;
  while (n > 1 && first(n).length > NUMBERS_LETTERS) n -= 1;
  return first(n);
}

/** A band of a phase: the rows of a long flow break one phase into several, which look alike and say that they go on. */
export interface Band {
  readonly lane: Lane;
  readonly title: string;
  /** Every other phase is. */
  readonly tinted: boolean;
}
export function bandsOf(lanes: readonly Lane[]): Band[] {
  const phases = [...new Set(lanes.map((lane) => lane.title))];
  return lanes.map((lane, i) => ({
    lane,
    title:
      lanes.findIndex((one) => one.title === lane.title) < i ? say(w.phaseGoesOn, { phase: lane.title }) : lane.title,
    tinted: phases.indexOf(lane.title) % 2 === 0,
  }));
}

/** Where the handle is that a line is drawn from. */
export function handleAt(box: Box, direction: Drawing['direction']): Point {
  return direction === 'right'
    ? { x: box.x + box.width, y: box.y + box.height / 2 }
    : { x: box.x + box.width / 2, y: box.y + box.height };
}

/** Whether two values of an answer say the same. Lists of a long run differ in their lengths, so most are told apart at once. */
function alike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((one, i) => alike(one, b[i]));
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return one.size === other.size && [...one].every(([key, value]) => other.has(key) && alike(value, other.get(key)));
}

/**
 * Makes lookups of one list after another, by the keys that belong to its positions. A value that did not change keeps
 * the object it had before, so that nothing is drawn anew for it.
 */
export function keeper<T>(): (keys: readonly string[], now: readonly T[]) => ReadonlyMap<string, T> {
  let before: ReadonlyMap<string, T> = new Map();
  return (keys, now) => {
    const next = new Map<string, T>();
    now.forEach((value, i) => {
      const key = keys[i];
      if (key === undefined) return;
      const old = before.get(key);
      next.set(key, old !== undefined && alike(old, value) ? old : value);
    });
    before = next;
    return next;
  };
}
