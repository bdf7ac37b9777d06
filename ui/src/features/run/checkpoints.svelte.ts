import { Scrolled } from '$lib/ui/scrolled';

/** So many checkpoints are listed at once. */
export const FIRST = 100;

/** What somebody has left in the list of checkpoints: kept by whoever shows it, for when they come back to it. */
export class CheckpointsLook {
  /** The name that is being typed. */
  name = $state('');
  /** How many are listed. */
  shown = $state(FIRST);
  readonly scrolled = new Scrolled();
}
