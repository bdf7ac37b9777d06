/** A stretch to fold: from, to, and whether the run was at rest then, ended and not yet taken up again. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly rest: boolean;
}

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
/** Corners of the map from instants to places in which idle stretches are short, and where these are. `ends`: the places of `start` and `end`. */
export function folded(
  start: number,
  end: number,
  gaps: readonly Stretch[],
  ends: { from: number; to: number },
): { values: number[]; places: number[]; folds: Fold[] } {
  const room = ends.to - ends.from;
  const folds: Fold[] = [];
  const values = [start];
  const places = [ends.from];
  const clean = tidy(gaps, start, end);
  const fold = Math.min(FOLD, (room * FOLDS_SHARE) / Math.max(1, clean.length));
  const open = clean.reduce((left, { from, to }) => left - (to - from), end - start);
  const perMs = (room - fold * clean.length) / Math.max(1, open);
  let x = ends.from;
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
  values.push(end);
  places.push(ends.to);
  return { values, places, folds };
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
export function between(from: Float64Array, to: Float64Array, value: number): number {
  const left = lastAtMost(from, value);
  if (left < 0) return to[0] ?? 0;
  if (left >= from.length - 1) return to[to.length - 1] ?? 0;
  const [a, b] = [from[left] ?? 0, from[left + 1] ?? 0];
  const [p, q] = [to[left] ?? 0, to[left + 1] ?? 0];
  return b === a ? p : p + ((value - a) / (b - a)) * (q - p);
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
