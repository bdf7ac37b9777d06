// Starting programs: with their output kept in a log, and with everything they started ended afterwards.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { duration, say, Stop } from './say.mjs';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Where cargo builds, and where everything else the front door makes goes too. */
export const target = process.env.CARGO_TARGET_DIR || join(root, 'target');

const HEARTBEAT_MS = 30_000;
/** How long a program may take to end in order; the window waits up to five seconds for the steps it runs. */
const GRACE_MS = 7_000;
const running = new Set();

/** Programs that npm put beside the packages, found even when a script is started without npm. */
export const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;

/** The standard output of a quick command, or null when it is missing or fails. */
export function ask(program, ...args) {
  const answer = spawnSync(program, args, { encoding: 'utf8', cwd: root, env: { ...process.env, PATH: path } });
  return answer.status === 0 ? answer.stdout.trim() : null;
}

/**
 * Runs a command to its end. On a terminal its output is shown as it comes; elsewhere it goes to
 * `target/logs/<name>.log` and a line every half minute says that it still runs.
 *
 * @param {string} name names the log file
 * @param {string[]} command program and arguments
 * @param {{env?: object, quiet?: boolean, cwd?: string}} [options] quiet keeps the output off the terminal too
 * @returns {Promise<{code: number, output: string, log: string, ms: number}>}
 */
export function run(name, command, { env = {}, quiet = false, cwd = root } = {}) {
  const logs = join(target, 'logs');
  mkdirSync(logs, { recursive: true });
  const log = join(logs, `${name}.log`);
  const show = process.stdout.isTTY && !quiet;
  const start = performance.now();
  return new Promise((resolve) => {
    const file = createWriteStream(log);
    // A full disk: what was run still says how it went, and fails by itself where it needed the room.
    file.on('error', (error) => say(`      ${log} is not whole: ${error.message}`));
    const child = spawn(command[0], command.slice(1), {
      cwd,
      env: { ...process.env, PATH: path, ...(show ? { CARGO_TERM_COLOR: 'always' } : { NO_COLOR: '1' }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(child);
    const heartbeat = setInterval(() => {
      if (!show) say(`      … ${name} is still at it (${duration(performance.now() - start)})`);
    }, HEARTBEAT_MS);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text) => {
        output += text;
        file.write(text);
        if (show) process.stdout.write(text);
      });
    }
    let failure = null;
    child.on('error', (error) => {
      failure = error;
    });
    const end = (code, signal) => {
      clearInterval(heartbeat);
      running.delete(child);
      if (failure) output += `\n${command[0]}: ${failure.message}\n`;
      file.end();
      resolve({ code: failure ? 127 : (code ?? (signal ? 1 : 0)), output, log, ms: performance.now() - start });
    };
    child.on('close', end);
    child.on('error', () => end(127));
  });
}

/** Like `run`, but a failure stops the whole command with the end of the output. */
export async function must(name, command, hint, options) {
  const result = await run(name, command, options);
  if (result.code !== 0) {
    if (!process.stdout.isTTY) say(tail(result.output, 40));
    throw new Stop(
      `${command.slice(0, 3).join(' ')} failed (exit code ${result.code}); the whole output is in ${result.log}`,
      hint,
    );
  }
  return result;
}

/** The last lines of a text, indented. */
export function tail(text, lines) {
  return text
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .map((line) => `      | ${line}`)
    .join('\n');
}

/**
 * Starts a program that keeps running, in its own process group, ended with this one.
 * @returns {import('node:child_process').ChildProcess & {stop: () => Promise<void>}}
 */
export function keep(command, options = {}) {
  const child = spawn(command[0], command.slice(1), { cwd: root, detached: true, ...options });
  running.add(child);
  child.gone = new Promise((resolve) => {
    child.on('exit', resolve);
    child.on('error', resolve);
  });
  child.gone.then(() => running.delete(child));
  child.stop = async () => {
    signal(child, 'SIGTERM');
    const timer = setTimeout(() => signal(child, 'SIGKILL'), GRACE_MS);
    await child.gone;
    clearTimeout(timer);
    signal(child, 'SIGKILL'); // what the group left behind
  };
  return child;
}

function signal(child, name) {
  if (!child.pid) return;
  try {
    process.kill(-child.pid, name);
  } catch {
    // The group has ended already.
  }
}

/** So many ports nothing listens on. */
export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Ends everything that was started and still runs. */
export function endAll() {
  for (const child of running) signal(child, 'SIGKILL');
}

process.on('exit', endAll);
for (const [name, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]) {
  process.on(name, () => {
    for (const child of running) signal(child, 'SIGTERM');
    const deadline = performance.now() + GRACE_MS;
    setInterval(() => {
      if (running.size === 0 || performance.now() > deadline) process.exit(code);
    }, 50);
  });
}

/** A JSON file's content, or null when it is missing or broken. */
export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
