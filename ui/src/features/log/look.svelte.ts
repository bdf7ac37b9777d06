import type { LogLine } from '$lib/api';

/** How somebody looks at a log: kept by whoever shows it, for when they come back to it. */
export class LogLook {
  /** The step whose lines are shown; '': all. */
  step = $state('');
  /** How far it is scrolled, px. */
  top = $state(0);
  /** Its end is followed. */
  following = $state(true);
  /** The line that is read in full: a row shows only its beginning. */
  whole = $state.raw<LogLine | null>(null);
}
