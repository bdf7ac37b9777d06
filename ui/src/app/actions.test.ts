import { fireEvent } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { actions } from './actions.svelte';
import { shortcuts } from './shortcuts.svelte';

const redo = vi.fn();
let remove = () => {};
beforeEach(() => {
  remove = actions.add([
    { id: 'redo', title: 'Redo', group: 'act', keys: 'Ctrl+Shift+Z', alsoKeys: ['Ctrl+Y'], run: redo },
  ]);
  window.addEventListener('keydown', shortcuts.handle);
});
afterEach(() => {
  remove();
  window.removeEventListener('keydown', shortcuts.handle);
});

it('is done by its keys and by those that other programs have for it; the help lists one of them', async () => {
  await fireEvent.keyDown(document.body, { key: 'Z', ctrlKey: true, shiftKey: true });
  await fireEvent.keyDown(document.body, { key: 'y', ctrlKey: true });
  expect(redo).toHaveBeenCalledTimes(2);
  expect(shortcuts.list.filter((one) => !one.unlisted).map((one) => one.keys)).toEqual(['Ctrl+Shift+Z']);
  remove();
  expect(shortcuts.list).toEqual([]);
});
