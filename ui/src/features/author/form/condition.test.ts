import { describe, expect, it } from 'vitest';
import type { Edit } from '$lib/api';
import { COMPARISONS as KNOWN, told } from '../__fixtures__/written';
import { carried, hasMore, items, listText, piecesOf, read, rewritten, type Pieces } from './condition';

const place = { step: null, path: ['edges', '0', 'condition'] };
const at = (key: string) => ({ ...place, path: [...place.path, key] });
/** What is written when these pieces change. */
function edits(before: unknown, change: Partial<Pieces>, seen: string[] = []): Edit[] | string {
  const written = told(before, place);
  const said = read({ ...piecesOf(written, KNOWN), ...change }, written, KNOWN, seen);
  if ('next' in said) return rewritten(place, written, said.next);
  if ('wrong' in said) return said.wrong;
  return 'nothing' in said ? rewritten(place, written, null) : 'incomplete';
}

it('tells whether more belongs to a condition', () => {
  expect(hasMore(told({ field: 'x', operator: 'exists' }, place))).toBe(false);
  expect(hasMore(told({ field: 'x', and: {} }, place))).toBe(true);
  expect(hasMore(told(null, place))).toBe(false);
});

describe('the smallest edit', () => {
  const DONE = { field: 'status', operator: 'equals', value: 'DONE' };
  it('is the whole condition where there was none, or a text', () => {
    const whole = [{ kind: 'set', place, value: DONE }];
    expect(edits(null, DONE)).toEqual(whole);
    expect(edits('x > 1', DONE)).toEqual(whole);
  });
  it('is one piece where it stands there', () => {
    expect(edits(DONE, { field: 'verdict' })).toEqual([{ kind: 'set', place: at('field'), value: 'verdict' }]);
    expect(edits(DONE, { operator: 'not_equals' })).toEqual([
      { kind: 'set', place: at('operator'), value: 'not_equals' },
    ]);
    expect(edits(DONE, { value: 'BAD' })).toEqual([{ kind: 'set', place: at('value'), value: 'BAD' }]);
    expect(edits(DONE, {})).toEqual([]);
  });
  it('leaves a comparison out that is not written', () =>
    expect(edits({ field: 'x', value: 1 }, { value: '2' })).toEqual([{ kind: 'set', place: at('value'), value: 2 }]));
  it('takes the value out where there is nothing to compare with, and the condition where there is no field', () => {
    expect(edits(DONE, { operator: 'exists', value: '' })).toEqual([
      { kind: 'set', place: at('operator'), value: 'exists' },
      { kind: 'remove', place: at('value') },
    ]);
    expect(edits(DONE, { field: '' })).toEqual([{ kind: 'remove', place }]);
    expect(edits(null, { field: '' })).toEqual([]);
  });
  it('waits for a value', () => {
    expect(edits({ field: 'x', operator: 'exists' }, { operator: 'equals' })).toBe('incomplete');
    expect(edits(null, { field: 'x' })).toBe('incomplete');
    expect(edits(null, { field: 'x', operator: 'exists' })).toEqual([
      { kind: 'set', place, value: { field: 'x', operator: 'exists' } },
    ]);
  });
  it('keeps what else belongs to it', () =>
    expect(edits({ ...DONE, and: { field: 'x' } }, { value: 'BAD' })).toEqual([
      { kind: 'set', place: at('value'), value: 'BAD' },
    ]));
  it('of an expression in a block is that of the expression', () =>
    expect(rewritten(place, { as: 'text', text: 'a', place: at('expression'), more: false }, 'b')).toEqual([
      { kind: 'set', place: at('expression'), value: 'b' },
    ]));
});

describe('the value', () => {
  const set = (value: unknown) => [{ kind: 'set', place: at('value'), value }];
  it('is a number where more and less are compared', () => {
    const more = { field: 'x', operator: 'gt', value: 1 };
    expect(edits(more, { value: '2.5' })).toEqual(set(2.5));
    expect(edits(more, { value: 'many' })).toBe('Write a number');
  });
  it('is yes or no where that was reported, and keeps its type otherwise', () => {
    const text = { field: 'x', operator: 'equals', value: 'true' };
    expect(edits(text, { value: 'false' })).toEqual(set('false'));
    expect(edits(text, { value: 'false' }, ['true'])).toEqual(set(false));
    expect(edits(text, { field: 'y' }, ['true'])).toEqual([{ kind: 'set', place: at('field'), value: 'y' }]);
  });
  it('of a pattern is a text, whatever it looks like', () =>
    expect(edits({ field: 'x', operator: 'matches', value: 'a' }, { value: '5' })).toEqual(set('5')));
  it('is a list that changes by its items', () => {
    const list = { field: 'x', operator: 'in', value: ['a', 1] };
    expect(piecesOf(told(list, place), KNOWN).value).toBe('a, 1');
    expect(edits(list, { value: 'a, 1, b' })).toEqual([
      { kind: 'set', place: { ...place, path: [...place.path, 'value', '2'] }, value: 'b' },
    ]);
    expect(edits(list, { value: '1' })).toEqual([
      { kind: 'remove', place: { ...place, path: [...place.path, 'value', '0'] } },
    ]);
    expect(edits(list, { value: ' , ' })).toBe('incomplete');
  });
  it('of a list may hold commas, one a line', () => {
    expect(items(listText(['a, b']))).toEqual(['a, b']);
    expect(items(listText(['a, b', 'c']))).toEqual(['a, b', 'c']);
    expect(items(listText(['a', 'b']))).toEqual(['a', 'b']);
  });
  it('is carried over to another comparison, where it is clear which', () => {
    const now = (operator: string, value: string) => ({ field: 'x', operator, value });
    expect(carried(now('equals', 'a, b'), KNOWN, 'in')).toBe('a, b\n');
    expect(carried(now('in', 'a'), KNOWN, 'equals')).toBe('a');
    expect(carried(now('in', 'a, b'), KNOWN, 'equals')).toBe('');
    expect(carried(now('in', 'a, b'), KNOWN, 'not_in')).toBe('a, b');
    expect(carried(now('', 'a'), KNOWN, 'exists')).toBe('');
    expect(edits({ field: 'x', operator: 'equals', value: 'a' }, { operator: 'in' })).toEqual([
      { kind: 'set', place: at('operator'), value: 'in' },
      { kind: 'set', place: at('value'), value: ['a'] },
    ]);
  });
});
