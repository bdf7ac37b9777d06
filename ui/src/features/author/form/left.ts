import { onDestroy } from 'svelte';
import { say } from '$lib/ui/say';
import { toasts } from '$lib/ui/toasts.svelte';
import { words } from '../words';

/** Does it where a field was left. A browser also says that of one that is taken away; only afterwards it is known. */
export function whenLeft<Of extends unknown[]>(then: (...of: Of) => unknown): (...of: Of) => Promise<void> {
  let gone = false;
  onDestroy(() => {
    gone = true;
  });
  return async (...of) => {
    await Promise.resolve();
    if (!gone) await then(...of);
  };
}

/** Another one of several, while it is filled in. */
interface Another {
  /** What it is added to. */
  label: () => string;
  /** What is filled in so far, as text; empty: nothing is. */
  filled: () => string;
  /** It can be added as it stands. */
  ready: () => boolean;
  /** Nothing can be filled in now: what has the focus loses it, and nobody has left it. */
  disabled: () => boolean;
  /** Adds it; true when it is added, or somebody is asked about it first. `left`: the focus is elsewhere, and stays there. */
  add: (left: boolean) => Promise<boolean>;
}

/** What the place listens to where another one is filled in: Enter adds it, and so does leaving it. What is left and not added is named. */
export function another(one: Another) {
  let adding = false;
  let gone = false;
  /** What was sent, and whether that was taken: by being left it is not sent again. */
  let sent = { text: '', taken: false };

  const tell = (value: string, label: string) =>
    value !== '' && toasts.info(say(words.form.notAdded, { value, label }));

  async function add(left = false) {
    if (adding || one.disabled() || !one.ready()) return;
    const [text, label] = [one.filled(), one.label()];
    adding = true;
    sent = { text, taken: false };
    let taken = false;
    try {
      taken = await one.add(left);
    } finally {
      adding = false;
      if (sent.text === text) sent = { text, taken };
      // Nobody sees any more why, or looks there.
      if (!taken && (gone || left)) tell(text, label);
    }
  }

  onDestroy(() => {
    gone = true;
    const text = one.filled();
    if (!adding && !(sent.taken && sent.text === text)) tell(text, one.label());
  });

  const leave = whenLeft((place: HTMLElement) => {
    // Whoever goes to another window comes back to it.
    if (adding || one.disabled() || place.contains(document.activeElement)) return;
    const text = one.filled();
    if (!one.ready()) tell(text, one.label());
    else if (text !== sent.text) void add(true);
  });

  return {
    add: () => void add(),
    on: {
      oninput: () => {
        sent = { text: '', taken: false };
      },
      onfocusout: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (!(currentTarget instanceof HTMLElement)) return;
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) void leave(currentTarget);
      },
      /** Before the fields in it: they have nothing of their own to write. */
      onkeydowncapture: (event: KeyboardEvent) => {
        const { target: on } = event;
        if (event.key !== 'Enter' || event.isComposing || on instanceof HTMLButtonElement) return;
        // In several lines it begins another one.
        if (on instanceof HTMLTextAreaElement && !event.ctrlKey && !event.metaKey) return;
        if (!one.ready()) return;
        event.preventDefault();
        void add();
      },
    },
  };
}
