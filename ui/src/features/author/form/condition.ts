import type { Comparison, ConditionWritten, Edit, Place, Takes } from '$lib/api';
import { words } from '../words';
import { changed, inside, isTwofold, scalar, shown } from './value';

/** A condition in its pieces, as they stand in their controls. */
export interface Pieces {
  field: string;
  /** Empty: it is not written, the first comparison counts. */
  operator: string;
  value: string;
}

export const textOf = (written: ConditionWritten): string => (written.as === 'text' ? written.text : '');

/** What else stands in a condition, beside its pieces. */
export const hasMore = (written: ConditionWritten): boolean => 'more' in written && written.more;

/** What a comparison compares with. */
export const takes = (operator: string, known: readonly Comparison[]): Takes =>
  known.find((one) => one.value === operator)?.takes ?? 'value';

/** The comparison that counts. */
export const counts = (operator: string, known: readonly Comparison[]): string => operator || (known[0]?.value ?? '');

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

const valueText = (value: unknown, isList: boolean): string =>
  Array.isArray(value) || (isList && shown(value) !== '')
    ? listText((Array.isArray(value) ? value : [value]).map(shown))
    : shown(value);

/** What is written, in pieces. */
export function piecesOf(written: ConditionWritten, known: readonly Comparison[]): Pieces {
  if (written.as !== 'pieces') return { field: '', operator: '', value: '' };
  const operator = shown(written.operator);
  return {
    field: shown(written.field),
    operator,
    value: valueText(written.value, takes(operator, known) === 'list'),
  };
}

/** The value as another comparison takes it; of several only a list says which. */
export function carried(now: Pieces, known: readonly Comparison[], to: string): string {
  const [from, next] = [takes(counts(now.operator, known), known), takes(to, known)];
  if (next === 'nothing' || from === 'nothing') return '';
  if (from === next || (from !== 'list' && next !== 'list')) return now.value;
  if (next === 'list') return now.value === '' ? '' : listText([now.value]);
  const all = items(now.value);
  return all.length === 1 ? (all[0] ?? '') : '';
}

/** A condition as it is to be: in pieces, of which those that are not there are not written, or an expression. */
export type Next = { field: unknown; operator?: unknown; value?: unknown } | string;

/** What the pieces say. */
export type Said = { next: Next } | { nothing: true } | { incomplete: true } | { wrong: string };

/**
 * Reads pieces over what is written. What was not changed keeps the type that it has.
 *
 * `seen`: the values that this field was reported with.
 */
export function read(
  now: Pieces,
  written: ConditionWritten,
  known: readonly Comparison[],
  seen: readonly string[],
): Said {
  const field = now.field.trim();
  if (field === '') return { nothing: true };
  const old = written.as === 'pieces' ? written : null;
  const before = piecesOf(written, known);
  const operator = counts(now.operator, known);
  const next: Exclude<Next, string> = { field: old !== null && before.field === field ? old.field : field };
  if (old === null || before.operator !== now.operator) next.operator = operator;
  else if (old.operator !== null) next.operator = old.operator;
  const kind = takes(operator, known);
  if (kind === 'nothing') return { next };
  if (old !== null && before.operator === now.operator && before.value === now.value) {
    if (old.value !== null) next.value = old.value;
    return { next };
  }
  if (kind === 'list') {
    const texts = items(now.value);
    if (texts.length === 0) return { incomplete: true };
    const was: unknown[] = Array.isArray(old?.value) ? old.value : (old?.value ?? null) === null ? [] : [old?.value];
    // One that stands there already is found again; a new one is written like its neighbours.
    next.value = texts.map((text) => was.find((one) => shown(one) === text) ?? scalar(text, was[0], seen));
    return { next };
  }
  if (now.value.trim() === '') return { incomplete: true };
  const was: unknown = Array.isArray(old?.value) ? old.value[0] : (old?.value ?? undefined);
  if (kind === 'text') next.value = now.value;
  else if (kind === 'number' && isTwofold(now.value)) next.value = now.value.trim();
  else if (kind === 'number') {
    const number = Number(now.value);
    if (!Number.isFinite(number)) return { wrong: words.form.number };
    next.value = shown(was) === now.value ? was : number;
  } else next.value = scalar(now.value.trim(), was, seen);
  return { next };
}

/** The smallest edits that make a condition another one; null: there is none any more. */
export function rewritten(place: Place, written: ConditionWritten, next: Next | null): Edit[] {
  if (next === null) return written.as === 'nothing' ? [] : [{ kind: 'remove', place }];
  if (typeof next === 'string') {
    if (written.as !== 'text') return [{ kind: 'set', place, value: next }];
    return next === written.text ? [] : [{ kind: 'set', place: written.place, value: next }];
  }
  if (written.as !== 'pieces') return [{ kind: 'set', place, value: next }];
  return (['field', 'operator', 'value'] as const).flatMap((key): Edit[] => {
    const at = inside(place, key);
    if (key in next) return changed(at, written[key], next[key]);
    return written[key] === null ? [] : [{ kind: 'remove', place: at }];
  });
}

/** Whether that is what is written. */
export const isWritten = (next: Next | null, written: ConditionWritten): boolean =>
  rewritten({ step: null, path: [] }, written, next).length === 0;
