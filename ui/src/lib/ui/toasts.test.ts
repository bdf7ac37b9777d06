import { render, screen, fireEvent } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Framed from './__fixtures__/FramedToasts.svelte';
import { toasts } from './toasts.svelte';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  for (const { id } of toasts.list) toasts.dismiss(id);
  vi.useRealTimers();
});
const told = () => toasts.list.map((one) => one.text);

describe('a toast', () => {
  it('leaves by itself; one that leads somewhere stays long enough to be read and gone to', () => {
    toasts.info('The file was read again.');
    toasts.success('Kept as a test.', { label: 'Show the tests', href: '#/tests' });
    vi.advanceTimersByTime(6_000);
    expect(told()).toEqual(['Kept as a test.']);
    vi.advanceTimersByTime(6_000);
    expect(told()).toEqual([]);
  });

  it('that offers to do something stays', () => {
    toasts.info('Deleted.', { label: 'Undo', run: () => {} });
    vi.advanceTimersByTime(60_000);
    expect(told()).toEqual(['Deleted.']);
  });

  it('stays while it is looked at, with the pointer or the keyboard', async () => {
    render(Framed);
    toasts.success('Kept as a test.', { label: 'Show the tests', href: '#/tests' });
    await vi.advanceTimersByTimeAsync(0);
    const toast = screen.getByTestId('toast');
    await fireEvent.pointerEnter(toast);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told()).toEqual(['Kept as a test.']);
    await fireEvent.pointerLeave(toast);
    await fireEvent.focusIn(screen.getByRole('link'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told()).toEqual(['Kept as a test.']);
    await fireEvent.focusOut(screen.getByRole('link'));
    await vi.advanceTimersByTimeAsync(12_000);
    expect(told()).toEqual([]);
  });
});
