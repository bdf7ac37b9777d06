import { SvelteMap } from 'svelte/reactivity';

/** What was typed in a source, on which version of the file. */
export interface Typed {
  readonly text: string;
  readonly revision: string;
}

/** What was typed and neither saved nor taken back, by the path of its file: it outlives the page it was typed on. */
export const unsaved = new SvelteMap<string, Typed>();

/** The file has another path now. */
export function moveUnsaved(from: string, path: string): void {
  const typed = unsaved.get(from);
  if (!typed || from === path) return;
  unsaved.delete(from);
  unsaved.set(path, typed);
}
