// `npm run bench`: durable steps, layout and checking against this machine's own limits (tests/src/bin/bench/), then the
// window's launch and memory against a bare window of the same toolkit. Only ratios of one run mean anything.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasDisplay, virtualDisplay } from './lib/display.mjs';
import * as packages from './lib/packages.mjs';
import { keep, must, root, target } from './lib/programs.mjs';
import { main, say, Steps, Stop } from './lib/say.mjs';
import { npm, pages, tools } from './lib/setup.mjs';

/** Launches of each window, taken in turns so that both meet the same mood of the machine. */
const ROUNDS = 5;
/** Memory is read when both have come to rest. */
const REST_MS = 2_000;
const PATIENCE_MS = 60_000;
const AIM = 1.3;

await main(async () => {
  const virtual = !hasDisplay();
  const steps = new Steps(5);
  await steps.run('System packages', () =>
    packages.install([...packages.desktop, ...(virtual ? packages.virtualDisplay : [])]),
  );
  await steps.run('Node and Rust', () => tools());
  await steps.run('npm packages', npm);
  await steps.run('Pages of the window', pages);
  await steps.run('Programs, optimised (some minutes the first time)', async () => {
    const features = ['--features', 'gatehouse-desktop/custom-protocol'];
    const bins = ['--bin', 'gatehouse-desktop', '--bin', 'gatehouse', '--bin', 'bench', '--example', 'bare'];
    const what = ['-p', 'gatehouse-desktop', '-p', 'cli', '-p', 'tests', ...bins];
    await must(
      'bench-build',
      ['cargo', 'build', '--locked', '--release', ...what, ...features],
      'The message above says what does not build.',
    );
  });

  say();
  const engine = keep([join(target, 'release/bench'), ...process.argv.slice(2)], { stdio: 'inherit' });
  if ((await engine.gone) !== 0)
    throw new Stop('The benchmark of engine, layout and checking failed.', 'The lines above say where.');

  say();
  say('The window, against a bare window of the same toolkit (medians of one run, in turns)');
  const display = virtual ? await virtualDisplay() : null;
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
  const ours = {
    command: [join(target, 'release/gatehouse-desktop'), join(home, 'workflows'), '--new-window', '--announce'],
    seen: [],
  };
  const bare = { command: [join(target, 'release/examples/bare')], seen: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
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
    const ratio = mine / least;
    const aim = key === 'ready' ? '' : `   aim ≤ ${AIM}: ${ratio <= AIM ? 'PASS' : 'MISS'}`;
    say(
      `  ${name.padEnd(22)} ${fixed(mine)} ${unit.padEnd(3)}   bare ${fixed(least)} ${unit.padEnd(3)}   ratio ${ratio.toFixed(2)}${aim}`,
    );
  }
  await display?.stop();
  rmSync(home, { recursive: true, force: true });
});

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

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function fixed(value) {
  return value.toFixed(0).padStart(5);
}
