import { currentHost } from './api';
import { messages as m } from './ui/messages';

/** What can be done with a file that was just written: in a browser it is fetched, in the window its folder is at hand. */
export function fetched(path: string): { label: string; href: string; download: boolean } | undefined {
  const href = currentHost().written?.(path);
  return href === undefined ? undefined : { label: m.common.download, href, download: true };
}
