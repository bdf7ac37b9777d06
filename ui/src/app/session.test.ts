import { gateCard, settings } from '$lib/fixtures';
import type { GateCard } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { router } from './router.svelte';
import { session } from './session.svelte';

describe('what is told of a question', () => {
  let stop = () => {};
  afterEach(() => {
    stop();
    toasts.list = [];
  });

  it('goes when the question is answered, and stays while it waits', async () => {
    const [mine, other] = [gateCard({ run_id: 'run-1', question: 'Is it ready?' }), gateCard({ run_id: 'run-2' })];
    let waiting: GateCard[] = [];
    const host = new FakeHost()
      .on('settings.get', () => settings)
      .on('inbox.list', () => ({ waiting, decided: [], decided_total: 0, first_try: null }));
    router.go('#/runs');
    stop = await session.start(host);
    waiting = [mine, other];
    host.send({ kind: 'inbox', waiting: 1, opened: mine }, { kind: 'inbox', waiting: 2, opened: other });
    await vi.waitFor(() => expect(session.inbox.value?.waiting).toHaveLength(2));
    expect(toasts.list.map((one) => one.text)).toEqual([
      expect.stringContaining('Is it ready?'),
      expect.stringContaining(other.question),
    ]);
    waiting = [other];
    host.send({ kind: 'inbox', waiting: 1, opened: null });
    await vi.waitFor(() => expect(toasts.list).toHaveLength(1));
    expect(toasts.list[0]?.text).toContain(other.question);
  });
});
