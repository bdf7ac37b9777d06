// @vitest-environment node
import { expect, it } from 'vitest';
import { workflow } from './fixtures';
import { added, allAdded, followed } from './follow';

const like = workflow().steps[0]!;
/** Steps of a runbook: their ids are their numbers, anew after every edit. */
const runbook = (...names: string[]) =>
  names.map((name, i) => ({ ...like, ordinal: i, step: { id: String(i + 1), number: String(i + 1), name } }));
/** Steps whose ids are their own. */
const flow = (...steps: [string, string][]) =>
  steps.map(([id, name], i) => ({ ...like, ordinal: i, step: { id, number: String(i + 1), name } }));

it('goes on with the same step where ids are numbers that shift', () => {
  const before = runbook('Read', 'Check', 'Send');
  expect(followed(before, runbook('Read', 'Ask', 'Check', 'Send'), '3')?.step.id).toBe('4');
  expect(followed(before, runbook('Check', 'Send'), '2')?.step.id).toBe('1');
  expect(followed(before, runbook('Check', 'Read', 'Send'), '1')?.step.id).toBe('2');
  expect(followed(before, runbook('Read', 'Check it', 'Send'), '2')?.step.id).toBe('2');
  expect(followed(before, runbook('Read', 'Send'), '2')).toBeNull();
});

it('goes on with the same step where its id was changed', () => {
  const before = flow(['a', 'Read'], ['b', 'Check']);
  expect(followed(before, flow(['a', 'Read'], ['check', 'Check']), 'b')?.step.id).toBe('check');
  expect(followed(before, flow(['b', 'Check'], ['a', 'Read']), 'b')?.step.id).toBe('b');
});

it('finds the step that was added, beside others of its name too', () => {
  expect(added(runbook('Read', 'Send'), runbook('Read', 'Check', 'Send'), 0)?.step.id).toBe('2');
  expect(added(runbook('Read'), runbook('Read', 'Check'), 0)?.step.id).toBe('2');
  expect(added(runbook('Check', 'Check'), runbook('Check', 'Check', 'Check'), 0)?.step.id).toBe('2');
  expect(added([], runbook('First'), -1)?.step.id).toBe('1');
});

it('finds all that was added in one place, though others have the same names', () => {
  const before = runbook('Read', 'Check', 'Send');
  const ids = (now: ReturnType<typeof runbook>, behind: number) =>
    allAdded(before, now, behind).map((one) => one.step.id);
  expect(ids(runbook('Read', 'Ask', 'File', 'Check', 'Send'), 0)).toEqual(['2', '3']);
  expect(ids(runbook('Read', 'Check', 'Send', 'Check', 'Send'), 2)).toEqual(['4', '5']);
  expect(ids(runbook('Read', 'Check', 'Check', 'Send'), 1)).toEqual(['3']);
  expect(ids(before, 1)).toEqual([]);
});

it('leaves out what stands inside of what was added', () => {
  const before = runbook('Read');
  const [read, group, inside] = runbook('Read', 'Group', 'Inside');
  const held = { ...inside!, parent: group!.step };
  expect(allAdded(before, [read!, group!, held], 0).map((one) => one.step.id)).toEqual(['2']);
});
