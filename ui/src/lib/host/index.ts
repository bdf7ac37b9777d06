import { httpHost } from './http';
import type { Host } from './types';

export type { Host, LinkState, RawNotice } from './types';
export { HostUnreachable } from './types';

/** Inside the desktop shell the window's own door, everywhere else http with the cookie that the printed address leaves. */
export async function connectHost(): Promise<Host> {
  if ('__TAURI_INTERNALS__' in window) {
    const { tauriHost } = await import('./tauri');
    return tauriHost();
  }
  const address = new URL(location.href);
  const token = address.searchParams.get('token') ?? '';
  if (token !== '') {
    // Served by another program while the pages are worked on: no token stays in the browser's history.
    address.searchParams.delete('token');
    history.replaceState(null, '', address);
  }
  return httpHost(token);
}
