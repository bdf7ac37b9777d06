import type { Host, LinkState, RawNotice } from './types';

type Answer = (params: never) => unknown;

/** For unit tests only: answers from a table, remembers every call, and sends notices when told to. */
export class FakeHost implements Host {
  readonly kind = 'test';
  readonly calls: { method: string; params: unknown }[] = [];
  #answers: Record<string, Answer>;
  #listeners = new Set<(batch: RawNotice[]) => void>();
  #links = new Set<(state: LinkState) => void>();
  replace = () => {};
  readonly replaced = new Promise<void>((resolve) => (this.replace = resolve));

  constructor(answers: Record<string, Answer> = {}) {
    this.#answers = answers;
  }

  on(method: string, answer: Answer): this {
    this.#answers[method] = answer;
    return this;
  }

  rpc(method: string, params: unknown): Promise<unknown> {
    this.calls.push({ method, params });
    const answer = this.#answers[method];
    if (!answer) return Promise.reject(new Error(`the test gave no answer for "${method}"`));
    return new Promise((resolve) => resolve(answer(params as never)));
  }

  subscribe(onNotices: (batch: RawNotice[]) => void, onLink?: (state: LinkState) => void): () => void {
    this.#listeners.add(onNotices);
    if (onLink) this.#links.add(onLink);
    onLink?.('open');
    return () => {
      this.#listeners.delete(onNotices);
      if (onLink) this.#links.delete(onLink);
    };
  }

  send(...batch: RawNotice[]): void {
    for (const listener of this.#listeners) listener(batch);
  }

  link(state: LinkState): void {
    for (const listener of this.#links) listener(state);
  }

  called(method: string): unknown[] {
    return this.calls.filter((call) => call.method === method).map((call) => call.params);
  }
}
