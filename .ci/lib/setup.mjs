// What has to be there before anything runs: tools, npm packages, the built pages, the built programs.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ask, must, readJson, root, target } from './programs.mjs';
import { Stop } from './say.mjs';

const OLDEST_NODE = [20, 19];
const OLDEST_RUST = [1, 89];

/** Checks Node and Rust, and adds the Rust parts named in `components` where rustup can. */
export async function tools(components = []) {
  const node = process.versions.node;
  if (older(node, OLDEST_NODE)) {
    throw new Stop(
      `Node ${OLDEST_NODE.join('.')} or newer is needed; this is ${node}.`,
      'Install it from https://nodejs.org, then run this again.',
    );
  }
  const rust = ask('rustc', '--version')?.split(' ')[1];
  if (!rust || ask('cargo', '--version') === null) {
    throw new Stop(
      'Rust is not installed (no rustc and cargo on the PATH).',
      "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y   and open a new terminal",
    );
  }
  if (older(rust, OLDEST_RUST)) {
    throw new Stop(`Rust ${OLDEST_RUST.join('.')} or newer is needed; this is ${rust}.`, 'rustup update stable');
  }
  for (const [component, program] of components) {
    if (ask('cargo', program, '--version') !== null) continue;
    await must(
      `rustup-${component}`,
      ['rustup', 'component', 'add', component],
      `Install ${component} for your Rust, then run this again.`,
    );
  }
  return `Node ${node}, Rust ${rust}`;
}

function older(version, [major, minor]) {
  const [a, b] = version.split('.').map(Number);
  return a < major || (a === major && b < minor);
}

/** Installs the npm packages when they are missing or differ from package-lock.json. */
export async function npm() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages;
  if (!wanted) throw new Stop('package-lock.json is missing or broken.', 'git checkout package-lock.json');
  const count = Object.keys(wanted).length - 1;
  if (installed(wanted)) return `${count} packages are up to date`;
  await must(
    'npm-ci',
    ['npm', 'ci', '--include=dev'],
    'Check that the npm registry can be reached, then run this again.',
  );
  return `installed ${count} packages`;
}

function installed(wanted) {
  const there = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (!there) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    if (place === '') return true;
    const found = there[place];
    return found ? found.version === entry.version : Boolean(entry.optional || entry.peer);
  });
}

/** Builds the window's pages (ui/dist) when a source of theirs changed since the last time. */
export async function pages() {
  const stamp = join(target, 'stamps/pages');
  const now = digest(['ui', 'package-lock.json'], /(^|\/)(dist|node_modules|\.svelte-kit)(\/|$)/);
  if (existsSync(join(root, 'ui/dist/index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === now)
    return 'unchanged';
  await must(
    'pages',
    ['vite', 'build', 'ui', '--logLevel', 'warn'],
    'The message above names the file and line in ui/ that does not build.',
  );
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, now);
  return 'built';
}

/** One digest over the content of files and folders, whatever their times say. */
function digest(places, skip) {
  const hash = createHash('sha256');
  const visit = (place) => {
    if (skip.test(place)) return;
    const full = join(root, place);
    let entries;
    try {
      entries = readdirSync(full);
    } catch (error) {
      if (error.code !== 'ENOTDIR') throw error;
      hash.update(`${place}\0`).update(readFileSync(full)).update('\0');
      return;
    }
    for (const entry of entries.sort()) visit(`${place}/${entry}`);
  };
  places.forEach(visit);
  return hash.digest('hex');
}

/** The programs as cargo leaves them. */
export const programs = {
  desktop: join(target, 'debug/gatehouse-desktop'),
  cli: join(target, 'debug/gatehouse'),
  oracle: join(target, 'debug/oracle'),
};

/**
 * Builds the desktop program with its pages inside, the command line program and the one that plays the recorded cases.
 * The whole workspace is named, as `cargo test` names it: the features of the dependencies are those of all of it, so
 * that nothing is built twice.
 */
export async function build() {
  const first = !existsSync(programs.desktop);
  await must(
    'build',
    [
      'cargo',
      'build',
      '--locked',
      '--workspace',
      '--bin',
      'gatehouse-desktop',
      '--bin',
      'gatehouse',
      '--bin',
      'oracle',
      '--features',
      'gatehouse-desktop/custom-protocol',
    ],
    'If a system library is missing, the message above names it; otherwise it names the file and line that do not build.',
  );
  return first ? 'built' : 'up to date';
}

/** True when the build about to start has no earlier one to lean on. */
export const coldBuild = () => !existsSync(programs.desktop);
