// The window's launch and memory against a bare window of the same toolkit.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasDisplay, virtualDisplay } from '../lib/display.mjs';
import { keep, root } from '../lib/programs.mjs';
import { say, Stop } from '../lib/say.mjs';
import { aim, fact, median } from './figures.mjs';
import { built } from './window.mjs';

/** Memory is read when both have come to rest. */
const REST_MS = 2_000;
const PATIENCE_MS = 60_000;
const MOST = 1.3;

export const title = 'The window, against a bare window of the same toolkit';

export async function measure({ rounds }) {
  say(`${title} (medians of ${rounds} rounds, in turns)`);
  const display = hasDisplay() ? null : await virtualDisplay();
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'));
  cpSync(join(root, 'workflows'), join(home, 'workflows'), {
    recursive: true,
    filter: (place) => !place.includes('.gatehouse'),
  });
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.data'),
  };
  if (display) Object.assign(env, { DISPLAY: display.display, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' });
  // The bare window draws the same way as ours does where there is no graphics processor.
  if (!existsSync('/dev/dri')) env.WEBKIT_DISABLE_DMABUF_RENDERER = '1';
  const ours = { command: [built.desktop, join(home, 'workflows'), '--new-window', '--announce'], seen: [] };
  const bare = { command: [built.bare], seen: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const window of [bare, ours]) {
      const seen = await launch(window.command, env);
      if (round > 0) window.seen.push(seen); // the first launch warms the caches
    }
  }
  for (const [name, unit, key] of [
    ['launch to first paint', 'ms', 'painted'],
    ['launch to usable', 'ms', 'ready'],
    ['memory at rest', 'MiB', 'memory'],
  ]) {
    const [mine, least] = [ours, bare].map((window) => median(window.seen.map((seen) => seen[key])));
    fact(`${name}, a bare window`, `${least.toFixed(0)} ${unit}`);
    const ratio = mine / least;
    aim(name, `${mine.toFixed(0)} ${unit}`, `≤ ${MOST.toFixed(2)} × bare (it is ${ratio.toFixed(2)} ×)`, ratio <= MOST);
  }
  await display?.stop();
  rmSync(home, { recursive: true, force: true });
}

/** One launch, timed from the outside: when it said that it painted and was ready, and its memory at rest. */
async function launch(command, env) {
  const start = performance.now();
  const program = keep(command, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const times = {};
  await new Promise((resolve, reject) => {
    program.stdout.on('data', (text) => {
      for (const [, state] of String(text).matchAll(/^window (\w+) \d+$/gm)) times[state] ??= performance.now() - start;
      if (times.painted && times.ready) resolve();
    });
    program.gone.then(() =>
      reject(new Stop(`${command[0]} closed before it was ready.`, 'Run it by hand to see why.')),
    );
    setTimeout(
      () => reject(new Stop(`${command[0]} was not ready in time.`, 'Run it by hand to see why.')),
      PATIENCE_MS,
    ).unref();
  });
  await sleep(REST_MS);
  const memory = proportionalMemory(program.pid);
  await program.stop();
  return { ...times, memory };
}

/** The memory of a process and its descendants in MiB, shared pages counted once (PSS). */
function proportionalMemory(pid) {
  const parents = new Map();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const family = new Set([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const [child, parent] of parents) {
      if (family.has(parent) && !family.has(child)) grew = Boolean(family.add(child));
    }
  }
  let kib = 0;
  for (const member of family) {
    try {
      kib += Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${member}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // It has ended meanwhile.
    }
  }
  return kib / 1024;
}
