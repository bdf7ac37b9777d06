import { api, asApiError, currentHost, type SaveFile } from '$lib/api';
import { fetched } from '$lib/fetched';
import { fileName } from '$lib/ui/files';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import { bytes } from '$lib/ui/time';
import { toasts } from '$lib/ui/toasts.svelte';
import { base64Of } from './bytes';
import type { Attached } from './pdf';

type Of = Omit<SaveFile, 'to' | 'attached'>;

async function saved(params: SaveFile): Promise<void> {
  try {
    const { path, bytes: size } = await api.saveFile(params);
    toasts.success(say(m.gate.copySaved, { path, size: bytes(size) }), fetched(path));
  } catch (thrown) {
    toasts.error(asApiError(thrown));
  }
}

/** Saves exactly that version of a file, for a program that can show it: where the person says, or in the folder of reports. */
export async function saveCopy(of: Of): Promise<void> {
  const host = currentHost();
  const to = await host.pickSave?.(m.gate.saveCopy, fileName(of.path));
  // The dialog was closed.
  if (host.pickSave && !to) return;
  await saved(to ? { ...of, to } : of);
}

/** Saves a file that is attached to a document. A browser has what is attached already, and keeps it where it keeps all that is fetched. */
export async function saveAttached(of: Of, { name, content }: Attached): Promise<void> {
  if (!content) return;
  const host = currentHost();
  const called = fileName(name) || m.drawn.attachedFile;
  if (!host.pickSave) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
    link.download = called;
    link.click();
    // What the browser fetches from it, it has begun to fetch by then.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    return;
  }
  const to = await host.pickSave(m.gate.saveCopy, called);
  if (to) await saved({ ...of, to, attached: base64Of(content) });
}
