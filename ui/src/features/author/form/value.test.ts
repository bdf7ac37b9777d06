import { describe, expect, it } from 'vitest';
import type { FormField } from '$lib/api';
import { apart, changed, listed, names, scalar, seconds, shownIn, stepOptions, typed } from './value';

const field = (value: unknown): FormField => ({
  name: 'agents',
  label: 'Who does it',
  section: 'work',
  help: '',
  control: { kind: 'several' },
  place: { step: 1, path: ['agents'] },
  value,
  default: null,
});
const at = (...path: string[]) => ({ step: 1, path: ['agents', ...path] });

describe('times', () => {
  it.each([
    ['90', 90],
    ['90 s', 90],
    ['2m', 120],
    ['1 h 30 m', 5400],
    ['1h30m', 5400],
    ['0.5 h', 1800],
    ['2 hours', 7200],
    ['1 day 30 min', 88_200],
  ])('%s is %d seconds', (text, value) => expect(seconds(text)).toBe(value));
  it.each(['soon', '5 months', '-3', 'x 5', '5 m later'])('%s is none', (text) => expect(seconds(text)).toBeNull());
});

describe('a time that is shown', () => {
  it.each([
    [7200, '2 h'],
    [90, '1 min 30 s'],
    [0.5, '0.5 s'],
    [3661.25, '1 h 1 min 1.25 s'],
    [0, '0 s'],
  ])('%d seconds read %s, and are read again as they are', (value, text) => {
    expect(shownIn({ kind: 'duration' }, value)).toBe(text);
    expect(seconds(text)).toBe(value);
  });
  it('is no number without a unit, and what is no number stays as it is written', () => {
    expect(shownIn({ kind: 'duration' }, '10m')).toBe('10m');
    expect(shownIn({ kind: 'duration' }, undefined)).toBe('');
    expect(shownIn({ kind: 'text' }, 90)).toBe('90');
  });
});

describe('what is typed', () => {
  const rounds = { kind: 'number', min: 1, max: 9, whole: true } as const;
  it('is a number within its bounds, or says why not', () => {
    expect(typed(rounds, '3')).toEqual({ value: 3 });
    expect(typed(rounds, ' ')).toEqual({ nothing: true });
    for (const text of ['0', '10', '1.5', 'x']) expect(typed(rounds, text)).toHaveProperty('wrong');
  });
  it('is left as it was typed where it can be read in two ways: the core says so', () => {
    const amount = { kind: 'number', min: 0, whole: false } as const;
    for (const text of ['5.000', '1,250', '1.234.567']) expect(typed(amount, text)).toEqual({ value: text });
    for (const text of ['5000', '5.5', '0.125', '1.125']) expect(typed(amount, text)).toEqual({ value: Number(text) });
  });
  it('stays text elsewhere', () => expect(typed({ kind: 'text' }, '3')).toEqual({ value: '3' }));
});

describe('a value', () => {
  it.each([
    ['yes', 'yes'],
    ['true', true],
    ['0', 0],
    ['-2.5', -2.5],
    ['007', '007'],
    ['1.0', '1.0'],
    ['', ''],
  ])('%s is read as what it is', (text, value) => expect(scalar(text)).toBe(value));
  it('keeps the type that it has', () => {
    expect(scalar('5', '5')).toBe('5');
    expect(scalar('1.0', 1)).toBe('1.0');
    expect(scalar('6', '5')).toBe('6');
    expect(scalar('false', 'true')).toBe('false');
    expect(scalar('6', 'many')).toBe(6);
  });
  it('is yes or no where runs reported that', () => {
    expect(scalar('true', 'false', ['true'])).toBe(true);
    expect(scalar('False', undefined, ['true'])).toBe(false);
    expect(scalar('False')).toBe('False');
  });
});

describe('a list that changes', () => {
  const change = (before: unknown, next: unknown) => changed(at(), before, next);
  it('is written by the item that does', () => {
    expect(change(['a'], ['a', 'b'])).toEqual([{ kind: 'set', place: at('1'), value: 'b' }]);
    expect(change(['a', 'b'], ['a', 'c'])).toEqual([{ kind: 'set', place: at('1'), value: 'c' }]);
    expect(change(['a', 'b', 'c'], ['b', 'c'])).toEqual([{ kind: 'remove', place: at('0') }]);
    expect(change(['a', 'b'], ['a'])).toEqual([{ kind: 'remove', place: at('1') }]);
  });
  it('is written whole otherwise, and not at all where nothing changes', () => {
    expect(change(['a', 'b'], ['b', 'a'])).toEqual([{ kind: 'set', place: at(), value: ['b', 'a'] }]);
    expect(change('a', ['a'])).toEqual([{ kind: 'set', place: at(), value: ['a'] }]);
    expect(change(['a'], ['a'])).toEqual([]);
  });
});

describe('a list of names', () => {
  it('takes one that is no list for one name', () => expect(names('ann')).toEqual(['ann']));
  it('grows by the new one alone', () =>
    expect(listed(field(['a']), ['a', 'b'])).toEqual({ kind: 'set', place: at('1'), value: 'b' }));
  it('loses the one alone, also of two alike', () => {
    expect(listed(field(['a', 'b', 'c']), ['a', 'c'])).toEqual({ kind: 'remove', place: at('1') });
    expect(listed(field(['a', 'b', 'b']), ['a', 'b'])).toMatchObject({ kind: 'remove' });
  });
  it('goes with its last one', () => expect(listed(field(['a']), [])).toEqual({ kind: 'remove', place: at() }));
  it('becomes a list where one name stood', () =>
    expect(listed(field('a'), ['a', 'b'])).toEqual({ kind: 'set', place: at(), value: ['a', 'b'] }));
  it.each([
    ['clerk, clerk', ['clerk']],
    [' ann,bob ,, ', ['ann', 'bob']],
    ['src/*.{ts,css}, a.md', ['src/*.{ts,css}', 'a.md']],
    [' , ', []],
  ])('%j is typed as %j', (text, list) => expect(apart(text)).toEqual(list));
});

describe('a step to be chosen', () => {
  const known = [
    ['first', 'First step'],
    ['write', 'Write it'],
  ] as const;
  const values = (now: string, open?: boolean) => stepOptions(known, now, open).map(({ value }) => value);

  it('is one of those that there are, or what is written', () => {
    expect(values('write')).toEqual(['first', 'write']);
    expect(values('gone')).toEqual(['gone', 'first', 'write']);
    expect(values('')).toEqual(['', 'first', 'write']);
  });

  it('keeps its entries in their places where none is chosen yet', () => {
    expect(values('', true)).toEqual(['', 'first', 'write']);
    expect(values('first', true)).toEqual(['', 'first', 'write']);
  });
});
