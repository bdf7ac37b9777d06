import type { Edit, Form, FormField, KnownNames, Place, ScenarioAdd, ScenarioRow } from '$lib/api';
import { ordinal, say } from '$lib/ui/say';
import { numbered } from '$lib/ui/steps';
import { words } from './words';

const w = words.scenario;

/** What a form of the table is shown with. */
export interface Filling {
  form: Form;
  known: readonly KnownNames[];
  disabled: boolean;
  /** Writes it, or says what is wrong with it. */
  onedit: (edits: Edit[], what: string) => Promise<string | null>;
  /** Shows the text of the file. */
  onsource: () => void;
}

/** Where something stands, as one text. */
export const keyOf = (place: Place): string => place.path.join('/');

/** `2nd time`. */
export const nth = (n: number): string => say(w.nth, { nth: ordinal(n) });

/** What a row is called: `3 Build, 2nd time`. */
export function titleOf(row: ScenarioRow): string {
  if (row.named === null) return row.form.label;
  const name = row.step ? numbered(row.step) : row.named;
  return row.nth === null ? name : `${name}, ${nth(row.nth)}`;
}

/** What adding is called: `3 Build, 2nd time`. */
export const titleOfAdd = (add: ScenarioAdd): string => `${numbered(add.step)}, ${nth(add.nth)}`;

/** What a field of a row says, in short: what is written, or else what holds without it. */
export function brief(row: ScenarioRow, name: string): string {
  const field = row.form.fields.find((one) => one.name === name);
  return field ? short(field, field.value ?? field.default) : '';
}

function short(field: FormField, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (field.control.kind === 'choice') {
    const label = field.control.options.find((one) => one.value === value)?.label;
    if (label !== undefined) return label;
  }
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.map(text).join(', ');
  return Object.entries(value)
    .map(([key, one]) => `${key}: ${text(one)}`)
    .join(', ');
}

const text = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
