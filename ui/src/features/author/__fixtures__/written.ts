import type { Comparison, ConditionWritten, FormField, FormWay, Place, Takes } from '$lib/api';

/** What the program tells of conditions and ways, for tests of whoever shows them. */

export const COMPARISONS: Comparison[] = (
  [
    ['equals', 'is', 'value'],
    ['not_equals', 'is not', 'value'],
    ['in', 'is one of', 'list'],
    ['not_in', 'is none of', 'list'],
    ['gt', 'is more than', 'number'],
    ['gte', 'is at least', 'number'],
    ['exists', 'is reported', 'nothing'],
    ['matches', 'matches the pattern', 'text'],
  ] satisfies [string, string, Takes][]
).map(([value, label, takes]) => ({ value, label, takes }));

const below = (place: Place, ...path: string[]): Place => ({ ...place, path: [...place.path, ...path] });

/** A condition in pieces, as a text, of more than there are pieces for (`all`), or none. */
export function told(value: unknown, place: Place): ConditionWritten {
  if (value === null) return { as: 'nothing' };
  if (typeof value === 'string') return { as: 'text', text: value, place, more: false };
  const { field, operator, value: compared, ...more } = value as Record<string, unknown>;
  if (field === undefined) return { as: 'block' };
  const rest = Object.keys(more).length > 0;
  return { as: 'pieces', field, operator: operator ?? null, value: compared ?? null, more: rest };
}

export const condition = (value: unknown, place: Place): FormField['control'] => ({
  kind: 'condition',
  comparisons: COMPARISONS,
  written: told(value, place),
});

export function guards(value: unknown, place: Place): FormField['control'] {
  const list = (value ?? []) as { condition?: unknown; next?: string }[];
  const ways = list.map((one, i): FormWay => {
    const own = below(place, `${i}`);
    return {
      when: one.condition ?? null,
      written: told(one.condition ?? null, below(own, 'condition')),
      to: one.next ?? '',
      place: own,
      when_place: below(own, 'condition'),
      to_place: below(own, 'next'),
    };
  });
  return { kind: 'guards', comparisons: COMPARISONS, keys: ['condition', 'next'], other: false, ways };
}

export const values = (value: unknown, place: Place): FormField['control'] => ({
  kind: 'ways',
  ways: Object.entries((value ?? {}) as Record<string, string>).map(([when, to]): FormWay => {
    const own = below(place, when);
    return { when, written: { as: 'nothing' }, to, place: own, when_place: own, to_place: own };
  }),
});
