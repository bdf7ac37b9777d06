// The timeline of long runs: the playhead dragged from one end to the other, and the timeline zoomed.
import { ids, selector } from '../../tests/e2e/harness/ids.mjs';
import { until } from '../../tests/e2e/harness/sandbox.mjs';
import { say } from '../lib/say.mjs';
import { aim, beside, fact, median, quantile, spentOn } from './figures.mjs';
import { frames } from './frames.mjs';
import { recorded, verified } from './record.mjs';
import { at, blank, inWindow, PATIENCE, rest } from './window.mjs';

const SIZES = [100_000, 1_000_000];
const LEAST = 0.95;
/** Script for a frame that 95 of 100 do not exceed, ms. */
const MOST_SCRIPT = 4;
const TIMELINE = selector(ids.timeline);
const SHEET = `${TIMELINE} canvas`;
const HEAD = `${TIMELINE} .head`;
const MOVES = [
  { gesture: 'scrub', words: 'the playhead dragged' },
  { gesture: 'zoom', words: 'zoomed' },
];

export const title = 'The timeline of a long run while it is moved, beside a blank page in the same window';

export async function measure({ rounds }) {
  say(`${title} (frames a second, medians of ${rounds} rounds, in turns)`);
  const runs = new Map();
  const prepare = async (box) => {
    for (const size of SIZES) runs.set(size, await recorded(box, size));
    await verified(box, runs.get(SIZES[0]).run);
  };
  await inWindow(prepare, async (window) => {
    const bare = [];
    const seen = new Map(SIZES.map((size) => [size, { opened: [], moves: MOVES.map(() => []) }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const size of SIZES) {
        const { opened, moves } = seen.get(size);
        await blank(window);
        const empty = (await frames(window, { gesture: 'scrub' })).frames;
        bare.push(empty);
        opened.push(await open(window, runs.get(size)));
        for (const [i, { gesture }] of MOVES.entries()) {
          moves[i].push({ ...(await frames(window, { gesture, on: SHEET, moves: HEAD })), blank: empty });
          await rest(window);
        }
      }
    }
    fact('blank page', `${median(bare).toFixed(1)} /s`);
    for (const [size, { opened, moves }] of seen) {
      const events = `${size} events`;
      fact(`${events}, opened after`, `${median(opened).toFixed(0)} ms`);
      for (const [i, { words }] of MOVES.entries()) {
        beside(`${events}, ${words}`, moves[i], LEAST);
        const script = median(moves[i].map((one) => quantile(one.script, 0.95)));
        aim('  script for a frame, 95 of 100', `${script.toFixed(1)} ms`, `≤ ${MOST_SCRIPT} ms`, script <= MOST_SCRIPT);
        spentOn(moves[i].at(-1));
      }
    }
  });
}

/** Opens a run and waits until its timeline is there to its last event; how long that took, ms. */
async function open(window, { run, events }) {
  const begun = performance.now();
  await at(window, `#/run/${run}`);
  const last = async () => Number((await window.data(ids.playhead, 'at'))[0]);
  await until('the timeline', async () => (await last()) === events, PATIENCE);
  const took = performance.now() - begun;
  await rest(window);
  return took;
}
