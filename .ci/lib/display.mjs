// A virtual display for machines without one, and pictures of it.
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, keep } from './programs.mjs';
import { Stop } from './say.mjs';

const PATIENCE_MS = 60_000;

/** True when this machine has a display of its own. */
export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/**
 * Starts a virtual display. The X server picks a free number itself and writes it to its standard output, so
 * several may start at once.
 * @returns {Promise<{display: string, stop: () => Promise<void>}>}
 */
export async function virtualDisplay({ width = 1280, height = 800 } = {}) {
  const command = ['Xvfb', '-displayfd', '1', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-noreset'];
  const server = keep(command, { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  server.stderr.on('data', (text) => (complaint += text));
  const number = await new Promise((resolve) => {
    let text = '';
    server.stdout.on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(text.trim());
    });
    server.on('error', () => resolve(null));
    server.on('exit', () => resolve(null));
    setTimeout(() => resolve(null), PATIENCE_MS).unref();
  });
  if (!number) {
    await server.stop();
    throw new Stop(
      `The virtual display (Xvfb) did not start. ${complaint.trim()}`,
      'apt-get install -y xvfb, then run this again.',
    );
  }
  return { display: `:${number}`, stop: server.stop };
}

/**
 * Writes a picture of the whole display, as soon as it shows more than one colour.
 * @returns {Promise<boolean>} false when it stayed blank
 */
export async function picture(display, file) {
  mkdirSync(dirname(file), { recursive: true });
  for (let attempt = 0; attempt < 20; attempt += 1) {
    // The full paths: other programs are called `import` and `convert` too.
    const taken = ask('/usr/bin/import', '-display', display, '-window', 'root', file);
    if (taken === null)
      throw new Stop(
        'No picture of the display could be taken.',
        'apt-get install -y imagemagick, then run this again.',
      );
    const colours = Number(ask('/usr/bin/identify', '-format', '%k', file));
    if (colours > 8) return true;
    await sleep(250);
  }
  return false;
}
