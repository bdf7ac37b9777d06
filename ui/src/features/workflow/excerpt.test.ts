import { expect, it } from 'vitest';
import { numbersOf } from './excerpt';

const FILE = 'id: a\nsteps:\n  - id: one\n    max: 3\n  - id: two\n    max: 3\n    note: x\n';

it('counts the lines of an excerpt as the file does, one’s own in the place of the others', () => {
  expect(numbersOf('    note: mine\n    more: y\n', '    note: x\n', FILE)).toEqual({ mine: [7, 8], theirs: [7] });
  expect(numbersOf('  - id: 2\n    max: 4\n', '  - id: two\n    max: 3\n', FILE).theirs).toEqual([5, 6]);
});

it('counts each place of several by itself, and nothing between them', () => {
  const found = numbersOf('id: b\n⋯\n    note: y\n', 'id: a\n⋯\n    note: x\n', FILE);
  expect(found).toEqual({ mine: [1, null, 7], theirs: [1, null, 7] });
});

it('gives no number that could be another one', () => {
  // Both steps have this line, and lines that are gone stand nowhere.
  expect(numbersOf('    max: 4\n', '    max: 3\n', FILE)).toEqual({ mine: [null], theirs: [null] });
  expect(numbersOf('    max: 4\n', '', FILE)).toEqual({ mine: [null], theirs: [] });
});
