import { api, asApiError } from '$lib/api';
import { announce } from '$lib/ui/announce.svelte';
import { messages as m } from '$lib/ui/messages';
import { toasts } from '$lib/ui/toasts.svelte';

/** Files that were deleted and can be brought back, and what was said over everything of each. */
const said = new Map<string, number>();

/** A file was deleted: says so, and offers to bring it back. `back`: it is there again. */
export function sayRemoved(path: string, text: string, entry: string | undefined, back: () => void): void {
  const run = async () => {
    if (entry && (await bringBack(path, entry))) back();
  };
  said.set(path, toasts.show({ severity: 'info', text, ...(entry && { action: { label: m.common.undo, run } }) }));
}

/**
 * Takes the deletion `entry` back, and no other change: by the time that it is asked for, the file may long be there again and say something
 * else. False when it was not, which is said then.
 */
export async function bringBack(path: string, entry: string): Promise<boolean> {
  try {
    const outcome = await api.undo({ path, entry });
    const told = said.get(path);
    if (told !== undefined) toasts.dismiss(told);
    said.delete(path);
    if (outcome.outcome === 'conflict') {
      toasts.info(outcome.message);
      return false;
    }
    outcome.left?.forEach((one) => toasts.info(one));
    if (!outcome.unchanged) announce(m.common.thereAgain);
    return true;
  } catch (thrown) {
    toasts.error(asApiError(thrown));
    return false;
  }
}
