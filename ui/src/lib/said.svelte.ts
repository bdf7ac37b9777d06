import { announce } from '$lib/ui/announce.svelte';

/** So long it stands there. */
const SAID_MS = 5_000;

/** What was written last, in words: ears are told at once; eyes find it beside undo for a while. */
export class Said {
  text = $state<string | null>(null);
  #saying: ReturnType<typeof setTimeout> | undefined;

  say(text: string): void {
    announce(text);
    this.text = text;
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => this.clear(), SAID_MS);
  }

  /** What was written before says nothing of what is written now. */
  clear(): void {
    this.text = null;
  }
}
