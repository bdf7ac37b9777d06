import type { Host } from '$lib/host';
import type { Commands } from './commands.gen';
import { asApiError } from './errors';

let host: Host | null = null;

/** The door every call goes through; set once at the start (and by each test). */
export function useHost(next: Host): void {
  host = next;
}

export function currentHost(): Host {
  if (!host) throw new Error('no host: useHost() comes before the first call');
  return host;
}

/** One command by name, its parameters and result typed by the backend's own list. Rejects with an ApiError only. */
export async function call<Name extends keyof Commands>(
  name: Name,
  params: Commands[Name]['params'],
): Promise<Commands[Name]['result']> {
  try {
    return (await currentHost().rpc(name, params)) as Commands[Name]['result'];
  } catch (thrown) {
    throw asApiError(thrown);
  }
}
