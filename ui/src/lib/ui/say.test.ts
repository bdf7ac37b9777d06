import { describe, expect, it, vi } from 'vitest';
import { locale, say } from './say';

describe('say', () => {
  const waiting = { one: '{n} decision waits for {who}', other: '{n} decisions wait for {who}' };

  it.each([
    [0, '0 decisions wait for Ada'],
    [1, '1 decision waits for Ada'],
    [3, '3 decisions wait for Ada'],
  ])('chooses the plural form for %i', (n, expected) => {
    expect(say(waiting, { n, who: 'Ada' })).toBe(expected);
  });

  it('writes numbers the way of the locale', () => {
    expect(say('{n} events', { n: 12345 })).toBe(`${new Intl.NumberFormat(navigator.language).format(12345)} events`);
  });

  it('leaves a place without a value to be seen', () => {
    expect(say('by {who}')).toBe('by {who}');
  });
});

describe('locale', () => {
  it.each([
    ['sv-SE', 'sv-SE'],
    ['C', 'en-GB'],
    ['', 'en-GB'],
  ])('of a system that says %j is %s', (system, expected) => {
    const language = vi.spyOn(navigator, 'language', 'get').mockReturnValue(system);
    expect(locale()).toBe(expected);
    language.mockRestore();
  });
});
