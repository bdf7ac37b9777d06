import { httpHost } from './http';
import type { Host } from './types';

export type { Host, LinkState, RawNotice } from './types';
export { HostUnreachable } from './types';

/** Inside the desktop shell the window's own door, everywhere else http with the token of the page's address. */
export async function connectHost(): Promise<Host> {
  if ('__TAURI_INTERNALS__' in window) {
    const { tauriHost } = await import('./tauri');
    return tauriHost();
  }
  return httpHost(new URLSearchParams(location.search).get('token') ?? '');
}
