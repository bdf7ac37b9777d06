// `npm run fuzz`: libFuzzer searches for a runbook, a pipeline, a StepSpec workflow or a script for which something that must hold does not (tests/fuzz).
//
//   npm run fuzz                       10 seconds for each target
//   npm run fuzz -- --seconds 600      longer
//   npm run fuzz -- --only script      one target
//
// Coverage comes from LLVM's own pass, which the stable compiler has too. What was found before and what covers something
// new is kept in target/fuzz/corpus and begun with; findings lie in target/fuzz/findings. Ends with `N passed, N failed`.
import { mkdirSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { onlySome, valueOf } from './lib/options.mjs';
import { ask, must, root, run, tail, target } from './lib/programs.mjs';
import { duration, main, say, Stop } from './lib/say.mjs';

/** Every target with the endings of the sample files it begins with, besides its seeds. */
const TARGETS = { rundown: '.runbook.md', pipeline: '.yaml', stepspec: '.yaml', script: '.sh' };
const SECONDS = 10;
/** One input may take so long: far more than any needs, far less than one that takes more than linear time. */
const LONGEST_SECONDS = 25;
const LONGEST_BYTES = 4096;

/** What the compiler needs to count edges and comparisons, and the switch that puts libFuzzer in. */
const COVERAGE = [
  '--cfg=fuzzing',
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-sanitizer-coverage-trace-compares',
];

await main(async () => {
  const words = process.argv.slice(2);
  const seconds = Number(valueOf(words, '--seconds') ?? SECONDS);
  const chosen = onlySome(words, Object.keys(TARGETS), 'target') ?? Object.keys(TARGETS);
  if (!(seconds >= 1)) throw new Stop('Nothing to fuzz.', '--seconds N, N at least 1');

  const host = /^host: (.+)$/m.exec(ask('rustc', '-vV') ?? '')?.[1];
  if (!host) throw new Stop('rustc does not say what it builds for.', 'rustc -vV');
  const home = join(target, 'fuzz');
  say('Fuzz targets (the first build takes some minutes)');
  // With a target of its own the flags reach neither build scripts nor macros, and nothing else is built anew.
  const built = await must(
    'fuzz-build',
    ['cargo', 'build', '--locked', '-p', 'fuzz', '--bins', '--profile', 'fuzz', '--target', host, '--target-dir', home],
    'A C++ compiler is needed (apt-get install build-essential); otherwise the message above names what does not build.',
    { env: { RUSTFLAGS: COVERAGE.join(' ') } },
  );
  say(`      ok: ${duration(built.ms)}`);

  // Each searches on one core, with up to 2 GB.
  const left = [...chosen];
  let failed = 0;
  const searches = async () => {
    for (let name = left.shift(); name; name = left.shift()) {
      const well = await search(name, join(home, host, 'fuzz', `fuzz-${name}`), home, seconds);
      if (!well) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, searches));
  say(`${chosen.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

/** Lets one target search, and says what it did. */
async function search(name, program, home, seconds) {
  const corpus = join(home, 'corpus', name);
  const findings = join(home, 'findings', name);
  for (const folder of [corpus, findings]) mkdirSync(folder, { recursive: true });
  const before = new Set(readdirSync(findings));
  const seeds = [join(root, 'tests/fuzz/seeds', name), ...(name === 'rundown' ? samples(TARGETS[name]) : [])];
  const result = await run(
    `fuzz-${name}`,
    [
      program,
      corpus,
      ...seeds,
      `-dict=${join(root, 'tests/fuzz', `${name}.dict`)}`,
      `-artifact_prefix=${findings}/`,
      `-max_total_time=${seconds}`,
      `-timeout=${LONGEST_SECONDS}`,
      `-max_len=${LONGEST_BYTES}`,
      '-len_control=20',
      '-rss_limit_mb=2048',
      '-print_final_stats=1',
    ],
    { env: { RUST_BACKTRACE: '1' }, quiet: true },
  );
  const number = (pattern) => Number([...result.output.matchAll(pattern)].at(-1)?.[1] ?? 0);
  const inputs = number(/^stat::number_of_executed_units: (\d+)/gm);
  const covered = number(/\bcov: (\d+)/g);
  const kept = number(/\bcorp: (\d+)/g);
  const found = readdirSync(findings).filter((file) => !before.has(file));
  const well = result.code === 0 && inputs > 0 && covered > 0 && found.length === 0;
  const did = `${inputs} inputs in ${duration(result.ms)}, ${covered} edges covered, ${kept} inputs kept`;
  say(`fuzz ${name}: ${well ? 'no finding' : 'FINDING'}; ${did}`);
  if (!well) {
    say(tail(result.output, 60));
    for (const file of found) say(`      finding: ${relative(root, join(findings, file))}`);
    say(`      look at it:  cargo run -p fuzz --bin fuzz-${name} -- FINDING`);
  }
  return well;
}

/** The folders of the samples that hold files with this ending. */
function samples(ending) {
  const folders = new Set();
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== '.gatehouse') visit(join(folder, entry.name));
      else if (entry.name.endsWith(ending)) folders.add(folder);
    }
  };
  visit(join(root, 'workflows'));
  visit(join(root, 'tests/dialects/rundown'));
  return [...folders].sort();
}
