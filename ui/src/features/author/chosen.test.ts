import { expect, it } from 'vitest';
import type { WorkflowView } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { Open } from './__fixtures__/target.svelte';
import { Chosen } from './chosen.svelte';

const like = workflow().steps[0]!;
const file = (...ids: string[]): WorkflowView =>
  workflow({ steps: ids.map((id, ordinal) => ({ ...like, ordinal, step: { id, number: '', name: `Step ${id}` } })) });

function open(...ids: string[]) {
  const target = new Open('a.yaml', file(...ids));
  return { target, chosen: new Chosen(target) };
}

it('is one step until more are asked for; the last one is the one that is looked at', () => {
  const { target, chosen } = open('a', 'b', 'c');
  expect(chosen.ids).toEqual([]);
  target.step = 'b';
  expect(chosen.ids).toEqual(['b']);
  chosen.choose(['a'], 'other');
  expect(chosen.ids).toEqual(['b', 'a']);
  expect(target.step).toBe('a');
  chosen.choose(['a'], 'other');
  expect(chosen.ids).toEqual(['b']);
  expect(target.step).toBe('b');
  chosen.choose(['b'], 'other');
  expect(target.step).toBeNull();
});

it('adds without taking away, and lets go of the others when one is chosen by any other way', () => {
  const { target, chosen } = open('a', 'b', 'c', 'd');
  chosen.choose(['a', 'b']);
  chosen.choose(['b', 'c'], 'more');
  expect(chosen.ids).toEqual(['a', 'b', 'c']);
  expect(chosen.several).toBe(true);
  target.step = 'd';
  expect(chosen.ids).toEqual(['d']);
});

it('chooses all, and keeps the step that is looked at', () => {
  const { target, chosen } = open('a', 'b', 'c');
  target.step = 'b';
  chosen.all();
  expect(chosen.ids).toEqual(['a', 'c', 'b']);
  expect(target.step).toBe('b');
});

it('goes on with the same steps where they have other ids in the next version of the file', () => {
  const { target, chosen } = open('1', '2', '3');
  chosen.choose(['2', '3']);
  const [one, two, three] = target.view.value!.steps as [typeof like, typeof like, typeof like];
  const renumbered = (of: typeof like, id: string, ordinal: number) => ({ ...of, ordinal, step: { ...of.step, id } });
  const fresh = { ...like, ordinal: 1, step: { id: '2', number: '', name: 'Fresh' } };
  target.view.value = workflow({ steps: [one, fresh, renumbered(two, '3', 2), renumbered(three, '4', 3)] });
  target.step = '4';
  expect(chosen.ids).toEqual(['3', '4']);
});
