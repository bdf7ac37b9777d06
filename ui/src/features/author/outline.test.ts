import { expect, it } from 'vitest';
import { workflow } from '$lib/fixtures';
import { found, lines } from './outline';

const [one, two] = workflow().steps as [
  ReturnType<typeof workflow>['steps'][number],
  ReturnType<typeof workflow>['steps'][number],
];
const step = (id: string, name: string, parent?: typeof one) => ({
  ...one,
  step: { ...one.step, id, name, number: '' },
  parent: parent ? parent.step : null,
});

it('tells of each step how deep it stands and its place in its level', () => {
  const group = step('group', 'Group');
  const all = lines([group, step('a', 'First', group), step('b', 'Second', group), two]);
  expect(all.map((line) => [line.level, line.position, line.size])).toEqual([
    [1, 1, 2],
    [2, 1, 2],
    [2, 2, 2],
    [1, 2, 2],
  ]);
});

it('ends where steps hold each other', () => {
  const a = step('a', 'A');
  const b = step('b', 'B', a);
  expect(lines([{ ...a, parent: b.step }, b]).map((line) => line.level)).toEqual([2, 2]);
});

it('finds the next step by the letters of its name', () => {
  const all = lines([step('a', 'Write'), step('b', 'Check'), step('c', 'Write again')]);
  expect(found(all, 0, 'w')).toBe(2);
  expect(found(all, 2, 'w')).toBe(0);
  expect(found(all, 0, 'wr')).toBe(0);
  expect(found(all, 0, 'x')).toBe(-1);
});
