import type { Room } from './api/drawing.gen';

export type { Room };

/** A picture is laid out anew only when its room changes by such a step, so that a window may be dragged a little wider, px. */
const STEP = { width: 120, height: 80 };
/** Rooms that are no measure: a pane that is closed, a window that is being built, px. */
const LEAST = { width: 360, height: 160 };
const KEPT = 'gatehouse.room.';

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
export function usualRoom(view: 'run' | 'workflow'): Room {
  const kept = localStorage
    .getItem(KEPT + view)
    ?.split(' ')
    .map(Number);
  const [inner, width, height] = kept ?? [];
  if (inner === window.innerWidth && width && height) return { width, height };
  const left = { width: window.innerWidth - 560, height: window.innerHeight - (view === 'run' ? 420 : 180) };
  return inSteps(left) ?? { width: 720, height: 400 };
}

export function keepRoom(view: 'run' | 'workflow', room: Room): void {
  localStorage.setItem(KEPT + view, [window.innerWidth, room.width, room.height].join(' '));
}
