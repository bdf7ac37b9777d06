// Other engines with the same work, in turns with ours: what can be installed from a registry is, into target/peers,
// and only when asked for (`--peers`). Steps do nothing but the last workload's, which bash carries out; times are
// those inside the engine.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../tests/e2e/harness/sandbox.mjs';
import { ask, freePorts, keep, run, target } from '../lib/programs.mjs';
import { say, Stop } from '../lib/say.mjs';
import { aim, fact, median, notMeasured } from './figures.mjs';
import { built } from './window.mjs';

const FOLDER = join(target, 'peers');
/** The versions that are compared with. */
const RESTATE = ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk@1.17.2'];
const DBOS = 'dbos==3.4.0';

const WORKLOADS = {
  row: '1 000 steps in a row',
  beside: '200 beside each other and a join',
  loop: 'a loop taken 100 times',
  shell: '20 shell steps',
};
/** How many times as long as ours each has to take, at least; of make: how many times as long as it ours may take. */
const GOALS = {
  Restate: { row: 3, beside: 5, loop: 3 },
  DBOS: { row: 6, beside: 6, loop: 6 },
  make: { shell: 1.5 },
};

export const title = 'Other engines with the same work';

export async function measure({ rounds }) {
  say(`${title} (seconds inside the engine, medians of ${rounds} rounds, in turns)`);
  mkdirSync(FOLDER, { recursive: true });
  const engines = [{ name: 'Gatehouse', begin: async () => ({ once: gatehouse, end: async () => {} }) }];
  for (const [name, install] of Object.entries({ make, Restate: restate, DBOS: dbos })) {
    try {
      engines.push({ name, begin: await install() });
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      notMeasured(`${name}: ${error.message}`);
    }
  }
  const seen = Object.fromEntries(engines.map(({ name }) => [name, {}]));
  const left = new Set();
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, begin } of engines) {
      if (left.has(name)) continue;
      try {
        // Each round anew: neither a long history nor what is kept in memory counts for anybody.
        const engine = await begin();
        try {
          for (const workload of Object.keys(WORKLOADS)) {
            const seconds = await engine.once(workload);
            // The first round warms the caches; null: it cannot do that.
            if (round > 0 && seconds !== null) (seen[name][workload] ??= []).push(seconds);
          }
        } finally {
          await engine.end();
        }
      } catch (error) {
        if (name === 'Gatehouse') throw error;
        left.add(name);
        notMeasured(`${name}: ${error.message.split('\n')[0]}`);
      }
    }
  }
  for (const [workload, words] of Object.entries(WORKLOADS)) {
    const ours = seen.Gatehouse[workload];
    fact(words, `${median(ours).toFixed(4)} s`);
    for (const { name } of engines.slice(1)) {
      const theirs = seen[name][workload];
      if (left.has(name) || !theirs) continue;
      compare(name, workload, ours, theirs);
    }
  }
}

/** One line: of each round theirs to ours. */
function compare(name, workload, ours, theirs) {
  const factor = median(theirs.map((seconds, round) => seconds / ours[round]));
  const figure = `${median(theirs).toFixed(4)} s`;
  const goal = GOALS[name]?.[workload];
  if (goal === undefined) fact(`  ${name} (${factor.toFixed(2)} × ours)`, figure);
  else if (name === 'make')
    aim(`  ${name}`, figure, `ours ≤ ${goal} × (it is ${(1 / factor).toFixed(2)} ×)`, 1 / factor <= goal);
  else aim(`  ${name}`, figure, `≥ ${goal} × ours (it is ${factor.toFixed(1)} ×)`, factor >= goal);
}

/** Reads the seconds that a program printed for a workload. */
async function seconds(name, command, pattern, options) {
  const { code, output } = await run(`peers-${name}`, command, { quiet: true, ...options });
  const found = pattern.exec(output)?.[1];
  if (code !== 0 || !found) throw new Error(`${name} failed: ${output.trim().split('\n').at(-1)}`);
  return Number(found);
}

const gatehouse = (workload) =>
  seconds(`gatehouse-${workload}`, [built.bench, 'once', workload], /^seconds ([\d.]+)$/m, {});

/** Make carries out rules behind each other or beside each other; a loop it has not. */
async function make() {
  if (ask('make', '--version') === null) throw new Stop('it is not installed here');
  const rules = (count, body, before) =>
    Array.from({ length: count }, (_, n) => `s${n}: ${before(n)}\n\t@${body}\n`).join('');
  const behind = (n) => (n === 0 ? '' : `s${n - 1}`);
  const all = (count) => `all: ${Array.from({ length: count }, (_, n) => `s${n}`).join(' ')}\n\t@true\n`;
  // A word of the shell's own: make runs a plain command without a shell.
  const bash = 'SHELL = /bin/bash\n';
  const files = {
    row: `all: s999\n${rules(1_000, 'true', behind)}`,
    beside: `${all(200)}${rules(200, 'true', () => '')}`,
    shell: `${bash}all: s19\n${rules(20, 'set -e; true', behind)}`,
  };
  return async () => {
    const folder = mkdtempSync(join(FOLDER, 'make-'));
    const once = async (workload) => {
      if (!files[workload]) return null;
      writeFileSync(join(folder, 'Makefile'), files[workload]);
      const begun = performance.now();
      const { code, output } = await run('peers-make', ['make', '-j200', '-C', folder, 'all'], { quiet: true });
      if (code !== 0) throw new Error(`make failed: ${output}`);
      return (performance.now() - begun) / 1000;
    };
    return { once, end: async () => rmSync(folder, { recursive: true, force: true }) };
  };
}

/** Restate's server with a service of its TypeScript SDK. */
async function restate() {
  const folder = join(FOLDER, 'restate');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  // Where no registry can be reached that is said at once, not after minutes of trying.
  const install = ['npm', 'install', '--ignore-scripts', '--fetch-retries', '0', ...quiet, ...RESTATE];
  await installed('restate', install, { cwd: folder });
  return async () => {
    const data = mkdtempSync(join(FOLDER, 'restate-data-'));
    const [admin, ingress, node, service] = await freePorts(4);
    const programs = [
      keep([process.execPath, beside('restate.mjs'), folder, String(service)], { stdio: 'ignore' }),
      keep([join(folder, 'node_modules/.bin/restate-server'), '--no-logo'], {
        cwd: folder,
        stdio: 'ignore',
        env: {
          ...process.env,
          DO_NOT_TRACK: '1',
          RESTATE_BASE_DIR: data,
          RESTATE_LISTEN_MODE: 'tcp',
          RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
          RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
          RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
          RESTATE_LOG_FILTER: 'error',
        },
      }),
    ];
    const post = async (port, path, body) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        ...(body ? { headers, body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(120_000),
      });
      const said = await answer.text();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${said}`);
    };
    const end = async () => {
      await Promise.all(programs.map((program) => program.stop()));
      rmSync(data, { recursive: true, force: true });
    };
    try {
      const deployed = async () => (await post(admin, '/deployments', { uri: `http://127.0.0.1:${service}` })) ?? true;
      await until('the server', deployed, { within: 60_000, every: 250 });
      await until('its first answer', async () => (await post(ingress, '/bench/shell')) ?? true);
    } catch (error) {
      await end();
      throw error;
    }
    const once = async (workload) => {
      const begun = performance.now();
      await post(ingress, `/bench/${workload}`);
      return (performance.now() - begun) / 1000;
    };
    return { once, end };
  };
}

/** DBOS for Python, which keeps its state in SQLite. */
async function dbos() {
  const folder = join(FOLDER, 'dbos');
  if (ask('python3', '--version') === null) throw new Stop('Python is not installed here');
  const python = join(folder, 'bin/python');
  if (!existsSync(python)) await installed('dbos-venv', ['python3', '-m', 'venv', folder], {});
  await installed(
    'dbos',
    [python, '-m', 'pip', 'install', '-q', '--retries', '0', '--disable-pip-version-check', DBOS],
    {},
  );
  return async () => {
    const data = mkdtempSync(join(FOLDER, 'dbos-data-'));
    const once = (workload) =>
      seconds(
        `dbos-${workload}`,
        [python, beside('dbos_workloads.py'), join(data, `${workload}.sqlite`), workload],
        new RegExp(`^seconds ${workload} ([\\d.]+)`, 'm'),
        {},
      );
    return { once, end: async () => rmSync(data, { recursive: true, force: true }) };
  };
}

/** Installs something, or says that it could not be. */
async function installed(name, command, options) {
  const { code, output } = await run(`peers-install-${name}`, command, { quiet: true, ...options });
  const why = output.split('\n').find((line) => /error.*\b(request|E[A-Z]{5,}|matching)/i.test(line)) ?? output.trim();
  if (code !== 0) throw new Stop(`it could not be installed (${why})`);
}

const beside = (file) => fileURLToPath(new URL(`peers/${file}`, import.meta.url));
