// `npm run bench`: what Gatehouse takes, against this machine's own limits, a bare window, a blank page, and other
// engines. Only ratios of one run mean anything: absolute figures drift with the machine.
//
//   npm run bench -- --list              the parts by name
//   npm run bench -- --only graph,steps  only these
//   npm run bench -- --peers             other engines too, installed from their registries into target/peers
//   npm run bench -- --rounds 1          shorter, for a look; more such options stand in tests/src/bin/bench/main.rs
//   npm run bench -- --as-built          with the programs as they lie in target/release
//
// A missed aim is a result, not a failure. Exit code 1: something could not be measured.
import * as engine from './bench/engine.mjs';
import { notMeasured } from './bench/figures.mjs';
import { hasDisplay } from './lib/display.mjs';
import { onlySome, valueOf } from './lib/options.mjs';
import * as packages from './lib/packages.mjs';
import { must } from './lib/programs.mjs';
import { main, say, Steps, Stop } from './lib/say.mjs';
import { npm, pages, tools } from './lib/setup.mjs';

/** The parts of the window, each a module in `bench/`, with how many rounds it takes to be told from chance. */
const WINDOW = { launch: 5, graph: 3, timeline: 3, live: 3 };
/** Those that need what not everybody has. */
const ASKED_FOR = { peers: 3 };
const PARTS = [...engine.SECTIONS, ...Object.keys(WINDOW), ...Object.keys(ASKED_FOR)];

await main(async () => {
  const words = process.argv.slice(2);
  if (words.includes('--list')) return void PARTS.forEach((part) => say(part));
  const chosen = choose(words);
  const rounds = Number(valueOf(words, '--rounds')) || 0;
  if (!words.includes('--as-built')) await setUp();

  let code = 0;
  const sections = engine.SECTIONS.filter((section) => chosen.includes(section));
  const rest = without(without(words, '--only', 1), '--peers', 0);
  if (sections.length > 0) {
    say();
    await engine.measure({ sections, words: without(rest, '--as-built', 0) });
  }
  for (const [part, usual] of Object.entries({ ...WINDOW, ...ASKED_FOR })) {
    if (!chosen.includes(part)) continue;
    const { measure, title } = await import(`./bench/${part}.mjs`);
    say();
    try {
      await measure({ rounds: rounds || usual });
    } catch (error) {
      // What one part lacks does not keep the others from being measured.
      say(title);
      notMeasured(error instanceof Stop ? error.message : error.stack);
      code = 1;
    }
  }
  return code;
});

/** Packages, pages and optimised programs. */
async function setUp() {
  const steps = new Steps(5);
  const display = hasDisplay() ? [] : packages.virtualDisplay;
  await steps.run('System packages', () => packages.install([...packages.desktop, ...packages.tests, ...display]));
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
}

/** The parts to measure. */
function choose(words) {
  const usual = PARTS.filter((part) => !(part in ASKED_FOR) || words.includes(`--${part}`));
  return onlySome(words, PARTS, 'part') ?? usual;
}

/** The words without an option and so many that belong to it. */
function without(words, option, values) {
  const at = words.indexOf(option);
  if (at !== -1) return words.toSpliced(at, 1 + values);
  return words.filter((word) => !word.startsWith(`${option}=`));
}
