import { SvelteMap } from 'svelte/reactivity';

/** What was typed in a source, on which version of the file. */
export interface Typed {
  readonly text: string;
  readonly revision: string;
  /** Versions of the file that this window wrote one after the other, as far as that is known. */
  readonly ours?: readonly string[];
}

/** What was typed and neither saved nor taken back, by the path of its file: it outlives the page it was typed on. */
export const unsaved = new SvelteMap<string, Typed>();

/** Fields in which something is being typed that is not written yet: it is gone with the page. */
// eslint-disable-next-line svelte/prefer-svelte-reactivity -- it is not shown
export const typing = new Set<object>();

/** What was being typed in fields that were taken away meanwhile, by the field: there it stands again when the field is back. */
// eslint-disable-next-line svelte/prefer-svelte-reactivity -- it is not shown
export const halfTyped = new Map<string, string>();

/** The file has another path now. */
export function moveUnsaved(from: string, path: string): void {
  const typed = unsaved.get(from);
  if (!typed || from === path) return;
  unsaved.delete(from);
  unsaved.set(path, typed);
}

/** What was filled in in a form and not saved. */
interface FilledIn {
  /** The folder whose settings they are; null: they are those of the person. */
  readonly project: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What was filled in in forms and not saved, by the form: it outlives the page it was filled in on. */
export const unsavedForms = new SvelteMap<string, FilledIn>();

/** All that is on its way to be saved, each with its form: of one form several things can be. */
// eslint-disable-next-line svelte/prefer-svelte-reactivity -- it is not shown
const saving = new Set<{ readonly form: string; readonly done: Promise<unknown> }>();

/** Resolves when nothing of a form, or of any, is on its way, nor has set out meanwhile. */
async function arrived(form?: string): Promise<void> {
  const left = () => [...saving].filter((one) => form === undefined || one.form === form).map(({ done }) => done);
  for (let now = left(); now.length > 0; now = left()) await Promise.allSettled(now);
}

/** A form whose fields are kept, each by its name, for as long as they are not saved. */
export class UnsavedForm<Value> {
  readonly #key: string;
  readonly #project: string | null;

  constructor(form: string, project: string | null = null) {
    this.#key = JSON.stringify([form, project]);
    this.#project = project;
  }

  get fields(): Readonly<Record<string, Value>> {
    return (unsavedForms.get(this.#key)?.fields ?? {}) as Readonly<Record<string, Value>>;
  }

  /** Of the fields that are shown these are changed and not saved. What was kept of others stays: nobody can have saved or taken it back. */
  keep(changed: Readonly<Record<string, Value>>, shown: readonly string[]): void {
    this.#put({ ...without(this.fields, (name) => shown.includes(name)), ...changed });
  }

  /** These are kept no more, unless something else was filled in since. */
  forget(fields: Readonly<Record<string, Value>>): void {
    this.#put(without(this.fields, (name, now) => name in fields && same(now, fields[name])));
  }

  /**
   * Fields are being written: what was saved is kept no more, wherever the person has gone meanwhile. `false`, as any failure, means that
   * nothing was.
   */
  async saving<Answer>(fields: Readonly<Record<string, Value>>, writing: Promise<Answer>): Promise<Answer> {
    const done = writing.then((answer) => {
      if (answer !== false) this.forget(fields);
      return answer;
    });
    const one = { form: this.#key, done };
    saving.add(one);
    try {
      return await done;
    } finally {
      saving.delete(one);
    }
  }

  /** Resolves when nothing of it is on its way: what is read earlier may be what stood there before. */
  settled(): Promise<void> {
    return arrived(this.#key);
  }

  #put(fields: Readonly<Record<string, Value>>): void {
    if (Object.keys(fields).length > 0) unsavedForms.set(this.#key, { project: this.#project, fields });
    else unsavedForms.delete(this.#key);
  }
}

function without<Value>(fields: Readonly<Record<string, Value>>, goes: (name: string, value: Value) => boolean) {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !goes(name, value)));
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Whether anything is not saved of the person's settings, or of those of this folder, once what is on its way has arrived. */
export async function remainsUnsaved(project: string | undefined): Promise<boolean> {
  await arrived();
  return [...unsavedForms.values()].some((one) => one.project === null || one.project === project);
}

/** The other folders of whose settings something is not saved. */
export function unsavedElsewhere(project: string): string[] {
  const of = [...unsavedForms.values()].flatMap((one) => one.project ?? []);
  return of.filter((one, i) => one !== project && of.indexOf(one) === i);
}

/** What is not saved of a folder's settings goes; what is handed back brings it back, but for fields that were filled in anew since. */
export function discardOf(project: string): () => void {
  const gone = [...unsavedForms].filter(([, one]) => one.project === project);
  for (const [key] of gone) unsavedForms.delete(key);
  return () => {
    for (const [key, one] of gone) {
      const fields = { ...one.fields, ...unsavedForms.get(key)?.fields };
      unsavedForms.set(key, { ...one, fields });
    }
  };
}
