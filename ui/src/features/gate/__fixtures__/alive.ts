import { screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { MOMENT_MS } from '../desk.svelte';

/** Waits until the answers of the brief on screen can be pressed: it must have been there for a moment. */
export async function alive() {
  if (vi.isFakeTimers()) await moment();
  await waitFor(() => expect(screen.getByTestId('gate-answers')).toHaveAttribute('data-live', 'true'), {
    timeout: 4_000,
  });
}

/**
 * Where the moment itself is not what is tested, nobody sits it out: it passes when it is waited for. All else takes the
 * time that it takes, so that a moment which began too late still comes.
 */
export function momentsPass() {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true }));
  afterEach(() => void vi.useRealTimers());
}

/** From now on a moment passes only as far as it is told to, however slow the machine is. */
export function timeStands() {
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
}

/** So much of the moment that began with what is on screen now passes, ms. It begins with the next frame. */
export async function passes(ms: number) {
  await new Promise(requestAnimationFrame);
  vi.advanceTimersByTime(ms);
}

/** The moment that began with what is on screen now has passed. It begins with the next frame. */
export const moment = () => passes(MOMENT_MS);

/** Somebody at the window, who also presses one key after the other where moments pass. */
export const person = () =>
  userEvent.setup({ advanceTimers: (ms) => void (vi.isFakeTimers() && vi.advanceTimersByTime(ms)) });
