import type { Pressed } from '$lib/api';

/** Keys that mean something to a program although they write nothing; what the terminal makes of them is told by the backend. */
const NAMED = new Set([
  'Enter',
  'Backspace',
  'Tab',
  'Escape',
  'ArrowUp',
  'ArrowDown',
  'ArrowRight',
  'ArrowLeft',
  'Home',
  'End',
  'Insert',
  'Delete',
  'PageUp',
  'PageDown',
  ...Array.from({ length: 10 }, (_, n) => `F${n + 1}`),
]);

type Key = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'metaKey' | 'shiftKey' | 'isComposing'>;

/** What a key is for the program; `null`: it stays the window's own (leaving by Shift+Tab, pasting, copying). */
export function pressedBy(event: Key): Pressed | null {
  const { key, ctrlKey: control, altKey: alt, metaKey, shiftKey } = event;
  if (event.isComposing || metaKey || (key === 'Tab' && (shiftKey || control))) return null;
  // Pasting brings a text, not a key.
  if (control && (key.toLowerCase() === 'v' || (shiftKey && key.toLowerCase() === 'c'))) return null;
  // What a key with AltGr writes is a character.
  if (key.length === 1 && control && alt) return { text: key };
  if (key.length === 1 && (control || alt)) return { key: { name: key, control, alt } };
  if (NAMED.has(key)) return { key: { name: key, control, alt } };
  return null;
}
