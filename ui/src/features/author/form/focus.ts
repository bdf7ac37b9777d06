/** Where the focus stands in a form, so that it can be given back when the form was read again, or is another one. */
export interface Stand {
  /** The fields of the form, in their order. */
  readonly fields: readonly string[];
  /** Which of them it stands in. */
  readonly at: number;
  /** At which of its controls. */
  readonly nth: number;
}

const CONTROLS = 'input, textarea, select, button';
const fieldsIn = (form: Element) => [...form.querySelectorAll<HTMLElement>('[data-field]')];
const controlsIn = (field: Element) => [...field.querySelectorAll<HTMLElement>(CONTROLS)];

/** Nothing has the focus: what had it is gone, or was closed for a moment. */
export const isLost = (): boolean => document.activeElement === null || document.activeElement === document.body;

/** Where the focus stands now; null: in no form. */
export function standing(): Stand | null {
  const on = document.activeElement;
  const field = on?.closest<HTMLElement>('[data-field]');
  const form = field?.closest('[data-testid="form"]');
  if (!(on instanceof HTMLElement) || !field || !form) return null;
  const all = fieldsIn(form);
  return {
    fields: all.map((one) => one.dataset.field ?? ''),
    at: all.indexOf(field),
    nth: Math.max(0, controlsIn(field).indexOf(on)),
  };
}

/**
 * The focus goes back there: to the same control, or to another one of its field; where the field is gone, to the next one of those that
 * are still there, else to the one before it. False: there is none.
 */
export function stand(form: Element | null, { fields, at, nth }: Stand): boolean {
  if (!form) return false;
  const now = new Map(fieldsIn(form).map((one) => [one.dataset.field, one]));
  const [own, ...others] = [...fields.slice(at), ...fields.slice(0, at).reverse()];
  const usable = (field: HTMLElement | undefined) =>
    (field ? controlsIn(field) : []).filter((one) => !one.matches(':disabled'));
  const ownField = now.get(own);
  const same = ownField && controlsIn(ownField)[nth];
  const first = [own, ...others].map((key) => usable(now.get(key))[0]).find((one) => one !== undefined);
  const to = same && !same.matches(':disabled') ? same : first;
  to?.focus();
  return to !== undefined;
}
