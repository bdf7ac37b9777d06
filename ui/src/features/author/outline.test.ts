import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import { workflow } from '$lib/fixtures';
import Outline from './Outline.svelte';
import { above, found, gapAt, lines, ofWorkflow, outermost, rowOf, rows, type Item } from './outline';

const [one] = workflow().steps as [ReturnType<typeof workflow>['steps'][number]];
const step = (id: string, name: string, parent?: typeof one, phase?: string) => ({
  ...one,
  step: { ...one.step, id, name, number: '' },
  parent: parent ? parent.step : null,
  phase,
});
const items = (...steps: (typeof one)[]): Item[] => ofWorkflow({ steps, faces: [] });
const all = (...steps: (typeof one)[]) => lines(items(...steps));
const group = step('group', 'Group');
/** What is seen, with the depth of each row, its place in its level, and whether it is open. */
const seen = (of: Item[], ...folded: string[]) =>
  rows(lines(of), (key) => folded.includes(key)).map(
    ({ title, level, position, size, open }) => `${level} ${title} ${position}/${size} ${open}`,
  );

it('tells of each step how deep it stands and its place in its level', () => {
  const of = items(group, step('a', 'First', group), step('b', 'Second', group), step('z', 'Last'));
  expect(seen(of)).toEqual(['1 Group 1/2 true', '2 First 1/2 null', '2 Second 2/2 null', '1 Last 2/2 null']);
  expect(seen(of, 'group')).toEqual(['1 Group 1/2 false', '1 Last 2/2 null']);
});

it('says what follows a step, and where nothing does, what it waits for', () => {
  const [a, b, c, d] = items(
    { ...step('a', 'Ask'), next: [], depends_on: [] },
    { ...step('b', 'Write'), next: [], depends_on: ['a'] },
    { ...step('c', 'Send'), next: [], depends_on: ['a', 'b', 'a', 'gone'] },
    { ...step('d', 'Tell'), next: ['then “Send”'], depends_on: ['a'] },
  ) as [Item, Item, Item, Item];
  expect(a.next).toEqual([]);
  expect(b.next).toEqual(['waits for “Ask”']);
  expect(c.next).toEqual(['waits for “Ask”, “Write”, “gone”']);
  expect(d.next).toEqual(['then “Send”']);
});

it('gives the whole of what follows on hover: there may be no room for it', () => {
  const said = `then “${'A name that goes on '.repeat(6)}and ends”`;
  const of = items({ ...step('a', 'Ask'), next: [said] }, { ...step('b', 'Write'), next: [] });
  const nothing = () => {};
  render(Outline, { title: 'Flow', items: of, selected: null, folded: [], onfold: nothing, onselect: nothing });
  expect(screen.getByTitle(said)).toHaveTextContent(said);
  expect(screen.getAllByTestId('outline-line')).toHaveLength(2);
});

it('puts steps of one phase in a row below it, each time the phase comes', () => {
  const of = items(
    step('a', 'Ask', undefined, 'Plan'),
    { ...group, phase: 'Plan' },
    step('b', 'Write', group, 'Build'),
    step('c', 'Wait'),
    step('d', 'Make', undefined, 'Build'),
    step('e', 'Plan again', undefined, 'Plan'),
  );
  expect(seen(of)).toEqual([
    '1 Plan 1/4 true',
    '2 Ask 1/2 null',
    '2 Group 2/2 true',
    '3 Write 1/1 null',
    '1 Wait 2/4 null',
    '1 Build 3/4 true',
    '2 Make 1/1 null',
    '1 Plan 4/4 true',
    '2 Plan again 1/1 null',
  ]);
  const folded = rows(lines(of), (key) => key === 'phase 1/Plan');
  expect(folded.map((row) => row.title)).toEqual(['Plan', 'Wait', 'Build', 'Make', 'Plan', 'Plan again']);
  expect(folded[0]).toMatchObject({ step: null, below: 2, line: 0 });
  // Drawn or dropped behind what is folded is behind all that it holds.
  expect(folded[1]?.line).toBe(3);
});

it('finds the row that stands for a step, and the one around it', () => {
  const of = all(step('a', 'Ask'), group, step('b', 'Write', group), step('c', 'Wait'));
  const open = rows(of, () => false);
  const shut = rows(of, (key) => key === 'group');
  expect(rowOf(of, open, 'b')).toBe(2);
  expect(rowOf(of, shut, 'b')).toBe(1);
  expect(rowOf(of, shut, 'gone')).toBe(0);
  expect([0, 1, 2, 3].map((at) => above(open, at))).toEqual([0, 1, 1, 3]);
});

it('ends where steps hold each other', () => {
  const a = step('a', 'A');
  const b = step('b', 'B', a);
  const of = items({ ...a, parent: b.step }, b);
  expect(lines(of).map((line) => line.level)).toEqual([2, 2]);
  expect(seen(of)).toHaveLength(2);
});

it('finds the next step by the letters of its name', () => {
  const of = rows(all(step('a', 'Write'), step('b', 'Check'), step('c', 'Write again')), () => false);
  expect(found(of, 0, 'w')).toBe(2);
  expect(found(of, 2, 'w')).toBe(0);
  expect(found(of, 0, 'wr')).toBe(0);
  expect(found(of, 0, 'x')).toBe(-1);
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
  const of = all(step('first', 'First'), group, step('a', 'A', group), step('b', 'B', group), step('last', 'Last'));
  // The first one: its own place, before the group, inside of it, behind it, at the end.
  expect([0, 1, 2, 3, 4, 5].map((gap) => gapAt(of, 0, gap))).toEqual([
    'own',
    'own',
    'level',
    'level',
    { to: 1 },
    { to: 2 },
  ]);
  // A step of the group stays in it; behind the last one of it is before what follows the group.
  expect([0, 1, 2, 3, 4, 5].map((gap) => gapAt(of, 3, gap))).toEqual([
    'level',
    'level',
    { to: 0 },
    'own',
    'own',
    'level',
  ]);
  // The group goes with its steps.
  expect([0, 1, 2, 3, 4, 5].map((gap) => gapAt(of, 1, gap))).toEqual([
    { to: 0 },
    'own',
    'own',
    'own',
    'own',
    { to: 2 },
  ]);
});
