import { fireEvent } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shortcuts } from './shortcuts.svelte';

describe('shortcuts', () => {
  const palette = vi.fn();
  const goRuns = vi.fn();
  const help = vi.fn();
  let remove: () => void;

  beforeEach(() => {
    remove = shortcuts.add([
      { keys: 'Ctrl+K', label: 'palette', group: 'everywhere', run: palette, whileTyping: true },
      { keys: 'G R', label: 'runs', group: 'everywhere', run: goRuns },
      { keys: '?', label: 'help', group: 'everywhere', run: help },
    ]);
    window.addEventListener('keydown', shortcuts.handle);
    document.body.innerHTML = '<input aria-label="name" /><button>x</button>';
  });
  afterEach(() => {
    remove();
    window.removeEventListener('keydown', shortcuts.handle);
    vi.clearAllMocks();
  });

  const body = () => document.querySelector('button') as HTMLElement;
  const field = () => document.querySelector('input') as HTMLElement;

  it('runs a combination, a sequence and a shifted sign', async () => {
    await fireEvent.keyDown(body(), { key: 'k', ctrlKey: true });
    await fireEvent.keyDown(body(), { key: 'g' });
    await fireEvent.keyDown(body(), { key: 'r' });
    await fireEvent.keyDown(body(), { key: '?', shiftKey: true });
    expect([palette, goRuns, help].map((f) => f.mock.calls.length)).toEqual([1, 1, 1]);
  });

  it('lets people type: letters and signs do nothing in a field, combinations still do', async () => {
    for (const key of ['g', 'r', '?']) await fireEvent.keyDown(field(), { key });
    await fireEvent.keyDown(field(), { key: 'k', ctrlKey: true });
    expect([palette, goRuns, help].map((f) => f.mock.calls.length)).toEqual([1, 0, 0]);
  });

  it('leaves keys to the web view while they mean nothing here, or where it has its part in them', async () => {
    let may = false;
    const [copy, paste] = [vi.fn(), vi.fn()];
    const end = shortcuts.add([
      { keys: 'Ctrl+C', label: 'copy', group: 'workflow', run: copy, when: () => may },
      { keys: 'Ctrl+V', label: 'paste', group: 'workflow', run: paste, passes: true },
    ]);
    expect(await fireEvent.keyDown(body(), { key: 'c', ctrlKey: true })).toBe(true);
    may = true;
    expect(await fireEvent.keyDown(body(), { key: 'c', ctrlKey: true })).toBe(false);
    expect(await fireEvent.keyDown(field(), { key: 'c', ctrlKey: true })).toBe(true);
    expect(await fireEvent.keyDown(body(), { key: 'v', ctrlKey: true })).toBe(true);
    expect([copy, paste].map((f) => f.mock.calls.length)).toEqual([1, 1]);
    end();
  });

  it('takes back what was done on the page from a field in which nothing was typed', async () => {
    const undo = vi.fn();
    const end = shortcuts.add([{ keys: 'Ctrl+Z', label: 'undo', group: 'workflow', run: undo, untouched: true }]);
    for (const kind of ['input', 'focusin']) window.addEventListener(kind, shortcuts.heard);
    const press = () => fireEvent.keyDown(field(), { key: 'z', ctrlKey: true });
    await press();
    expect(undo).toHaveBeenCalledTimes(1);
    await fireEvent.input(field());
    await press();
    expect(undo).toHaveBeenCalledTimes(1);
    // The window was left and is active again: what was typed is still there to be taken back.
    await fireEvent.focusIn(field());
    await press();
    expect(undo).toHaveBeenCalledTimes(1);
    await fireEvent.focusIn(body());
    await fireEvent.focusIn(field());
    await press();
    expect(undo).toHaveBeenCalledTimes(2);
    for (const kind of ['input', 'focusin']) window.removeEventListener(kind, shortcuts.heard);
    end();
  });

  it('keeps quiet behind an open dialog', async () => {
    document.body.insertAdjacentHTML('beforeend', '<div role="dialog"></div>');
    await fireEvent.keyDown(body(), { key: '?' });
    expect(help).not.toHaveBeenCalled();
  });
});
