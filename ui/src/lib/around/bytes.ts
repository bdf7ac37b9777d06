import { api, type ArtifactView } from '$lib/api';

/** What a file holds, in exactly the version that is looked at, with what it is as a browser calls it. */
export async function bytesOf(run: string, { path, digest }: Pick<ArtifactView, 'path' | 'digest'>) {
  const { media, base64 } = await api.fileBytes({ run_id: run, path, digest });
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return { media, bytes };
}

/** Bytes, in Base64. */
export function base64Of(bytes: Uint8Array): string {
  const STEP = 0x8000;
  let letters = '';
  for (let at = 0; at < bytes.length; at += STEP) letters += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(letters);
}
