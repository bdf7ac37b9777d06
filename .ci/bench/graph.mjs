// The picture of a workflow while it is moved: dragged as it opens, dragged and zoomed when all of it is in sight.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ids, selector } from '../../tests/e2e/harness/ids.mjs';
import { say } from '../lib/say.mjs';
import { beside, fact, median } from './figures.mjs';
import { frames } from './frames.mjs';
import { at, blank, inWindow, PATIENCE, rest } from './window.mjs';

const SIZES = [50, 150, 250, 1_000, 5_000];
const LEAST = 0.9;
const GRAPH = selector(ids.graph);
const WORLD = `${GRAPH} .world`;
const MOVES = ['dragged as it opens', 'all of it dragged', 'all of it zoomed'];

export const title = 'The picture of a workflow while it is moved, beside a blank page in the same window';

export async function measure({ rounds }) {
  say(`${title} (frames a second, medians of ${rounds} rounds, in turns)`);
  await inWindow(prepare, async (window) => {
    const bare = [];
    const seen = new Map(SIZES.map((size) => [size, { opened: [], moves: MOVES.map(() => []) }]));
    for (let round = 0; round < rounds; round += 1) {
      for (const size of SIZES) {
        await blank(window);
        const empty = (await frames(window, { gesture: 'drag' })).frames;
        const { opened, moves } = seen.get(size);
        const [took, ...counted] = await moved(window, size);
        bare.push(empty);
        opened.push(took);
        counted.forEach((one, i) => moves[i].push({ frames: one, blank: empty }));
      }
    }
    fact('blank page', `${median(bare).toFixed(1)} /s`);
    for (const [size, { opened, moves }] of seen) {
      fact(`${size} steps, opened after`, `${median(opened).toFixed(0)} ms`);
      MOVES.forEach((move, i) => beside(`${size} steps, ${move}`, moves[i], LEAST));
    }
  });
}

/** How long a workflow of so many steps takes to be drawn, ms, and the frames a second of each movement. */
async function moved(window, size) {
  await at(window, '#/library');
  await rest(window);
  const begun = performance.now();
  await at(window, `#/workflow/${name(size)}`);
  await window.get(ids.graph, {}, PATIENCE);
  await window.get(ids.graphNode, {}, PATIENCE);
  const opened = performance.now() - begun;
  await rest(window);
  const counted = async (gesture) => (await frames(window, { gesture, on: GRAPH, moves: WORLD })).frames;
  const asOpened = await counted('drag');
  await window.click(ids.graphFit);
  const dragged = await counted('drag');
  await window.click(ids.graphFit);
  return [opened, asOpened, dragged, await counted('zoom')];
}

const name = (size) => `graph-${size}.yaml`;

async function prepare(box) {
  await mkdir(box.project, { recursive: true });
  for (const size of SIZES) await writeFile(join(box.project, name(size)), flow(size));
}

/** A flow of so many steps; every tenth leads back over the two before it. */
function flow(steps) {
  const one = (n) => {
    const next = n + 1 < steps ? `, next: s${n + 1}` : '';
    const back = `loop_target: s${n - 2}, loop_condition_field: status, loop_success_values: [OK], max_iterations: 2`;
    const routing = n % 10 === 9 ? `{kind: microloop, ${back}${next}}` : `{kind: linear${next}}`;
    return `  - {id: s${n}, agents: [a], role: Does what number ${n} does., routing: ${routing}}\n`;
  };
  const all = Array.from({ length: steps }, (_, n) => one(n)).join('');
  return `key: bench\ntitle: A benchmark of ${steps} steps\nsteps:\n${all}`;
}
