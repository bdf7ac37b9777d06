import { untrack } from 'svelte';
import { Registered } from './registered.svelte';

/** One keyboard command. `keys` is written the way it is shown: "Ctrl+K", "?", "G I" (one after the other). */
export interface Shortcut {
  keys: string;
  label: string;
  group: 'everywhere' | 'lists' | 'workflow' | 'run';
  run: () => void;
  /** Also while the caret is in a text field; only for combinations that cannot be typed. */
  whileTyping?: boolean;
  /** Also in a field in which nothing was typed since it has the focus: there the web view would do nothing by it. */
  untouched?: boolean;
  /** Whether the keys mean this now; else they are the web view's own. */
  when?: () => boolean;
  /** The web view has its own part in it, which it hands over: it hears the keys as well. */
  passes?: boolean;
  /** The same as another one, which the help lists. */
  unlisted?: boolean;
}

const SEQUENCE_MS = 900;

/**
 * The keyboard's table. Views add their commands while they are on screen (`useShortcuts`); the help lists what is
 * active. Single letters never fire while somebody types (WCAG 2.1.4).
 */
class Shortcuts extends Registered<Shortcut> {
  #pending = '';
  #pendingSince = 0;
  /** The field in which something was typed since it has the focus. */
  #touched: EventTarget | null = null;

  /** Something is typed in a field, or another one takes the focus. */
  heard = (event: Event): void => {
    if (event.type === 'input') this.#touched = event.target;
    // A window that becomes active again focuses the same field anew: what was typed in it is still there.
    else if (event.target !== this.#touched) this.#touched = null;
  };

  handle = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const pressed = name(event);
    if (!pressed) return;
    const typing = isTyping(event.target);
    const untouched = isUntouched(event.target, this.#touched);
    const sequence =
      this.#pending && event.timeStamp - this.#pendingSince < SEQUENCE_MS ? `${this.#pending} ${pressed}` : '';
    this.#pending = '';
    // The latest wins: a view may take over a general key while it is on screen.
    const match = (keys: string) =>
      this.list.findLast(
        (one) =>
          one.keys.toLowerCase() === keys.toLowerCase() &&
          (!typing || one.whileTyping || (one.untouched && untouched)) &&
          (one.when?.() ?? true),
      );
    const found = (sequence && match(sequence)) || match(pressed);
    if (found) {
      // An open dialog is a world of its own; only what works while typing passes through it.
      if (document.querySelector('[role="dialog"]') && !found.whileTyping) return;
      if (!found.passes) event.preventDefault();
      found.run();
    } else if (!typing && this.list.some((one) => one.keys.toLowerCase().startsWith(`${pressed.toLowerCase()} `))) {
      this.#pending = pressed;
      this.#pendingSince = event.timeStamp;
    }
  };
}

export const shortcuts = new Shortcuts();

/** For components: active from mount to unmount. */
export function useShortcuts(entries: () => Shortcut[]): void {
  $effect(() => {
    const now = entries();
    return untrack(() => shortcuts.add(now));
  });
}

function name(event: KeyboardEvent): string {
  if (['Control', 'Shift', 'Alt', 'Meta'].includes(event.key)) return '';
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const letter = /^[A-Z]$/.test(key);
  return [
    event.ctrlKey || event.metaKey ? 'Ctrl' : '',
    event.altKey ? 'Alt' : '',
    // "?" is already shifted; only letters and named keys say Shift.
    event.shiftKey && (letter || event.key.length > 1) ? 'Shift' : '',
    key,
  ]
    .filter(Boolean)
    .join('+');
}

/** Whether it is a field in which the web view has nothing to take back; in an editor there may be something. */
function isUntouched(target: EventTarget | null, touched: EventTarget | null): boolean {
  if (target instanceof HTMLSelectElement) return true;
  const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return isText && target !== touched;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement)
    return true;
  return target instanceof HTMLInputElement && !['radio', 'checkbox', 'button'].includes(target.type);
}
