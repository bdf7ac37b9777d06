import { describe, expect, it } from 'vitest';
import { Snapshot } from './snapshot.svelte';

/** A backend whose answers are let go by hand. */
function slow() {
  const open: { give: (value: string) => void; fail: (error: unknown) => void }[] = [];
  const fetch = () => new Promise<string>((give, fail) => open.push({ give, fail }));
  return { open, fetch };
}

describe('Snapshot', () => {
  it('answers a burst of notices with one more question, and ends on the newest answer', async () => {
    const { open, fetch } = slow();
    const snapshot = new Snapshot(fetch);
    const done = snapshot.refresh();
    void snapshot.refresh();
    void snapshot.refresh();
    expect(open).toHaveLength(1);
    open[0]?.give('old');
    await Promise.resolve();
    await Promise.resolve();
    expect(open).toHaveLength(2);
    open[1]?.give('new');
    await done;
    expect(snapshot.value).toBe('new');
    expect(snapshot.loading).toBe(false);
  });

  it('keeps what it shows when a later question fails, and says so', async () => {
    let fail = false;
    const snapshot = new Snapshot(() =>
      fail ? Promise.reject({ code: 'store_locked', message: 'Busy.', hint: null }) : Promise.resolve('here'),
    );
    await snapshot.refresh();
    fail = true;
    await snapshot.refresh();
    expect(snapshot.value).toBe('here');
    expect(snapshot.error?.code).toBe('store_locked');
  });

  it('does not let an older answer undo a value that was put', async () => {
    const { open, fetch } = slow();
    const snapshot = new Snapshot(fetch);
    const done = snapshot.refresh();
    snapshot.put('answered');
    open[0]?.give('before the answer');
    await Promise.resolve();
    await Promise.resolve();
    expect(snapshot.value).toBe('answered');
    // It may have been asked about something that came after the answer.
    open[1]?.give('after the answer');
    await done;
    expect(snapshot.value).toBe('after the answer');
  });
});
