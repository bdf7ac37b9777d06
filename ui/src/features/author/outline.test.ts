import { expect, it } from 'vitest';
import { workflow } from '$lib/fixtures';
import { found, gapAt, lines, outermost } from './outline';

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

it('takes only the outermost of several steps, in the order of the file', () => {
  const group = { ...step('group', 'Group'), ordinal: 1 };
  const steps = [
    { ...step('z', 'First'), ordinal: 0 },
    group,
    { ...step('a', 'Inside', group), ordinal: 2 },
    { ...step('b', 'Last'), ordinal: 3 },
  ];
  expect(outermost(steps, ['b', 'a', 'group', 'z', 'gone']).map((one) => one.step.id)).toEqual(['z', 'group', 'b']);
  expect(outermost(steps, ['a']).map((one) => one.step.id)).toEqual(['a']);
});

it('says where a line that is dragged would go', () => {
  const group = step('group', 'Group');
  const all = lines([
    step('first', 'First'),
    group,
    step('a', 'A', group),
    step('b', 'B', group),
    step('last', 'Last'),
  ]);
  // The first one: its own place, before the group, inside of it, behind it, at the end.
  expect([0, 1, 2, 3, 4, 5].map((gap) => gapAt(all, 0, gap))).toEqual([
    'own',
    'own',
    'level',
    'level',
    { to: 1 },
    { to: 2 },
  ]);
  // A step of the group stays in it; behind the last one of it is before what follows the group.
  expect([0, 1, 2, 3, 4, 5].map((gap) => gapAt(all, 3, gap))).toEqual([
    'level',
    'level',
    { to: 0 },
    'own',
    'own',
    'level',
  ]);
  // The group goes with its steps.
  expect([0, 1, 2, 3, 4, 5].map((gap) => gapAt(all, 1, gap))).toEqual([
    { to: 0 },
    'own',
    'own',
    'own',
    'own',
    { to: 2 },
  ]);
});
