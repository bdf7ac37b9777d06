// `npm test`, and all of CI: sets up, runs every check, and ends with one line `N passed, N failed`.
//
//   npm test -- --list            the checks by name
//   npm test -- --only rust,ui    only these
//
// A failing check never stops the others. The counts are read from what the runners print; a check whose runner
// printed no count has failed.
import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import * as count from './lib/counts.mjs';
import { onlySome } from './lib/options.mjs';
import * as packages from './lib/packages.mjs';
import { ask, must, root, run, tail, target } from './lib/programs.mjs';
import { duration, elapsed, main, say, Steps, Stop } from './lib/say.mjs';
import { build, coldBuild, npm, pages, programs, tools } from './lib/setup.mjs';

/** The exit code of a check that could not look. */
const UNABLE = 75;
const DESKTOP = ['--features', 'gatehouse-desktop/custom-protocol'];
const CRATES = ['cargo', 'test', '--locked', '--workspace', '--no-fail-fast', ...DESKTOP];
/** Of so many failed tests it is printed what they said. */
const MOST_TOLD = 10;
/** Gives way to whatever else wants a core. */
const GIVING_WAY = ['nice', '-n', '5'];
const vitestReport = join(target, 'logs/vitest.json');
const oracle = join(root, '../shared/oracle');
/** Tests in a browser; every other one of the folder drives the real window. */
const browserTests = ['tests/e2e/browser.test.mjs', 'tests/e2e/report.test.mjs'];
/** The longest of those in the window: they begin first, so that at the end nothing waits for one of them alone. */
const longest = ['formats', 'formats-waiting', 'pipeline', 'outcome', 'authoring'].map(
  (name) => `tests/e2e/${name}.test.mjs`,
);
const windowTests = [
  ...longest,
  ...readdirSync(join(root, 'tests/e2e'))
    .filter((name) => name.endsWith('.test.mjs'))
    .map((name) => `tests/e2e/${name}`)
    .filter((path) => ![...browserTests, ...longest].includes(path)),
];
/** `beside`: how many of the files run at the same time. */
const nodeTests = (beside, ...files) => ['node', '.ci/lib/in-order.mjs', String(beside), ...files];

/**
 * Every check: `count` reads [passed, failed] from the output, `skip` says in words why it cannot run here and `unable`
 * why it could not when it exits with 75. `beside`: one after the other they run beside the check of that name, which waits for programs half
 * of its time; no time is measured in them.
 * @type {Record<string, {title: string, command: string[], count: (output: string) => [number, number] | null, skip?: () => string | false, unable?: string, env?: object, beside?: string}>}
 */
const checks = {
  format: {
    title: 'Rust is formatted',
    command: ['cargo', 'fmt', '--all', '--check', '--', '--color', 'never'],
    count: count.one,
  },
  lint: {
    title: 'Rust is free of warnings (clippy)',
    command: ['cargo', 'clippy', '--locked', '--workspace', '--all-targets', ...DESKTOP, '--', '-D', 'warnings'],
    count: count.one,
  },
  prettier: {
    title: 'Pages and scripts are formatted',
    command: ['prettier', '--check', '--log-level', 'warn', 'ui', '.ci', 'tests/e2e', 'package.json'],
    count: count.one,
    beside: 'rust',
  },
  eslint: {
    title: 'Pages are free of lint',
    command: ['eslint', '--config', 'ui/eslint.config.js', '--max-warnings', '0', 'ui'],
    count: count.one,
    beside: 'rust',
  },
  types: {
    title: 'Pages are well typed (svelte-check)',
    command: ['svelte-check', '--workspace', 'ui', '--tsconfig', './tsconfig.json', '--fail-on-warnings'],
    count: count.one,
    beside: 'rust',
  },
  ui: {
    title: 'Tests of the pages (vitest)',
    command: [
      'vitest',
      'run',
      '--root',
      'ui',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${vitestReport}`,
    ],
    count: () => count.vitest(vitestReport),
    beside: 'rust',
  },
  rust: {
    title: 'Tests of the crates (cargo test)',
    command: CRATES,
    count: count.cargo,
    // They wait for programs half of their time.
    env: { RUST_TEST_THREADS: String(availableParallelism() + 1) },
  },
  ci: {
    title: 'Tests of these checks',
    command: nodeTests(1, '.ci/lib/counts.test.mjs'),
    count: count.tap,
    beside: 'rust',
  },
  licences: {
    title: 'Licences and sources of the dependencies (cargo deny)',
    command: ['cargo', 'deny', '--locked', 'check', 'bans', 'licenses', 'sources'],
    count: count.one,
    skip: () =>
      ask('cargo', 'deny', '--version') === null && 'cargo-deny is not installed here (cargo install cargo-deny)',
    beside: 'rust',
  },
  advisories: {
    title: 'Advisories and withdrawn versions of the dependencies (cargo deny, npm audit)',
    command: ['node', '.ci/advisories.mjs'],
    count: count.one,
    unable:
      'no database of advisories is within reach here, so nothing is known about holes found since (npm run advisories says which)',
    beside: 'rust',
  },
  sbom: {
    title: 'The list of what a release is made of is whole (CycloneDX)',
    command: ['node', '.ci/sbom.mjs'],
    count: count.one,
    beside: 'rust',
  },
  oracle: {
    title: 'Recorded cases of the contracts (oracle)',
    command: [programs.oracle, oracle],
    count: count.oracle,
    skip: () => !existsSync(oracle) && 'the recorded cases (../shared/oracle) are not on this machine',
    beside: 'rust',
  },
  fuzz: {
    title:
      'Runbooks, pipelines, StepSpec workflows and scripts of any content, searched for 10 seconds each (libFuzzer)',
    command: ['node', '.ci/fuzz.mjs'],
    count: count.last,
    beside: 'rust',
  },
  browser: {
    title: 'The pages in a browser, served by gatehouse (Playwright)',
    command: nodeTests(1, ...browserTests),
    count: count.tap,
    beside: 'rust',
  },
  window: {
    title: 'The real window, driven by WebDriver',
    // Each file has projects, displays and windows of its own, and half of its time it waits for one of them. The two longest work beside
    // each other to the end; the third place is for all the rest.
    command: nodeTests(3, ...windowTests),
    count: count.tap,
  },
};

await main(async () => {
  const chosen = choose(process.argv.slice(2));
  if (!chosen) return 0;

  const ofCrates = chosen.includes('rust');
  const steps = new Steps(5 + (ofCrates ? 1 : 0) + chosen.length);
  const room = free();
  const all = [...packages.desktop, ...packages.virtualDisplay, ...packages.tests];
  await steps.run('System packages', () => packages.install(all));
  const components = [
    ['rustfmt', 'fmt'],
    ['clippy', 'clippy'],
  ];
  await steps.run('Node and Rust', () => tools(components));
  await steps.run('npm packages', npm);

  let passed = 0;
  let failed = 0;
  const lost = [];
  /** @type {[string, string[]][]} */
  const told = [];
  const left = [];
  /** @type {[number, string][]} */
  const times = [];
  const tally = (title, [good, bad], detail, output = '') => {
    passed += good;
    failed += bad;
    if (bad === 0) return;
    lost.push(`failed  ${title}: ${detail}`, ...count.failures(output).map((name) => `        - ${name}`));
  };
  // Checks of the sources still say something when a build fails, so a failed build is counted and they go on.
  for (const [title, work] of [
    ['Pages of the window', pages],
    [`Programs${coldBuild() ? ' (the first build takes some minutes)' : ''}`, build],
    ...(ofCrates ? [['Programs of the tests', testPrograms]] : []),
  ]) {
    try {
      await steps.run(title, work);
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      say(`      FAILED: ${error.message}`);
      tally(title, [0, 1], error.message);
    }
  }

  rmSync(vitestReport, { force: true });
  const work = async (name) => {
    const check = checks[name];
    const reason = check.skip?.();
    if (reason) return `not run: ${reason}`;
    const command = check.beside ? [...GIVING_WAY, ...check.command] : check.command;
    const result = await run(name, command, { env: { CI: '1', ...check.env } });
    if (check.unable && result.code === UNABLE) return `not run: ${check.unable}`;
    const verdict = judge(check, result);
    tally(`${check.title} [${name}]`, verdict.counts, verdict.note, result.output);
    left.push(...verdict.left);
    times.push(...count.slowest(result.output).map(([took, part]) => [took, `${part} [${name}]`]));
    if (verdict.counts[1] > 0) {
      const said = count.messages(result.output);
      told.push(...said.map(([test, lines]) => [`${test} [${name}]`, lines]));
      // What fails without a test says why at its end.
      if (said.length === 0 && !process.stdout.isTTY) say(tail(result.output, 80));
    }
    return verdict.note;
  };
  // What goes wrong around one check ends neither the others nor the count.
  const broken = (name) => (error) => {
    tally(`${checks[name].title} [${name}]`, [0, 1], error.message);
    return `FAILED: ${error.stack}`;
  };
  const inTurn = async (names) => {
    for (const name of names) await steps.run(`${checks[name].title} [${name}]`, () => work(name).catch(broken(name)));
  };
  // What runs beside a check that was not chosen runs by itself, in its place.
  const besides = (name) => chosen.filter((other) => checks[other].beside === name);
  for (const name of Object.keys(checks).filter((name) => !checks[name].beside)) {
    const itself = chosen.filter((other) => other === name);
    await Promise.all([inTurn(itself), inTurn(besides(name))]);
  }

  times.sort(([one], [other]) => other - one);
  say();
  if (times.length > 0) say('The slowest parts:');
  for (const [took, part] of times.slice(0, 12)) say(`  ${duration(took * 1000).padStart(12)}  ${part}`);
  say();
  if (left.length > 0) say('Tests that could not look here, and are not counted:');
  for (const [test, why] of left) say(`  ${test}: ${why}`);
  if (left.length > 0) say();
  say(`Free on the disk: ${gigabytes(room)} at the beginning, ${gigabytes(free())} at the end.`);
  // Where a run of all this is looked at from afar nothing but what is printed is left, and of that the end is read first.
  for (const [test, lines] of told.slice(0, MOST_TOLD)) {
    say();
    say(`---- ${test}`);
    say(tail(lines.join('\n'), lines.length));
  }
  if (told.length > MOST_TOLD) say(`What ${told.length - MOST_TOLD} more failed tests said stands in the outputs.`);
  if (told.length > 0) say();
  for (const line of lost) say(line);
  say(`Finished in ${duration(elapsed())}; the outputs are in ${relative(root, join(target, 'logs'))}.`);
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

/** Builds what the tests of the crates are made of, so that nothing is built while they run. */
async function testPrograms() {
  await must('rust-build', [...CRATES, '--no-run'], 'The message above names the file and line that do not build.');
}

/** Bytes that are free where everything is built; a full disk is met in the midst of a build or a test. */
function free() {
  const { bavail, bsize } = statfsSync(root);
  return bavail * bsize;
}

function gigabytes(bytes) {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** What a finished check says: its counts, its tests that could not look, and a note for people. */
function judge(check, result) {
  const where = relative(root, result.log);
  const left = count.notRun(result.output);
  const counted = check.count(result.output, result.code);
  if (!counted) {
    return { counts: [0, 1], left, note: `FAILED: it printed no count (exit code ${result.code}); see ${where}` };
  }
  const [good, bad] = counted;
  if (result.code !== 0) {
    // The exit code is the judge; a runner that fails without a failed test has failed as a whole.
    const counts = [good, Math.max(bad, 1)];
    return {
      counts,
      left,
      note: `FAILED: ${good} passed, ${counts[1]} failed (exit code ${result.code}); see ${where}`,
    };
  }
  if (bad > 0) return { counts: counted, left, note: `FAILED: ${good} passed, ${bad} failed; see ${where}` };
  const aside =
    left.length > 0 ? `, ${left.length} not run: ${[...new Set(left.map(([, why]) => why))].join('; ')}` : '';
  return { counts: counted, left, note: `${good} passed${aside}` };
}

/** The names of the checks to run, or null when only the list was wanted. */
function choose(words) {
  const names = Object.keys(checks);
  if (words.includes('--list')) {
    for (const name of names) say(`${name.padEnd(10)} ${checks[name].title}`);
    return null;
  }
  return onlySome(words, names, 'check') ?? names;
}
