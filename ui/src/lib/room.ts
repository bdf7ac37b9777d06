import type { Room } from './api/drawing.gen';

export type { Room };

/** A picture is laid out anew only when its room changes by such a step, so that a window may be dragged a little wider, px. */
const STEP = { width: 120, height: 80 };
/** Rooms that are no measure: a pane that is closed, a window that is being built, px. */
const LEAST = { width: 360, height: 160 };
const KEPT = 'gatehouse.room.';

type View = keyof typeof LEFT;
/** About what stands around the picture of a view, and how many of them stand side by side. */
const LEFT = {
  run: { width: 560, height: 420, beside: 1 },
  workflow: { width: 560, height: 180, beside: 1 },
  history: { width: 500, height: 420, beside: 2 },
};

/** The room in coarse steps, never more than there is; null where there is too little of it to be a measure. */
export function inSteps(size: Room): Room | null {
  if (size.width < LEAST.width || size.height < LEAST.height) return null;
  return {
    width: Math.floor(size.width / STEP.width) * STEP.width,
    height: Math.floor(size.height / STEP.height) * STEP.height,
  };
}

export const sameRoom = (a: Room, b: Room): boolean => a.width === b.width && a.height === b.height;

/** The room a view's picture had last, else about what this window leaves it: so that the first picture is the one that stays. */
export function usualRoom(view: View): Room {
  const kept = localStorage
    .getItem(KEPT + view)
    ?.split(' ')
    .map(Number);
  const [inner, width, height] = kept ?? [];
  if (inner === window.innerWidth && width && height) return { width, height };
  const { width: aside, height: above, beside } = LEFT[view];
  const left = { width: (window.innerWidth - aside) / beside, height: window.innerHeight - above };
  return inSteps(left) ?? { width: 720, height: 400 };
}

export function keepRoom(view: View, room: Room): void {
  localStorage.setItem(KEPT + view, [window.innerWidth, room.width, room.height].join(' '));
}
