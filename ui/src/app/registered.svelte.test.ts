import { flushSync } from 'svelte';
import { expect, it } from 'vitest';
import { shortcuts, useShortcuts } from './shortcuts.svelte';

it('keeps what comes while something else goes', () => {
  let which = $state('A');
  const entry = (keys: string) => ({ keys, label: keys, group: 'everywhere' as const, run: () => {} });
  const leave = $effect.root(() => {
    useShortcuts(() => [entry(which)]);
    useShortcuts(() => [entry(`${which}1`)]);
  });
  const keys = () => shortcuts.list.map((one) => one.keys);
  flushSync();
  expect(keys()).toEqual(['A', 'A1']);
  which = 'B';
  flushSync();
  expect(keys().sort()).toEqual(['B', 'B1']);
  leave();
  flushSync();
  expect(keys()).toEqual([]);
});
