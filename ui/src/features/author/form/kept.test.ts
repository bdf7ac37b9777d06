import { describe, expect, it } from 'vitest';
import { Kept } from './kept';

describe('the keys of rows', () => {
  it.each([
    ['one goes', ['a', 'b', 'c'], ['b', 'c'], [1, 2]],
    ['one comes', ['a', 'b'], ['a', 'b', 'c'], [0, 1, 2]],
    ['one says something else', ['a', 'b', 'c'], ['a', 'x', 'c'], [0, 1, 2]],
    ['they change places', ['a', 'b', 'c'], ['b', 'a', 'c'], [1, 0, 2]],
    ['one of two alike goes', ['a', 'a', 'b'], ['a', 'b'], [0, 2]],
    ['one goes and another one says something else', ['a', 'b', 'c'], ['b', 'x'], [1, 3]],
    ['all are others', ['a', 'b'], ['x', 'y', 'z'], [2, 3, 4]],
  ])('stay with their rows where %s', (_, before, after, keys) => {
    const kept = new Kept();
    kept.of(before);
    expect(kept.of(after)).toEqual(keys);
    expect(kept.of(after)).toEqual(keys);
  });
});
