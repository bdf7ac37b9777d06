import { tick } from 'svelte';
import type { Edit, FormControl, FormField, Place } from '$lib/api';
import { say } from '$lib/ui/say';
import { words } from '../words';

const w = words.form;

/** What was typed, read as the control means it. */
export type Typed = { value: unknown } | { nothing: true } | { wrong: string };

/** What stands in a control of one line, or of several. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** What stands in a control of one line: a time with its units, as people write it. */
export function shownIn(control: FormControl, value: unknown): string {
  return control.kind === 'duration' && typeof value === 'number' ? timed(value) : shown(value);
}

/** Seconds as people write them, so that [`seconds`] reads the same again: `90` is `1 min 30 s`. */
function timed(value: number): string {
  if (!Number.isFinite(value) || value <= 0) return `${value} s`;
  const [hours, minutes] = [Math.floor(value / 3600), Math.floor((value % 3600) / 60)];
  // A part of a second stays as it is written.
  const rest = Number((value % 60).toFixed(3));
  const parts = [
    [hours, 'h'],
    [minutes, 'min'],
    [rest, 's'],
  ] as const;
  return parts
    .filter(([n]) => n > 0)
    .map(([n, of]) => `${n} ${of}`)
    .join(' ');
}

const UNITS = { d: 86_400, h: 3600, m: 60, s: 1 } as const;

/** Seconds of a time as people write it: `90`, `90 s`, `2 m`, `1 h 30 min`, `2 hours`, `1 day`; null where it is none. */
export function seconds(text: string): number | null {
  const unit = 'd(?:ays?)?|h(?:ours?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?|';
  const parts = [...text.trim().matchAll(new RegExp(`(\\d+(?:\\.\\d+)?)\\s*(${unit})(?=\\s|\\d|$)`, 'gi'))];
  if (
    parts.length === 0 ||
    parts.map((part) => part[0]).join('').length !== text.trim().replace(/\s+(?=\d)/g, '').length
  )
    return null;
  const each = (of = '') => UNITS[(of[0] ?? 's').toLowerCase() as keyof typeof UNITS];
  return parts.reduce((sum, [, n, of]) => sum + Number(n) * each(of), 0);
}

/**
 * `5.000`: five, or five thousand. The core says so, in a sentence, of what is sent as it was typed. `1.125` is a part of a number: nobody
 * writes a thousand and some so without a nought or a comma.
 */
export const isTwofold = (text: string): boolean =>
  /^-?[1-9]\d{0,2}([.,]\d{3})+$/.test(text.trim()) && !/^-?\d+\.\d*[1-9]$/.test(text.trim());

/** Reads what was typed into a control of text. */
export function typed(control: FormControl, text: string): Typed {
  if (text.trim() === '') return { nothing: true };
  if (control.kind === 'duration') {
    const value = seconds(text);
    return value === null ? { wrong: w.duration } : { value };
  }
  if (control.kind === 'number') {
    if (isTwofold(text)) return { value: text.trim() };
    const value = Number(text);
    if (!Number.isFinite(value)) return { wrong: w.number };
    if (control.whole && !Number.isInteger(value)) return { wrong: w.whole };
    if (value < control.min || (control.max !== undefined && value > control.max)) {
      const wrong =
        control.max === undefined
          ? say(w.least, { min: control.min })
          : say(w.range, { min: control.min, max: control.max });
      return { wrong };
    }
    return { value };
  }
  return { value: text };
}

/** One value that is neither a list nor a block. */
export const plain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isFlag = (text: string) => /^(true|false)$/i.test(text);
/** A number that is written as numbers are: `007` and `1.0` are texts. */
const isNumber = (text: string) => /^-?\d+(\.\d+)?$/.test(text) && String(Number(text)) === text;

/**
 * A value as it was typed: yes and no, a number, or a text. `before`: what stood there, which keeps its type where it is the same, and
 * passes it on where it is of the same kind. `seen`: what runs reported; whatever is yes or no there is so here.
 */
export function scalar(text: string, before?: unknown, seen: readonly string[] = []): unknown {
  if (plain(before) && shown(before) === text) return before;
  const asText = typeof before === 'string';
  if (isFlag(text) && seen.some(isFlag)) return text.toLowerCase() === 'true';
  if (text === 'true' || text === 'false') return asText && isFlag(before) ? text : text === 'true';
  if (isNumber(text) && !isTwofold(text)) return asText && isNumber(before) ? text : Number(text);
  return text;
}

/** The place of an item of a field. */
export const inside = (place: Place, ...path: readonly (string | number)[]): Place => ({
  ...place,
  path: [...place.path, ...path.map(String)],
});

/** The smallest edits that make a value another one: of a list the item that comes, goes or changes alone. */
export function changed(place: Place, before: unknown, next: unknown): Edit[] {
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  if (same(before, next)) return [];
  if (Array.isArray(before) && Array.isArray(next) && before.length > 0 && next.length > 0) {
    const differ = (next as unknown[]).findIndex((one, i) => !same(one, before[i]));
    const without = (list: readonly unknown[], at: number) => list.filter((_, i) => i !== at);
    if (next.length === before.length + 1 && differ === before.length)
      return [{ kind: 'set', place: inside(place, differ), value: next[differ] as unknown }];
    if (next.length === before.length && same(without(before, differ), without(next, differ)))
      return [{ kind: 'set', place: inside(place, differ), value: next[differ] as unknown }];
    const gone = differ === -1 ? next.length : differ;
    if (next.length === before.length - 1 && same(without(before, gone), next))
      return [{ kind: 'remove', place: inside(place, gone) }];
  }
  return [{ kind: 'set', place, value: next }];
}

/** The names that a field lists: one that is no list counts as one name. */
export function names(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map(shown) : [shown(value)];
}

/** The names in what was typed with commas between them, each once. Those of a pattern of files (`*.{ts,css}`) part nothing. */
export function apart(text: string): string[] {
  const parts = text.split(/,(?![^{}]*\})/).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))];
}

/** The smallest edit that makes a list of names another one: one that comes or goes is the only one that changes. */
export function listed(field: FormField, next: readonly string[]): Edit {
  const { place, value } = field;
  const old = names(value);
  if (next.length === 0) return { kind: 'remove', place };
  if (Array.isArray(value)) {
    const last = next[old.length];
    if (next.length === old.length + 1 && last !== undefined && old.every((one, i) => one === next[i]))
      return { kind: 'set', place: inside(place, old.length), value: last };
    if (next.length === old.length - 1) {
      const gone = old.findIndex((one, i) => one !== next[i]);
      const rest = old.filter((_, i) => i !== gone);
      if (rest.every((one, i) => one === next[i])) return { kind: 'remove', place: inside(place, gone) };
    }
  }
  return { kind: 'set', place, value: [...next] };
}

const NONE = '…';

/**
 * The steps to choose from, and the one that is written, whatever it is. `open`: none has to be written, and the entry that says so stays.
 * Were it taken away with the first choice, a next one by key would stand where the last one stood, and WebKit tells nobody of it.
 */
export function stepOptions(known: readonly (readonly [string, string])[], now: string, open = false) {
  const all = known.map(([value, label]) => ({ value, label }));
  if (open) all.unshift({ value: '', label: NONE });
  if (all.some((one) => one.value === now)) return all;
  return [{ value: now, label: now === '' ? NONE : say(w.gone, { name: now }) }, ...all];
}

/** The focus goes to the first of these that can take it. */
export async function focusIn(root: HTMLElement | null, ...selectors: readonly string[]): Promise<void> {
  await tick();
  for (const selector of selectors) {
    const found = [...(root?.querySelectorAll<HTMLElement>(selector) ?? [])].find((one) => !one.matches(':disabled'));
    if (found) return found.focus();
  }
}
