// Holds what the programs are made of against published advisories and withdrawn versions: crates by `cargo deny check advisories` (exceptions
// with their reasons are in deny.toml), npm packages by `npm audit`. Where a database cannot be reached that is said, and is no failure:
// nothing was found out. Ends with 0 (nothing found), 1 (something found) or 75 (neither database was reached).
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Advisories of npm packages that are known and accepted: the address of the advisory, and why. */
const ACCEPTED = new Map();

const run = (program, ...words) => {
  const ended = spawnSync(program, words, { cwd: root, encoding: 'utf8', timeout: 120_000, maxBuffer: 1 << 26 });
  return { code: ended.status, out: ended.stdout ?? '', said: `${ended.stdout ?? ''}${ended.stderr ?? ''}`.trim() };
};

/** @returns {{reached: boolean, found: string[], why?: string}} */
function crates() {
  if (run('cargo', 'deny', '--version').code !== 0) {
    return { reached: false, found: [], why: 'cargo-deny is not installed here (cargo install cargo-deny)' };
  }
  const { code, said } = run('cargo', 'deny', '--locked', 'check', 'advisories');
  if (
    /failed to fetch|unable to fetch|failed to load advisory database|failed to clone|error sending request/i.test(said)
  ) {
    return { reached: false, found: [], why: 'the database of RustSec cannot be reached from here' };
  }
  return { reached: true, found: code === 0 ? [] : [said] };
}

/** @returns {{reached: boolean, found: string[], why?: string}} */
function npmPackages() {
  const { out } = run('npm', 'audit', '--audit=true', '--json', '--package-lock-only');
  let answer = null;
  try {
    answer = JSON.parse(out);
  } catch {
    // No answer that can be read is none.
  }
  if (!answer?.vulnerabilities) {
    return { reached: false, found: [], why: 'the registry answers no questions about advisories from here' };
  }
  const advisories = Object.values(answer.vulnerabilities).flatMap(({ name, via }) =>
    via.filter((v) => typeof v === 'object').map((v) => ({ name, ...v })),
  );
  const open = advisories.filter(({ url }) => !ACCEPTED.has(url));
  return { reached: true, found: open.map((a) => `${a.name} ${a.range}: ${a.title} (${a.severity}, ${a.url})`) };
}

const answers = [
  ['crates', crates()],
  ['npm packages', npmPackages()],
];
for (const [what, { reached, found, why }] of answers) {
  const words = reached ? (found.length === 0 ? 'nothing found' : found.join('\n')) : `not checked: ${why}`;
  process.stdout.write(`advisories of ${what}: ${words}\n`);
}
process.exitCode = answers.some(([, a]) => a.found.length > 0) ? 1 : answers.every(([, a]) => !a.reached) ? 75 : 0;
