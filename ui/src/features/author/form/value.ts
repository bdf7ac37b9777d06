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

/** Seconds of a time as people write it: `90`, `90 s`, `2 m`, `1 h 30 m`; null where it is none. */
export function seconds(text: string): number | null {
  const parts = [...text.trim().matchAll(/(\d+(?:\.\d+)?)\s*(h|m|s|)(?=\s|\d|$)/gi)];
  if (
    parts.length === 0 ||
    parts.map((part) => part[0]).join('').length !== text.trim().replace(/\s+(?=\d)/g, '').length
  )
    return null;
  const unit = { h: 3600, m: 60, s: 1, '': 1 } as const;
  return parts.reduce((sum, [, n, of]) => sum + Number(n) * unit[(of ?? '').toLowerCase() as keyof typeof unit], 0);
}

/** Reads what was typed into a control of text. */
export function typed(control: FormControl, text: string): Typed {
  if (text.trim() === '') return { nothing: true };
  if (control.kind === 'duration') {
    const value = seconds(text);
    return value === null ? { wrong: w.duration } : { value };
  }
  if (control.kind === 'number') {
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

/** The place of an item of a field. */
export const inside = (place: Place, ...path: readonly (string | number)[]): Place => ({
  ...place,
  path: [...place.path, ...path.map(String)],
});

/** The names that a field lists: one that is no list counts as one name. */
export function names(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map(shown) : [shown(value)];
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

/** A way out of a step: a value, or a condition, with where it leads. */
export interface WayOut {
  when: string;
  to: string;
  /** Where the one and the other stand. */
  whenPlace: Place;
  toPlace: Place;
  /** The whole of it. */
  place: Place;
}

/** The ways that a field tells, each with its places: values of a mapping, or a list of conditions. */
export function ways(field: FormField): WayOut[] {
  const { place, value } = field;
  if (Array.isArray(value)) {
    return value.map((one, i) => {
      const entry = (typeof one === 'object' && one !== null ? one : {}) as Record<string, unknown>;
      const key = ['condition', 'when', 'if'].find((name) => name in entry) ?? 'condition';
      return {
        when: shown(entry[key]),
        to: shown(entry.next ?? entry.to),
        place: inside(place, i),
        whenPlace: inside(place, i, key),
        toPlace: inside(place, i, 'next'),
      };
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([when, to]) => ({
    when,
    to: shown(to),
    place: inside(place, when),
    whenPlace: inside(place, when),
    toPlace: inside(place, when),
  }));
}
