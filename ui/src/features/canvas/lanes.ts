import type { Drawing } from '$lib/api/drawing.gen';

/** By box: how many other steps may run at the same time, because they wait for the same or the same waits for them. */
export function beside(drawing: Drawing): ReadonlyMap<string, number> {
  const others = new Map<string, number>();
  for (const fork of drawing.forks) {
    const marked = new Set(fork.beside);
    for (const side of [fork.from, fork.to]) {
      const lanes = side.filter((id) => marked.has(id));
      for (const id of lanes) others.set(id, Math.max(others.get(id) ?? 0, lanes.length - 1));
    }
  }
  return others;
}

/** The boxes along a way, and the lines between them. */
export interface Way {
  readonly nodes: ReadonlySet<string>;
  readonly edges: ReadonlySet<string>;
}

const NONE: Way = { nodes: new Set(), edges: new Set() };

/** `boxes`: the way from its first box to its last. */
export function along(drawing: Drawing, boxes: readonly string[]): Way {
  if (boxes.length === 0) return NONE;
  const next = new Map(boxes.slice(1).map((id, i) => [boxes[i], id]));
  const edges = drawing.edges.filter((edge) => next.get(edge.from) === edge.to);
  return { nodes: new Set(boxes), edges: new Set(edges.map((edge) => edge.id)) };
}
