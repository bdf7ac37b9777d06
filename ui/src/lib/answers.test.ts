import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Answers } from './answers.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const rest = () => vi.advanceTimersByTimeAsync(120);

it('asks where something rests, and once for each place', async () => {
  const answers = new Answers();
  const ask = vi.fn(async () => 'Not here');
  answers.at('a', ask);
  answers.at('b', ask);
  await vi.advanceTimersByTimeAsync(60);
  answers.at('b', ask);
  await vi.advanceTimersByTimeAsync(60);
  expect(ask).toHaveBeenCalledOnce();
  expect(answers.why).toBe('Not here');
  answers.at(null);
  expect(answers.why).toBeNull();
  answers.at('b', ask);
  expect(answers.why).toBe('Not here');
  await rest();
  expect(ask).toHaveBeenCalledOnce();
});

it('does not take an answer for another place, or for what was let go', async () => {
  const answers = new Answers();
  let told: (why: string) => void = () => {};
  answers.at('a', () => new Promise((resolve) => (told = resolve)));
  await rest();
  answers.at('b', async () => null);
  told('Not at a');
  await rest();
  expect(answers.why).toBeNull();
  answers.at('a', async () => null);
  expect(answers.why).toBe('Not at a');
  answers.end();
  answers.at('a', () => new Promise((resolve) => (told = resolve)));
  await rest();
  answers.end();
  told('Of the last time');
  answers.at('a', async () => null);
  await rest();
  expect(answers.why).toBeNull();
});
