import { expect, it } from 'vitest';
import { fits } from './fits';

it('finds what has every word in it, and puts first what begins with them', () => {
  const of = (title: string, ...keywords: string[]) => fits(title, 'contract sign', keywords);
  expect(of('Sign a supplier contract')).toBe(1);
  expect(of('Subcontract: resign')).toBe(0.6);
  expect(of('Supplier', 'contracts/sign.yaml')).toBe(0.3);
  // Letters that only come one after the other are no word.
  expect(of('Clear open points, not rarely a contest; signs')).toBe(0);
  expect(fits('Anything', '')).toBe(1);
});
