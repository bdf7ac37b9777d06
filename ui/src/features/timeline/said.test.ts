import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogView } from '$lib/api';
import { Said } from './said.svelte';

/** How far the run has come. */
let last: number;
const ask = vi.fn(async (after: number, until: number): Promise<LogView> => {
  await Promise.resolve();
  const seqs = Array.from({ length: Math.max(0, Math.min(last, until) - after) }, (_, i) => after + i + 1);
  return {
    lines: seqs.map((seq) => ({ seq, at: seq, step: null, stream: 'event', text: `event ${seq}`, status: null })),
    last: Math.min(last, until),
  };
});
let said: Said;

beforeEach(() => {
  last = 1_000;
  ask.mockClear();
  said = new Said(ask);
});

const known = (seq: number) => vi.waitFor(() => expect(said.of(seq)).toBe(`event ${seq}`));

describe('what events say', () => {
  it('is asked for with what stands around it, and not twice', async () => {
    expect(said.of(40)).toBe('');
    await known(40);
    await known(33);
    await known(64);
    expect(ask.mock.calls).toEqual([[32, 64]]);
    expect(said.of(0)).toBe('');
  });

  it('is asked for once more where the run has gone on', async () => {
    last = 40;
    await known(40);
    last = 41;
    await known(41);
    expect(ask.mock.calls).toEqual([
      [32, 64],
      [32, 64],
    ]);
  });

  it('is asked for one after the other, the latest first', async () => {
    for (const seq of [10, 100, 200, 300]) said.of(seq);
    await known(300);
    expect(ask).toHaveBeenCalledTimes(1);
    said.of(400);
    await Promise.resolve();
    for (const seq of [500, 600]) said.of(seq);
    await known(600);
    expect(ask.mock.calls.map(([after]) => after)).toEqual([288, 384, 576]);
  });

  it('is asked for again after an error', async () => {
    ask.mockRejectedValueOnce(new Error('gone'));
    expect(said.of(5)).toBe('');
    await vi.waitFor(() => expect(ask).toHaveBeenCalledTimes(1));
    await known(5);
  });
});
