import { LineReader } from './ndjson';
import { HostUnreachable, type Host, type LinkState, type RawNotice } from './types';

const FIRST_RETRY_MS = 250;
const LONGEST_RETRY_MS = 5_000;
const UNAUTHORISED = 401;

/**
 * `gatehouse serve`: the same window over http on this machine. The browser shows a cookie that no script can read; a token is given only
 * where the pages come from elsewhere.
 */
export function httpHost(token = '', base = ''): Host {
  const authorised: Record<string, string> = token === '' ? {} : { Authorization: `Bearer ${token}` };
  let replace = () => {};
  const replaced = new Promise<void>((resolve) => (replace = resolve));
  return {
    kind: 'http',
    replaced,
    async rpc(method, params) {
      let response: Response;
      try {
        response = await fetch(`${base}/rpc`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...authorised },
          body: JSON.stringify({ method, params }),
        });
      } catch (cause) {
        throw new HostUnreachable('no answer', { cause });
      }
      const text = await response.text();
      const body = parse(text);
      if (response.ok) return body;
      throw body ?? { code: `http_${response.status}`, message: text || response.statusText };
    },
    subscribe(onNotices, onLink) {
      const stop = new AbortController();
      let last: LinkState | null = null;
      const link = (state: LinkState) => {
        if (stop.signal.aborted || state === last) return;
        last = state;
        onLink?.(state);
      };
      void follow(`${base}/notices`, authorised, stop.signal, onNotices, link, replace);
      return () => stop.abort();
    },
    download(name, mime, text) {
      const url = URL.createObjectURL(new Blob([text], { type: mime }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      // The browser reads the blob after the click returns.
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    },
    // A link shows the cookie of this page, and no token.
    ...(token === ''
      ? { written: (path: string) => `${base}/saved/${encodeURIComponent(path.split(/[\\/]/).pop() ?? '')}` }
      : {}),
    async openExternal(url) {
      window.open(url, '_blank', 'noopener,noreferrer');
    },
  };
}

/**
 * Reads the notice stream for as long as wanted; a break is reported and tried again, ever more slowly. Who is not let in
 * will not be let in later either: then it ends, and the page says which address to open.
 */
async function follow(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
  onNotices: (batch: RawNotice[]) => void,
  onLink: (state: LinkState) => void,
  onReplaced: () => void,
): Promise<void> {
  let wait = FIRST_RETRY_MS;
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { headers: { Accept: 'application/x-ndjson', ...headers }, signal });
      if (response.status === UNAUTHORISED) {
        onLink('lost');
        return onReplaced();
      }
      if (!response.ok || !response.body) throw new HostUnreachable(`notices: ${response.status}`);
      onLink('open');
      wait = FIRST_RETRY_MS;
      const lines = new LineReader();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        // A line may hold one notice or a batch of them.
        const batch = lines.push(value).flat() as RawNotice[];
        if (batch.length > 0) onNotices(batch);
      }
    } catch {
      if (signal.aborted) return;
    }
    onLink('lost');
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, LONGEST_RETRY_MS);
  }
}

function parse(text: string): unknown {
  try {
    return text === '' ? null : (JSON.parse(text) as unknown);
  } catch {
    return null;
  }
}
