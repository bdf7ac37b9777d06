// @vitest-environment node
import { expect, it } from 'vitest';
import { workflow } from './fixtures';
import { added, followed } from './follow';

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
