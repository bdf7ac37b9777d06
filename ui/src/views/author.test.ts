import { expect, it, vi } from 'vitest';
import type { Gestures } from '$lib/api';
import type { Author } from '../features/author/author.svelte';
import { authorActions } from './author';

const may = { steps: true, gates: true } as Gestures;

function actions(ids: string[], more: { draws?: string | null; gated?: boolean; busy?: boolean } = {}) {
  const author = {
    chosen: { ids },
    gated: () => more.gated ?? false,
    addBehind: vi.fn(),
    gate: vi.fn(),
    remove: vi.fn(),
  };
  const lines = { draw: () => more.draws ?? null, connect: vi.fn() };
  const all = authorActions(author as unknown as Author, may, more.busy ?? false, lines);
  return { author, lines, of: (id: string) => all.find((one) => one.id === id) };
}

it('a pipeline can be drawn from the palette: steps, lines and gates', () => {
  const { author, lines, of } = actions(['a', 'b'], { draws: 'leads' });
  for (const id of ['steps-add', 'steps-connect', 'steps-gate', 'steps-remove']) {
    expect(of(id)?.disabled).toBeNull();
    of(id)?.run();
  }
  expect(author.addBehind).toHaveBeenCalledOnce();
  expect(lines.connect).toHaveBeenCalledOnce();
  // As in its form: the last one chosen.
  expect(author.gate).toHaveBeenCalledExactlyOnceWith('b');
  expect(author.remove).toHaveBeenCalledExactlyOnceWith(['a', 'b']);
});

it('says what is missing, and what a gate would become', () => {
  const none = actions([], { draws: 'waits' });
  expect(none.of('steps-add')).toMatchObject({ title: 'Add a step at the end', disabled: null });
  for (const id of ['steps-connect', 'steps-gate', 'steps-remove'])
    expect(none.of(id)?.disabled).toBe('Choose a step first');
  expect(actions(['a'], { gated: true }).of('steps-gate')?.title).toBe('Stop asking a person at the chosen step');
  expect(actions(['a'], { busy: true }).of('steps-gate')?.disabled).toMatch(/still being saved/);
});

it('offers no line where none can be drawn, and nothing where nothing can be changed', () => {
  expect(actions(['a']).of('steps-connect')).toBeUndefined();
  expect(authorActions({ chosen: { ids: [] } } as unknown as Author, null, false)).toEqual([]);
});
