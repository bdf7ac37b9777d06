import { describe, expect, it } from 'vitest';
import { pressedBy } from './keys';

const key = (name: string, over: Partial<Parameters<typeof pressedBy>[0]> = {}) =>
  pressedBy({
    key: name,
    ctrlKey: false,
    altKey: false,
    metaKey: false,
    shiftKey: false,
    isComposing: false,
    ...over,
  });

describe('a key in a terminal', () => {
  it('goes to the program where it writes nothing itself', () => {
    expect(key('Enter')).toEqual({ key: { name: 'Enter', control: false, alt: false } });
    expect(key('Tab')).toEqual({ key: { name: 'Tab', control: false, alt: false } });
    expect(key('d', { ctrlKey: true })).toEqual({ key: { name: 'd', control: true, alt: false } });
    expect(key('b', { altKey: true })).toEqual({ key: { name: 'b', control: false, alt: true } });
  });

  it('is a character where AltGr writes one', () => {
    expect(key('@', { ctrlKey: true, altKey: true })).toEqual({ text: '@' });
  });

  it('stays the window’s where it writes, leaves, pastes or copies', () => {
    expect(key('a')).toBeNull();
    expect(key('Tab', { shiftKey: true })).toBeNull();
    expect(key('v', { ctrlKey: true })).toBeNull();
    expect(key('C', { ctrlKey: true, shiftKey: true })).toBeNull();
    expect(key('k', { metaKey: true })).toBeNull();
    expect(key('Enter', { isComposing: true })).toBeNull();
    expect(key('Shift')).toBeNull();
  });
});
