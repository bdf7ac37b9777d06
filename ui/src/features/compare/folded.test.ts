import type { Apart, ComparedRow } from '$lib/api';
import { expect, it } from 'vitest';
import { folded } from './folded';

const row = (id: string, ...apart: Apart[]): ComparedRow => ({
  step: { id, number: '', name: id },
  apart,
  left: null,
  right: null,
});
const told = (rows: readonly ComparedRow[], unfolded: number[] = [], all = false) =>
  folded(rows, new Set(unfolded), all).map((piece) =>
    'same' in piece ? `${piece.at}: ${piece.same.length} same` : `${piece.at}: ${piece.row.step.id}`,
  );

it('folds what is the same and shows what is not', () => {
  const rows = [row('a'), row('b'), row('c', 'way'), row('d', 'files'), row('e')];
  expect(told(rows)).toEqual(['0: 2 same', '2: c', '3: d', '4: 1 same']);
  expect(told(rows, [0])).toEqual(['0: a', '1: b', '2: c', '3: d', '4: 1 same']);
  expect(told(rows, [], true)).toEqual(['0: a', '1: b', '2: c', '3: d', '4: e']);
});

it('has nothing to show of runs that have begun nothing', () => {
  expect(told([])).toEqual([]);
});
