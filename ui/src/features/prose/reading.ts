import type { DocumentView } from '$lib/api';
import { Scrolled } from '$lib/ui/scrolled';

/** Where somebody reads in a text: kept by whoever shows it. */
export class Reading {
  /** The step whose section is in sight already, and in which text; null: in any, it was chosen there. */
  inSight: { step: string; of: DocumentView | null } | null = null;
  readonly scrolled = new Scrolled();
}
