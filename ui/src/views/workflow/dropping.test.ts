import { expect, it, vi } from 'vitest';
import { workflow } from '$lib/fixtures';
import type { Author } from '../../features/author/author.svelte';
import { drawing, faces } from '../../features/canvas/__fixtures__/delivery';
import type { Under } from '../../features/canvas';
import { Dropping } from './dropping.svelte';

const line = drawing.edges[0]!;
const [from, to] = [line.from, line.to].map((box) => faces[Number(box)]!.step.id);

function over(on: Under | null) {
  const author = {
    holds: vi.fn(() => true),
    behind: (step: string) => ({ where: 'after', step }),
    where: (at: object) => `put ${JSON.stringify(at)}`,
    whereGate: (at: object) => `asked ${JSON.stringify(at)}`,
    mayAdd: vi.fn(async (_at: object, _kind?: string): Promise<string | null> => null),
    mayGate: vi.fn(async () => 'There is one already.'),
    addAt: vi.fn(),
    putGate: vi.fn(),
  };
  const view = workflow({ drawing, faces });
  return {
    author,
    dropping: new Dropping(
      author as unknown as Author,
      () => view,
      () => on,
    ),
  };
}
const at = { x: 1, y: 1 };

it.each<[string, Under, object]>([
  ['the ground', 'ground', { where: 'end' }],
  ['a step', { step: 'ux', holds: false }, { where: 'after', step: 'ux' }],
  ['a step that holds others', { step: 'ux', holds: true }, { where: 'inside', step: 'ux' }],
  ['a line', { edge: line.id }, { where: 'between', from, to, label: line.label ?? undefined }],
])('a kind of step that is dragged over %s says where it would go, and goes there', (_, on, spot) => {
  const { author, dropping } = over(on);
  dropping.drag(at, { kind: 'work' });
  expect(dropping.said).toEqual({ text: `put ${JSON.stringify(spot)}`, wrong: false });
  dropping.drop({ kind: 'work' }, at);
  expect(author.addAt).toHaveBeenCalledExactlyOnceWith(spot, 'work');
  dropping.drag(null, { kind: 'work' });
  expect(dropping.said).toBeNull();
});

it('a gate goes to a step or before the next one, nowhere else, and says why it cannot', async () => {
  const { author, dropping } = over({ edge: line.id });
  dropping.drag(at, { gate: true });
  await vi.waitFor(() => expect(dropping.said).toEqual({ text: 'There is one already.', wrong: true }));
  dropping.drop({ gate: true }, at);
  expect(author.putGate).toHaveBeenCalledExactlyOnceWith({ step: to, before: true });
  const ground = over('ground');
  ground.dropping.drag(at, { gate: true });
  expect(ground.dropping.over).toEqual({ on: 'ground', place: null });
  ground.dropping.drop({ gate: true }, at);
  expect(ground.author.putGate).not.toHaveBeenCalled();
  const outside = over(null);
  outside.dropping.drag(at, { kind: 'work' });
  outside.dropping.drop({ kind: 'work' }, at);
  expect(outside.author.addAt).not.toHaveBeenCalled();
});
