// A place of its own for every test: a home without settings or keys, and a copy of the sample workflows or an empty folder.
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keep, root } from '../../../.ci/lib/programs.mjs';
import { programs } from '../../../.ci/lib/setup.mjs';

/**
 * @param {{trusted?: boolean, empty?: boolean, built?: typeof programs}} [options] `trusted`: the person has said that they trust the
 *   project; true unless told. `empty`: the project is a folder in which nothing lies, in place of the sample workflows. `built`: which
 *   programs are tried, in place of those for tests
 * @returns {Promise<{home: string, project: string, env: object, built: typeof programs, remove: () => Promise<void>}>} `env` is what
 *   programs must be started with to stay inside
 */
export async function sandbox({ trusted = true, empty = false, built = programs } = {}) {
  const base = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-'));
  const home = join(base, 'home');
  const project = join(base, 'workflows');
  await mkdir(join(home, 'run'), { recursive: true, mode: 0o700 });
  if (empty) await mkdir(project);
  else
    await cp(join(root, 'workflows'), project, {
      recursive: true,
      filter: (place) => !/[\\/]\.gatehouse([\\/]|$)/.test(place),
    });
  const env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    XDG_CACHE_HOME: join(home, '.cache'),
    XDG_RUNTIME_DIR: join(home, 'run'),
    // No session bus: neither the tester's keyring nor their desktop is touched.
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(home, 'run/no-bus')}`,
    NO_AT_BRIDGE: '1',
  };
  delete env.GATEHOUSE_PROJECT;
  const box = { home, project, env, built, remove: () => rm(base, { recursive: true, force: true, maxRetries: 20 }) };
  if (trusted) {
    const said = await cli(box, 'trust');
    if (said.code !== 0) throw new Error(`the project could not be trusted: ${said.err}`);
  }
  return box;
}

/**
 * Runs the `gatehouse` command line in a sandbox and waits for its end.
 * @returns {Promise<{code: number, out: string, err: string}>}
 */
export function cli(box, ...words) {
  return new Promise((resolve) => {
    const child = keep([box.built.cli, ...words], {
      cwd: box.project,
      env: box.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

/** Asks again and again until the answer is true (or anything else that counts as true), and returns it. */
export async function until(what, question, { within = 60_000, every = 50 } = {}) {
  const end = performance.now() + within;
  let last;
  for (;;) {
    try {
      last = await question();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end)
      throw new Error(`waited ${within / 1000} s in vain for: ${what} (last answer: ${last})`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}
