import type { EdgeOverlay, Status, StepDifference, StepOverlay } from '$lib/api';
import type { EdgePath } from '$lib/api/drawing.gen';
import { STATUS } from '$lib/ui/statuses';
import { colours, type Palette } from '$lib/ui/palette';
import { loudest, MARK, markWords } from './marks';
import { bandsOf, numbersText, PHASE_TITLE, TITLE_HEIGHT, type Scene } from './scene';
import { seen, type Box, type Size, type View } from './view';

/** How much a far drawing shows: boxes, then names, then the second line too. */
export type Level = 'boxes' | 'titles' | 'full';

/** Names are written at 12 px: they appear when they can be guessed at, the second line when it can be read. */
export function levelFor(k: number): Level {
  if (k < 0.42) return 'boxes';
  return k < READ_ALL ? 'titles' : 'full';
}
const READ_ALL = 0.7;

const RADIUS = 8;
const BORDER_RADIUS = 12;
const TITLE = 12;
const SMALL = 11;
const INSET = 12;
const TITLE_LINE = 15.6;
const SMALL_LINE = 14.3;
const LINE_GAP = 2;
const NUMBER_GAP = 4;
const SHIELD = 16;
const MOST_KEPT = 20_000;

/** What the painter needs to know of a run, by id. */
export interface Lookup {
  readonly running: boolean;
  step(id: string): StepOverlay | undefined;
  edge(id: string): EdgeOverlay | undefined;
  /** Whether an edge is on the way that is marked. */
  onWay?(id: string): boolean;
  /** What no test comes through; absent where tests are not looked at. */
  readonly uncovered?: { step(id: string): boolean; edge(id: string): boolean };
  /** What became of a step between two versions; absent where none are compared. */
  mark?(id: string): readonly StepDifference[] | undefined;
}

const paths = new WeakMap<object, Path2D>();

/** One step or edge's path data, parsed once. */
function pathOf(edge: { path: string }): Path2D {
  let path = paths.get(edge);
  if (!path) {
    path = new Path2D(edge.path);
    paths.set(edge, path);
  }
  return path;
}

/** Draws the part of the scene that `screen` shows: edges, taken edges, steps, and above them the heads of the edges. */
export function paint(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lookup: Lookup,
  palette: Palette,
  view: View,
  screen: Size,
  ratio: number,
): void {
  const level = levelFor(view.k);
  const part = seen(view, screen);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, screen.width * ratio, screen.height * ratio);
  context.setTransform(view.k * ratio, 0, 0, view.k * ratio, view.x * ratio, view.y * ratio);
  context.lineJoin = 'round';
  phases(context, scene, palette, level, view.k);
  borders(context, scene, lookup, palette, part, level, view.k);
  const heads = edges(context, scene, lookup, palette, part, level, view.k);
  forks(context, scene, lookup, palette, view.k);
  bars(context, scene, palette, view.k);
  steps(context, scene, lookup, palette, part, level, view.k);
  for (const { colour, path } of heads) {
    context.fillStyle = colour;
    context.fill(path);
  }
}

/** The phases: bands behind everything, every other one tinted. */
function phases(context: CanvasRenderingContext2D, scene: Scene, palette: Palette, level: Level, k: number): void {
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const { lane, title, tinted } of bandsOf(scene.drawing.lanes)) {
    context.globalAlpha = 0.7;
    context.fillStyle = palette.sunken;
    if (tinted) context.fillRect(lane.x, lane.y, lane.width, lane.height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.line;
    context.lineWidth = Math.max(1, 0.6 / k);
    context.beginPath();
    context.moveTo(lane.x, lane.y);
    if (scene.drawing.direction === 'down') context.lineTo(lane.x + lane.width, lane.y);
    else context.lineTo(lane.x, lane.y + lane.height);
    context.stroke();
    if (level === 'boxes') continue;
    context.fillStyle = palette['ink-3'];
    context.font = `600 ${TITLE}px ${palette.font}`;
    context.fillText(cut(context, title, lane.width - 2 * INSET), lane.x + INSET, lane.y + PHASE_TITLE / 2);
  }
}

/** Containers: the ground that their steps stand on. */
function borders(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lookup: Lookup,
  palette: Palette,
  part: ReturnType<typeof seen>,
  level: Level,
  k: number,
): void {
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const { box, frame, face } of scene.nodesIn(part)) {
    if (!frame) continue;
    context.beginPath();
    context.roundRect(box.x, box.y, box.width, box.height, BORDER_RADIUS);
    const mark = lookup.mark?.(box.id);
    const kind = loudest(mark);
    context.strokeStyle = kind ? palette[MARK[kind].tone] : palette['line-strong'];
    context.lineWidth = kind ? Math.max(2, 1.4 / k) : Math.max(1, 0.8 / k);
    context.setLineDash(kind ? [...MARK[kind].dash] : []);
    context.stroke();
    context.setLineDash([]);
    if (level === 'boxes') continue;
    context.fillStyle = palette['ink-2'];
    context.font = `600 ${SMALL}px ${palette.font}`;
    const said = mark ? `(${markWords(mark)})` : '';
    const title = [face?.step.number, face?.step.name, said].filter(Boolean).join(' ');
    context.fillText(cut(context, title, box.width - 2 * INSET), box.x + INSET, box.y + TITLE_HEIGHT / 2);
  }
}

/** The lines and their words; gives the heads, which are drawn above the steps. */
function edges(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lookup: Lookup,
  palette: Palette,
  part: ReturnType<typeof seen>,
  level: Level,
  k: number,
): { colour: string; path: Path2D }[] {
  const drawn: { colour: string; path: Path2D }[] = [];
  const visible = scene.edgesIn(part);
  const kindOf = (edge: EdgePath): keyof typeof LINES => {
    if (lookup.uncovered?.edge(edge.id)) return 'uncovered';
    if (edge.implied) return 'implied';
    if ((lookup.edge(edge.id)?.taken.length ?? 0) > 0)
      return edge.kind === 'detour' || edge.kind === 'feedback' ? 'aside' : 'taken';
    if (lookup.onWay?.(edge.id)) return 'way';
    return edge.kind === 'depends' || edge.kind === 'detour' ? edge.kind : 'flow';
  };
  for (const kind of ['implied', 'depends', 'flow', 'detour', 'way', 'taken', 'aside', 'uncovered'] as const) {
    const style = LINES[kind];
    const quiet = kind === 'implied' || (lookup.running && style.colour === 'line-control');
    const colour = palette[quiet ? 'line-strong' : style.colour];
    context.strokeStyle = colour;
    context.setLineDash(kind === 'implied' ? [2, 4] : kind === 'uncovered' ? [2, 5] : []);
    // A hairline stays a hairline however far away.
    context.lineWidth = Math.max(style.width, style.far / k);
    // One stroke for all: thousands of single ones would cost a frame.
    const lines = new Path2D();
    const heads = new Path2D();
    for (const { edge } of visible) {
      if (kindOf(edge) !== kind) continue;
      lines.addPath(pathOf(edge));
      if (level !== 'boxes') heads.addPath(HEAD(), headAt(edge.arrow.x, edge.arrow.y, edge.arrow.angle_deg));
    }
    context.stroke(lines);
    if (level !== 'boxes') drawn.push({ colour, path: heads });
  }
  context.setLineDash([]);
  if (level !== 'full') return drawn;
  context.font = `650 ${SMALL}px ${palette.font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (const { edge } of visible) {
    const overlay = lookup.edge(edge.id);
    const taken = overlay?.taken ?? [];
    if (edge.implied) continue;
    const label = edge.label && cut(context, edge.label, LABEL);
    const text = [overlay?.loop_badge ? `↻ ${overlay.loop_badge}` : label, numbersText(taken)]
      .filter(Boolean)
      .join(' · ');
    if (!text) continue;
    const at = edge.label_at ?? edge.number_at;
    const width = context.measureText(text).width + 8;
    context.fillStyle = palette.paper;
    context.fillRect(at.x - width / 2, at.y - 8, width, 16);
    context.fillStyle = taken.length > 0 ? palette.done : palette['ink-3'];
    context.fillText(text, at.x, at.y);
  }
  return drawn;
}

/** As much as the layout keeps free for the text beside an edge, px. */
const LABEL = 168;

/** Lines from the quietest to the loudest: widths near and far, px. */
const LINES = {
  implied: { colour: 'line-strong', width: 1, far: 0.6 },
  depends: { colour: 'line-control', width: 1, far: 0.7 },
  flow: { colour: 'line-control', width: 1.4, far: 0.8 },
  way: { colour: 'ink-3', width: 2.2, far: 1.4 },
  detour: { colour: 'detour', width: 1.4, far: 0.8 },
  taken: { colour: 'done', width: 2.4, far: 1.6 },
  aside: { colour: 'detour', width: 2.4, far: 1.6 },
  uncovered: { colour: 'waiting', width: 2, far: 1.4 },
} as const;

let head: Path2D | undefined;
function HEAD(): Path2D {
  head ??= new Path2D('M0 0L-9 4.5L-9 -4.5Z');
  return head;
}

function headAt(x: number, y: number, angle: number): DOMMatrix {
  return new DOMMatrix().translate(x, y).rotate(angle);
}

/** The bars between lanes: strong where steps run at the same time. */
function forks(context: CanvasRenderingContext2D, scene: Scene, lookup: Lookup, palette: Palette, k: number): void {
  context.lineCap = 'round';
  const passed = (from: readonly string[]) => lookup.running && from.every((id) => lookup.step(id)?.status === 'done');
  for (const fork of scene.drawing.forks) {
    context.strokeStyle = passed(fork.from) ? palette.done : palette[lookup.running ? 'line-control' : 'ink-3'];
    const strong = fork.beside.length > 0;
    context.lineWidth = Math.max(strong ? 5 : 2, (strong ? 2 : 1) / k);
    context.beginPath();
    context.moveTo(fork.x1, fork.y1);
    context.lineTo(fork.x2, fork.y2);
    context.stroke();
  }
  context.lineCap = 'butt';
}

function bars(context: CanvasRenderingContext2D, scene: Scene, palette: Palette, k: number): void {
  context.strokeStyle = palette.gate;
  context.lineWidth = Math.max(5, 2 / k);
  context.lineCap = 'round';
  context.beginPath();
  for (const bar of scene.drawing.bars) {
    context.moveTo(bar.x1, bar.y1);
    context.lineTo(bar.x2, bar.y2);
  }
  context.stroke();
  context.lineCap = 'butt';
}

function steps(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lookup: Lookup,
  palette: Palette,
  part: ReturnType<typeof seen>,
  level: Level,
  k: number,
): void {
  const visible = scene.nodesIn(part).filter((node) => !node.frame);
  // Steps of one status are one shape, filled and stroked once.
  const groups = new Map<Status | StepDifference | 'uncovered' | undefined, typeof visible>();
  for (const node of visible) {
    const kind =
      loudest(lookup.mark?.(node.box.id)) ??
      (lookup.uncovered?.step(node.box.id) ? 'uncovered' : lookup.step(node.box.id)?.status);
    const group = groups.get(kind);
    if (group) group.push(node);
    else groups.set(kind, [node]);
  }
  for (const [kind, nodes] of groups) {
    // Marked as the element that stands here when it is near.
    const mark = isMark(kind) ? MARK[kind] : null;
    const { line, ground } = isMark(kind)
      ? { line: palette[MARK[kind].tone], ground: palette[`${MARK[kind].tone}-soft`] }
      : colours(palette, kind === 'uncovered' ? 'waiting' : kind);
    context.beginPath();
    for (const { box } of nodes) {
      if (level === 'boxes') context.rect(box.x, box.y, box.width, box.height);
      else context.roundRect(box.x, box.y, box.width, box.height, RADIUS);
    }
    context.fillStyle = ground;
    context.fill();
    context.strokeStyle = line;
    context.lineWidth = mark ? Math.max(2, 1.4 / k) : Math.max(1.2, 0.9 / k);
    context.setLineDash(mark ? [...mark.dash] : []);
    context.stroke();
    context.setLineDash([]);
  }
  if (level === 'boxes') return;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  for (const { box, face } of visible) {
    badge(context, palette, box, lookup.mark?.(box.id));
    const overlay = lookup.step(box.id);
    const number = face?.step.number ?? '';
    const name = face?.step.name ?? box.id;
    const small = overlay ? overlay.words || STATUS[overlay.status].word : (face?.sub ?? '');
    const { line, ink } = colours(palette, overlay?.status);
    context.fillStyle = ink;
    context.font = `600 ${TITLE}px ${palette.font}`;
    // The same places as in the element that stands here when it is near.
    const indent = number ? measured(context, number) + NUMBER_GAP : 0;
    const room = box.width - 2 * INSET - indent - (face?.gate ? SHIELD : 0);
    const lines = level === 'full' ? wrapped(context, name, room) : [cut(context, name, room)];
    const two = level === 'full' && small !== '';
    const height = lines.length * TITLE_LINE + (two ? LINE_GAP + SMALL_LINE : 0);
    let y = box.y + box.height / 2 - height / 2 + TITLE_LINE / 2;
    const x = box.x + INSET;
    context.fillText(number, x, y);
    for (const text of lines) {
      context.fillText(text, x + indent, y);
      y += TITLE_LINE;
    }
    if (!two) continue;
    y += LINE_GAP + (SMALL_LINE - TITLE_LINE) / 2;
    context.fillStyle = overlay && overlay.status !== 'not_started' ? line : palette['ink-3'];
    if (overlay) {
      context.beginPath();
      context.arc(x + SMALL / 2, y, SMALL / 3, 0, 2 * Math.PI);
      context.fill();
    }
    context.font = `400 ${SMALL}px ${palette.font}`;
    const start = overlay ? SMALL + NUMBER_GAP : 0;
    context.fillText(cut(context, small, box.width - 2 * INSET - start), x + start, y);
  }
}

const isMark = (kind: string | undefined): kind is StepDifference => kind !== undefined && kind in MARK;

/** What became of a step, in words on its upper edge. */
function badge(
  context: CanvasRenderingContext2D,
  palette: Palette,
  box: Box,
  mark: readonly StepDifference[] | undefined,
): void {
  const kind = loudest(mark);
  if (!mark || !kind) return;
  context.font = `600 ${SMALL}px ${palette.font}`;
  const text = cut(context, markWords(mark), box.width - 2 * INSET);
  const width = context.measureText(text).width + 8;
  context.fillStyle = palette[`${MARK[kind].tone}-soft`];
  context.fillRect(box.x + INSET, box.y - SMALL_LINE / 2, width, SMALL_LINE);
  context.fillStyle = palette[MARK[kind].tone];
  context.fillText(text, box.x + INSET + 4, box.y);
}

const widths = new Map<string, number>();

function measured(context: CanvasRenderingContext2D, text: string): number {
  const key = `${context.font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    width = context.measureText(text).width;
    if (widths.size > MOST_KEPT) widths.clear();
    widths.set(key, width);
  }
  return width;
}

const wraps = new Map<string, string[]>();

/** The text on at most two lines, broken between words; the second is cut if need be. */
function wrapped(context: CanvasRenderingContext2D, text: string, room: number): string[] {
  const key = `${Math.round(room)}|${text}`;
  const known = wraps.get(key);
  if (known) return known;
  let first = '';
  const words = text.split(' ');
  while (words.length > 0 && context.measureText(`${first} ${words[0]}`.trim()).width <= room) {
    first = `${first} ${words.shift()}`.trim();
  }
  const rest = words.join(' ');
  const lines = first === '' ? [cut(context, text, room)] : rest === '' ? [first] : [first, cut(context, rest, room)];
  if (wraps.size > MOST_KEPT) wraps.clear();
  wraps.set(key, lines);
  return lines;
}

const cuts = new Map<string, string>();

/** The text, or as much of it as fits with an ellipsis. */
function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  const key = `${context.font}|${Math.round(room)}|${text}`;
  const known = cuts.get(key);
  if (known !== undefined) return known;
  let shown = text;
  if (context.measureText(text).width > room) {
    let [low, high] = [0, text.length];
    while (low < high) {
      const half = (low + high + 1) >> 1;
      if (context.measureText(`${text.slice(0, half)}…`).width <= room) low = half;
      else high = half - 1;
    }
    shown = `${text.slice(0, low).trimEnd()}…`;
  }
  if (cuts.size > MOST_KEPT) cuts.clear();
  cuts.set(key, shown);
  return shown;
}
