import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { pages, pdfText } from './__fixtures__/pdf';
import { openPdf } from './pdf';

/** pdf.js' own worker behind a channel, as it is in a window; a deaf one is at work and reads nothing. */
let deaf = false;
const terminate = vi.fn();
class Channelled {
  readonly #channel = new MessageChannel();
  constructor() {
    const { WorkerMessageHandler } = (globalThis as unknown as { pdfjsWorker: Handler }).pdfjsWorker;
    this.#channel.port1.start();
    WorkerMessageHandler.initializeFromPort(this.#channel.port1);
    this.#channel.port2.start();
  }
  postMessage(message: unknown, transfer: Transferable[] = []) {
    if (!deaf) this.#channel.port2.postMessage(message, transfer);
  }
  addEventListener(kind: string, told: (event: Event) => void, options?: object) {
    this.#channel.port2.addEventListener(kind, told, options);
  }
  removeEventListener(kind: string, told: (event: Event) => void) {
    this.#channel.port2.removeEventListener(kind, told);
  }
  terminate() {
    terminate();
    for (const port of [this.#channel.port1, this.#channel.port2]) port.close();
  }
}
interface Handler {
  WorkerMessageHandler: { initializeFromPort: (port: MessagePort) => void };
}

beforeEach(async () => {
  deaf = false;
  terminate.mockReset();
  vi.stubGlobal('DOMMatrix', globalThis.DOMMatrix ?? class {});
  await import('pdfjs-dist/legacy/build/pdf.worker.mjs' as string);
  vi.stubGlobal('Worker', Channelled);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const bytes = () => Uint8Array.from(pdfText(pages(['First'])), (letter) => letter.charCodeAt(0));

it('ends the worker of a document that is left, once it has put things away', async () => {
  const leaving = new AbortController();
  const open = await openPdf(bytes(), true, leaving.signal);
  expect(open.pages).toBe(1);
  expect(terminate).not.toHaveBeenCalled();
  leaving.abort();
  await vi.waitFor(() => expect(terminate).toHaveBeenCalled(), { timeout: 1_000 });
});

it('ends one that does not listen any more', async () => {
  const leaving = new AbortController();
  await openPdf(bytes(), true, leaving.signal);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  deaf = true;
  leaving.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(terminate).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(terminate).toHaveBeenCalled();
});

it('ends the one of a document that is left while it is being opened', async () => {
  deaf = true;
  const leaving = new AbortController();
  void openPdf(bytes(), true, leaving.signal).catch(() => {});
  await new Promise((done) => setTimeout(done, 50));
  leaving.abort();
  await vi.waitFor(() => expect(terminate).toHaveBeenCalled(), { timeout: 3_000 });
});
