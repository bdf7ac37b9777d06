import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Paced } from './paced';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const working = (ms: number) => {
  const work = vi.fn(() => new Promise((resolve) => setTimeout(resolve, ms)));
  return { work, paced: new Paced(work, { times: 3, least: 100 }) };
};

describe('paced work', () => {
  it('is done at once, and once more for all that was asked meanwhile', async () => {
    const { work, paced } = working(10);
    for (let i = 0; i < 5; i += 1) paced.soon();
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(105);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(work).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(work).toHaveBeenCalledTimes(2);
    paced.soon();
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('rests the longer the longer it took', async () => {
    const { work, paced } = working(200);
    paced.soon();
    paced.soon();
    await vi.advanceTimersByTimeAsync(799);
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(10);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('is not done any more once it was stopped', async () => {
    const { work, paced } = working(10);
    paced.soon();
    paced.soon();
    paced.stop();
    await vi.advanceTimersByTimeAsync(10_000);
    paced.soon();
    expect(work).toHaveBeenCalledTimes(1);
  });
});
