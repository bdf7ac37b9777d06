import type { EdgeOverlay } from '$lib/api';
import type { EdgePath } from '$lib/api/drawing.gen';

/** How an edge stands, for its line and for its head, which lie in two layers: below the steps and above them. */
export interface EdgeLook {
  readonly edge: EdgePath;
  readonly overlay: EdgeOverlay | undefined;
  /** Whether a run is shown at all: without one no edge is dim. */
  readonly running: boolean;
  readonly selected: boolean;
  /** What is dragged here cannot be put on it. */
  readonly barred: boolean;
  /** No test takes it. */
  readonly uncovered: boolean;
  /** It is on the way that is marked. */
  readonly onWay: boolean;
  /** How much of it was gone, where what it leads through has not let it through. */
  readonly gone: number;
}

export const isTaken = ({ overlay }: EdgeLook): boolean => (overlay?.taken.length ?? 0) > 0;

/** The classes of its line, and of its head. */
export function edgeClasses(look: EdgeLook): (string | Record<string, boolean>)[] {
  const { edge, running, selected, barred, uncovered, onWay, gone } = look;
  const taken = isTaken(look);
  return [
    edge.kind,
    {
      taken,
      halted: taken && gone < 1,
      dim: running && !taken,
      selected,
      barred,
      uncovered,
      'on-way': onWay,
      implied: edge.implied,
    },
  ];
}
