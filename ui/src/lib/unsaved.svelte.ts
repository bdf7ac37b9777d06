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

/** What was filled in in a form and not saved, by the form and in it by field: it outlives the page it was filled in on. */
export const unsavedForms = new SvelteMap<string, Readonly<Record<string, unknown>>>();

/** What was filled in in a form when it was left. */
export function filledIn<Value>(form: string): Readonly<Record<string, Value>> {
  return (unsavedForms.get(form) ?? {}) as Readonly<Record<string, Value>>;
}

/** What is filled in in a form and not saved now; nothing: all of it is. */
export function keepFilledIn(form: string, fields: Readonly<Record<string, unknown>>): void {
  if (Object.keys(fields).length > 0) unsavedForms.set(form, fields);
  else unsavedForms.delete(form);
}
