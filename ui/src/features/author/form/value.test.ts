import { describe, expect, it } from 'vitest';
import type { FormField } from '$lib/api';
import { listed, names, seconds, typed, ways } from './value';

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
  ])('%s is %d seconds', (text, value) => expect(seconds(text)).toBe(value));
  it.each(['soon', '5 days', '-3', 'x 5', '5 m later'])('%s is none', (text) => expect(seconds(text)).toBeNull());
});

describe('what is typed', () => {
  const rounds = { kind: 'number', min: 1, max: 9, whole: true } as const;
  it('is a number within its bounds, or says why not', () => {
    expect(typed(rounds, '3')).toEqual({ value: 3 });
    expect(typed(rounds, ' ')).toEqual({ nothing: true });
    for (const text of ['0', '10', '1.5', 'x']) expect(typed(rounds, text)).toHaveProperty('wrong');
  });
  it('stays text elsewhere', () => expect(typed({ kind: 'text' }, '3')).toEqual({ value: '3' }));
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
});

describe('ways out', () => {
  it('are values of a mapping', () =>
    expect(ways(field({ DONE: 'send' }))).toMatchObject([{ when: 'DONE', to: 'send', toPlace: at('DONE') }]));
  it('are conditions of a list', () =>
    expect(ways(field([{ condition: 'x > 1', next: 'send' }]))).toMatchObject([
      { when: 'x > 1', to: 'send', whenPlace: at('0', 'condition'), toPlace: at('0', 'next') },
    ]));
});
