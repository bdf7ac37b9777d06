import type { Edit, FormOption, Place } from '$lib/api';
import { words } from '../words';
import { changed, inside, plain, scalar, shown } from './value';

/** A condition in its pieces, as they stand in their controls. */
export interface Pieces {
  field: string;
  /** Empty: it is not written, the first comparison counts. */
  operator: string;
  value: string;
}

/** How a condition is written: in pieces, as a text, in more detail than there are controls for, or not at all. */
export type Written = 'none' | 'pieces' | 'text' | 'block';

type Entries = Record<string, unknown>;
const entries = (value: unknown): Entries | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entries) : null;

export function formOf(value: unknown): Written {
  if (value === null || value === undefined || (typeof value === 'string' && value.trim() === '')) return 'none';
  const all = entries(value);
  if (all === null) return Array.isArray(value) ? 'block' : 'text';
  if (Object.keys(all).length === 0) return 'none';
  if (plain(all.expression)) return 'text';
  const values = Array.isArray(all.value) ? all.value : [all.value];
  const isPlain = plain(all.field) && [all.operator, ...values].every((one) => (one ?? null) === null || plain(one));
  return isPlain && !values.some((one) => typeof one === 'string' && one.includes('\n')) ? 'pieces' : 'block';
}

/** What else stands in a condition, beside its pieces. */
export const hasMore = (value: unknown): boolean =>
  Object.keys(entries(value) ?? {}).some((key) => !['field', 'operator', 'value', 'expression'].includes(key));

export const textOf = (value: unknown): string => shown(entries(value)?.expression ?? (entries(value) ? '' : value));

const LISTS = ['in', 'not_in'];
const NUMBERS = ['gt', 'gte', 'lt', 'lte', '>', '>=', '<', '<='];
/** What a comparison compares with. */
export function takes(operator: string): 'nothing' | 'list' | 'number' | 'text' | 'value' {
  if (operator === 'exists') return 'nothing';
  if (LISTS.includes(operator)) return 'list';
  if (NUMBERS.includes(operator)) return 'number';
  return operator === 'matches' ? 'text' : 'value';
}

/** The comparison that counts. */
export const counts = (operator: string, known: readonly FormOption[]): string => operator || (known[0]?.value ?? '');

/** The items of a list, as they are typed: one a line, or with commas. */
export const items = (text: string): string[] =>
  text
    .split(text.includes('\n') ? '\n' : ',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** A list as it is typed. */
export function listText(list: readonly string[]): string {
  if (!list.some((one) => one.includes(','))) return list.join(', ');
  // A line end says that a comma belongs to its item.
  return list.join('\n') + (list.length === 1 ? '\n' : '');
}

const valueText = (value: unknown, operator: string): string =>
  Array.isArray(value) || (takes(operator) === 'list' && shown(value) !== '')
    ? listText((Array.isArray(value) ? value : [value]).map(shown))
    : shown(value);

/** What is written, in pieces. */
export function piecesOf(value: unknown): Pieces {
  const { field, operator, value: compared }: Entries = (formOf(value) === 'pieces' && entries(value)) || {};
  return { field: shown(field), operator: shown(operator), value: valueText(compared, shown(operator)) };
}

/** The value as another comparison takes it; of several only a list says which. */
export function carried(now: Pieces, known: readonly FormOption[], to: string): string {
  const [from, next] = [takes(counts(now.operator, known)), takes(to)];
  if (next === 'nothing' || from === 'nothing') return '';
  if (from === next || (from !== 'list' && next !== 'list')) return now.value;
  if (next === 'list') return now.value === '' ? '' : listText([now.value]);
  const all = items(now.value);
  return all.length === 1 ? (all[0] ?? '') : '';
}

/** What the pieces say. */
export type Said = { next: unknown } | { nothing: true } | { incomplete: true } | { wrong: string };

/**
 * Reads pieces over what is written. What was not changed keeps the type that it has.
 *
 * `seen`: the values that this field was reported with.
 */
export function read(now: Pieces, written: unknown, known: readonly FormOption[], seen: readonly string[]): Said {
  const field = now.field.trim();
  if (field === '') return { nothing: true };
  const old = (formOf(written) === 'pieces' && entries(written)) || null;
  const operator = counts(now.operator, known);
  const next: Entries = { ...(old ?? {}) };
  if (old === null || shown(old.field) !== field) next.field = field;
  if (old === null || shown(old.operator) !== now.operator) next.operator = operator;
  const kind = takes(operator);
  if (kind === 'nothing') {
    delete next.value;
    return { next };
  }
  const before = piecesOf(written);
  if (old !== null && before.operator === now.operator && before.value === now.value) return { next };
  if (kind === 'list') {
    const texts = items(now.value);
    if (texts.length === 0) return { incomplete: true };
    const was = Array.isArray(old?.value) ? (old.value as unknown[]) : old?.value === undefined ? [] : [old.value];
    // One that stands there already is found again; a new one is written like its neighbours.
    next.value = texts.map((text) => was.find((one) => shown(one) === text) ?? scalar(text, was[0], seen));
    return { next };
  }
  if (now.value.trim() === '') return { incomplete: true };
  const was = Array.isArray(old?.value) ? (old.value as unknown[])[0] : old?.value;
  if (kind === 'text') next.value = now.value;
  else if (kind === 'number') {
    const number = Number(now.value);
    if (!Number.isFinite(number)) return { wrong: words.form.number };
    next.value = shown(was) === now.value ? was : number;
  } else next.value = scalar(now.value.trim(), was, seen);
  return { next };
}

/** The smallest edits that make a condition another one; null: there is none any more. */
export function rewritten(place: Place, before: unknown, next: unknown): Edit[] {
  if (next === null) return before === null || before === undefined ? [] : [{ kind: 'remove', place }];
  const old = entries(before);
  if (typeof next === 'string') {
    const at = old !== null && plain(old.expression) ? inside(place, 'expression') : place;
    return next === textOf(before) ? [] : [{ kind: 'set', place: at, value: next }];
  }
  const all = entries(next);
  if (all === null || old === null || formOf(before) !== 'pieces') return [{ kind: 'set', place, value: next }];
  const keys = [...new Set([...Object.keys(all), ...Object.keys(old)])];
  return keys.flatMap((key): Edit[] => {
    const at = inside(place, key);
    if (!(key in all)) return [{ kind: 'remove', place: at }];
    return changed(at, old[key], all[key]);
  });
}
