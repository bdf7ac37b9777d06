import { onDestroy } from 'svelte';

/** Does it where a field was left. A browser also says that of one that is taken away; only afterwards it is known. */
export function whenLeft(then: () => unknown): () => Promise<void> {
  let gone = false;
  onDestroy(() => {
    gone = true;
  });
  return async () => {
    await Promise.resolve();
    if (!gone) await then();
  };
}
