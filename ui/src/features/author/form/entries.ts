import type { Edit, FormControl, FormField, Place } from '$lib/api';
import { words } from '../words';
import { inside, plain, shown } from './value';

/** An entry of a list, or of a mapping of names, whose fields can be filled in. */
export interface Entry {
  /** Its position. */
  at: number;
  /** The key that it stands under; null in a list. */
  key: string | null;
  place: Place;
  /** `fields`: a block with fields. `short`: one text, or nothing, that stands for one of them. `other`: neither. */
  form: 'fields' | 'short' | 'other';
  /** Its fields, whatever it is written as. */
  fields: Readonly<Record<string, unknown>>;
  /** The field that a short one stands for. */
  short: string;
}

/**
 * The entries of a field. `listed`: which field a text in a list stands for; `keyed`: which one a text under a name does, where
 * entries can stand under names at all.
 */
export function entriesOf(field: FormField, listed: string, keyed?: string): Entry[] {
  const entry = (value: unknown, at: number, key: string | null): Entry => {
    const place = inside(field.place, key ?? at);
    const short = key === null ? listed : (keyed ?? listed);
    const base = { at, key, place, short };
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ...base, form: 'fields', fields: value as Record<string, unknown> };
    if (plain(value)) return { ...base, form: 'short', fields: { [short]: value } };
    const isEmpty = (value ?? null) === null && key !== null;
    return { ...base, form: isEmpty ? 'short' : 'other', fields: {} };
  };
  const { value } = field;
  if (Array.isArray(value)) return value.map((one, i) => entry(one, i, null));
  if (keyed === undefined || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([key, one], i) => entry(one, i, key));
}

/** The field of a form that one field of an entry is. */
export function part(
  of: FormField,
  entry: Entry,
  name: string,
  label: string,
  control: FormControl,
  more: Partial<FormField> = {},
): FormField {
  return {
    name: `${of.name}.${entry.at}.${name}`,
    label,
    section: of.section,
    help: '',
    control,
    place: inside(entry.place, name),
    value: entry.fields[name] ?? null,
    default: null,
    ...more,
  };
}

/**
 * The edits of the fields of an entry as they are made of the file: the name of one that stands under it is its key, and one that is a
 * text becomes a block when it gets a second field. Or what is wrong with them.
 */
export function fitted(edits: readonly Edit[], entry: Entry): Edit[] | string {
  const depth = entry.place.path.length;
  const out: Edit[] = [];
  for (const edit of edits) {
    const path = edit.place.path.slice(depth);
    const isName = path.length === 1 && path[0] === 'name';
    if (isName && (edit.kind !== 'set' || shown(edit.value).trim() === '')) return words.form.entry.needsName;
    if (isName && entry.key !== null && edit.kind === 'set') {
      const to = shown(edit.value).trim();
      if (to !== entry.key) out.push({ kind: 'rename', place: entry.place, to });
    } else if (entry.form !== 'short' || path.length !== 1) out.push(edit);
    else if (edit.kind === 'remove') out.push({ kind: 'set', place: entry.place, value: null });
    else if (edit.kind === 'set') {
      const value = path[0] === entry.short ? edit.value : { ...entry.fields, [path[0] ?? '']: edit.value };
      out.push({ kind: 'set', place: entry.place, value });
    }
  }
  return out;
}
