import type { CopiedView } from '$lib/api';

/** Steps that were copied, in the program's own words for them, which are the file's; and the file they come from. */
export type Copied = CopiedView & { path: string };

/** Where no web view lets us read what lies in the clipboard, what was copied here last is what is pasted. */
let kept: Copied | null = null;
/** It did not come into the system's clipboard: whatever lies there is older. */
let onlyHere = false;

/** So long the web view has to hand over what is pasted, ms. */
const HANDED_MS = 80;

/** Keeps what was copied, here and in the system's clipboard. False: only here. */
export async function keep(copied: Copied): Promise<boolean> {
  kept = copied;
  try {
    await navigator.clipboard.writeText(copied.text);
    onlyHere = false;
  } catch {
    onlyHere = !oldWay(copied.text);
  }
  return !onlyHere;
}

/** The clipboard may be closed to scripts that waited for an answer; a copy event is not. */
function oldWay(text: string): boolean {
  let done = false;
  const copy = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopPropagation();
    done = true;
  };
  document.addEventListener('copy', copy, { capture: true, once: true });
  try {
    document.execCommand?.('copy');
  } finally {
    document.removeEventListener('copy', copy, true);
  }
  return done;
}

/** What is pasted: steps that were copied here, or a text that came from elsewhere. Null: there is nothing. */
export type Pasted = { copied: Copied } | { text: string };

/** What lies in the clipboard. `byKeys`: while a key is down that makes the web view hand it over by itself. */
export async function take(byKeys: boolean): Promise<Pasted | null> {
  if (onlyHere && kept) return { copied: kept };
  const passed = byKeys ? await handed() : null;
  const text = passed || ((await read()) ?? passed);
  // Nothing that can be told: what was copied here last is what is meant. An empty one, or a picture, is something else.
  if (text === null) return kept && { copied: kept };
  if (text.trim() === '') return null;
  return kept && same(text, kept.text) ? { copied: kept } : { text };
}

/** The paste event of the web view needs nobody's permission; it comes at once or not at all. */
function handed(): Promise<string | null> {
  return new Promise((resolve) => {
    const paste = (event: ClipboardEvent) => {
      event.preventDefault();
      end(event.clipboardData?.getData('text/plain') ?? null);
    };
    const end = (text: string | null) => {
      document.removeEventListener('paste', paste, true);
      clearTimeout(timer);
      resolve(text);
    };
    const timer = setTimeout(() => end(null), HANDED_MS);
    document.addEventListener('paste', paste, true);
  });
}

async function read(): Promise<string | null> {
  try {
    return await navigator.clipboard.readText();
  } catch {
    return null;
  }
}

/** Systems change line ends, and ends of texts. */
function same(a: string, b: string): boolean {
  const plain = (text: string) => text.replaceAll('\r\n', '\n').trim();
  return plain(a) === plain(b);
}

/** Whether text is marked somewhere: then the keys of the clipboard are about that. */
export function textMarked(): boolean {
  return !(document.getSelection()?.isCollapsed ?? true);
}
