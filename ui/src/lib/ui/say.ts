/** A sentence that depends on a number. `other` is the fallback of every language. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;
export type Values = Record<string, string | number>;

const DEFAULT_LOCALE = 'en-GB';

/** The language of the interface's dates and numbers. The words are English until a translation exists. */
export function locale(): string {
  if (typeof navigator === 'undefined') return DEFAULT_LOCALE;
  try {
    return Intl.getCanonicalLocales(navigator.language)[0] ?? DEFAULT_LOCALE;
  } catch {
    // A system without a language (LANG=C) makes the web view answer "C", which nothing accepts.
    return DEFAULT_LOCALE;
  }
}

/**
 * Fills `{name}` places of a message; a plural message is chosen by the value `n`.
 * Numbers are written the locale's way. A place without a value stays visible, so a mistake is seen.
 */
export function say(message: string | Plural, values: Values = {}): string {
  const text = typeof message === 'string' ? message : pick(message, Number(values.n ?? 0));
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === 'number' ? new Intl.NumberFormat(locale()).format(value) : value;
  });
}

/** `2nd`: the words around it are English. */
export function ordinal(n: number): string {
  const ends = { one: 'st', two: 'nd', few: 'rd' } as Partial<Record<Intl.LDMLPluralRule, string>>;
  return `${n}${ends[new Intl.PluralRules('en', { type: 'ordinal' }).select(n)] ?? 'th'}`;
}

function pick(message: Plural, n: number): string {
  // The words are English, so the English rule decides between them.
  return message[new Intl.PluralRules('en').select(n)] ?? message.other;
}
