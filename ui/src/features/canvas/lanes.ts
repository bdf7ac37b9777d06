import type { Drawing } from '$lib/api/drawing.gen';

/** By box: how many other steps may run at the same time, because they wait for the same or the same waits for them. */
export function beside(drawing: Drawing): ReadonlyMap<string, number> {
  const others = new Map<string, number>();
  for (const fork of drawing.forks) {
    if (!fork.parallel) continue;
    for (const side of [fork.from, fork.to])
      for (const id of side) others.set(id, Math.max(others.get(id) ?? 0, side.length - 1));
  }
  return others;
}

/** The boxes on the longest way, and the dependencies along it. */
export interface Longest {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

const NONE: Longest = { nodes: new Set(), edges: new Set() };

/** `boxes`: the way from its first box to its last. */
export function longest(drawing: Drawing, boxes: readonly string[]): Longest {
  if (boxes.length === 0) return NONE;
  const next = new Map(boxes.slice(1).map((id, i) => [boxes[i], id]));
  const edges = drawing.edges.filter((edge) => next.get(edge.from) === edge.to && !edge.back);
  return { nodes: new Set(boxes), edges: new Set(edges.map((edge) => edge.id)) };
}
