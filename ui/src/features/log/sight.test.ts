import { describe, expect, it } from 'vitest';
import { inSight } from './sight';

describe('rows in sight', () => {
  it('are few however long the log is', () => {
    const { first, end } = inSight(1_000_000, 22 * 500_000, 220, 22);
    expect(first).toBeLessThanOrEqual(500_000);
    expect(end).toBeGreaterThanOrEqual(500_010);
    expect(end - first).toBeLessThan(60);
  });

  it('stay inside the list when it became shorter', () => {
    expect(inSight(3, 5_000, 220, 22)).toEqual({ first: 3, end: 3 });
    expect(inSight(0, 0, 220, 22)).toEqual({ first: 0, end: 0 });
  });
});
