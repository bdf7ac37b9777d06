// A run that goes on while the window shows its log: frames, how far behind what is shown is, and whether all of it
// came, in order.
import { ids, selector } from '../../tests/e2e/harness/ids.mjs';
import { cli, until } from '../../tests/e2e/harness/sandbox.mjs';
import { say, Stop } from '../lib/say.mjs';
import { aim, beside, fact, median, quantile, spentOn } from './figures.mjs';
import { frames } from './frames.mjs';
import { recording } from './record.mjs';
import { at, blank, inWindow, PATIENCE } from './window.mjs';

const EVENTS = 12_000;
const PER_SECOND = 1_000;
const LEAST = 0.9;
/** How long is counted while it goes on, ms. */
const COUNTED_MS = 6_000;
const COUNT = selector(ids.logCount);

export const title = `A run of ${PER_SECOND} events a second in the window, its log followed`;

export async function measure({ rounds }) {
  say(`${title} (medians of ${rounds} rounds, in turns with a blank page in the same window)`);
  await inWindow(
    async () => {},
    async (window) => {
      const [bare, live] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        await blank(window);
        const empty = (await frames(window)).frames;
        bare.push(empty);
        live.push({ ...(await follow(window)), blank: empty });
      }
      const of = (figure) => median(live.map(figure));
      fact('blank page', `${median(bare).toFixed(1)} /s`);
      fact('events', `${of((one) => one.rate).toFixed(0)} /s`);
      beside('the run and its log', live, LEAST);
      fact('  script for a frame, 95 of 100', `${of((one) => quantile(one.script, 0.95)).toFixed(1)} ms`);
      spentOn(live.at(-1));
      fact('  behind what happened, half the time', `${of((one) => quantile(one.behind, 0.5)).toFixed(0)} ms`);
      fact('  behind what happened, 95 of 100', `${of((one) => quantile(one.behind, 0.95)).toFixed(0)} ms`);
      const lines = live.reduce((sum, one) => sum + one.lines, 0);
      const wrong = live.flatMap((one) => one.wrong);
      aim('  lines shown, as they happened', `${lines}`, 'all of them, in order', wrong.length === 0);
      for (const one of wrong.slice(0, 5)) say(`    ${one}`);
    },
  );
}

/** Looks at one run while it happens, and afterwards at every line of its log. */
async function follow(window) {
  const { run, ended } = await recording(window.box, EVENTS, PER_SECOND);
  await at(window, `#/run/${run}`);
  await window.click(ids.tabLog);
  await window.get(ids.logLine);
  await window.run(WATCH, COUNT);
  const counted = await frames(window, { ms: COUNTED_MS });
  const events = await ended;
  const history = await happened(window.box, run, events);
  await until('all lines', async () => (await window.run(SHOWN, COUNT)) >= history.length, PATIENCE).catch(() => {});
  const shown = await window.driver.executeAsyncScript(READ, selector(ids.log), selector(ids.logLine));
  const watched = await window.run('clearInterval(window.__watching); return window.__watched');
  const took = (history.at(-1).at - history[0].at) / 1000;
  return {
    ...counted,
    rate: events / took,
    lines: shown.length,
    wrong: differences(history, shown),
    behind: behind(history, watched),
  };
}

/** What the history holds, a line each: the program's own answer, not the window's. */
async function happened(box, run, events) {
  const said = await cli(box, 'events', run, '--vocabulary', 'native');
  const lines = said.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (lines.length !== events) throw new Stop(`The history has ${lines.length} events of ${events}.`);
  return lines.map(({ at, event }) => ({
    at: Date.parse(at),
    stream: event.type === 'output' ? event.stream : 'event',
    step: (event.instance ?? event.from)?.step ?? null,
    text: event.type === 'output' ? event.text.trim() : null,
  }));
}

function differences(history, shown) {
  const wrong = shown.length === history.length ? [] : [`${shown.length} lines of ${history.length}`];
  history.forEach(({ stream, step, text }, i) => {
    const line = shown[i];
    const same =
      line &&
      line.stream === stream &&
      // A step is shown by its name; in this workflow that is its id with a capital letter.
      (step === null || line.step.toLowerCase().endsWith(step)) &&
      (text === null || line.text === text);
    if (!same) wrong.push(`line ${i + 1} is ${JSON.stringify(line ?? null)}, not ${JSON.stringify(history[i])}`);
  });
  return wrong;
}

/** How far behind what had happened the log was each time somebody looked, while it went on, ms. */
function behind(history, watched) {
  const over = history.at(-1).at;
  return watched
    .filter(([now]) => now <= over)
    .map(([now, lines]) => {
      // The first event that was not shown yet, if it had happened.
      const next = history[lines];
      return next && next.at < now ? now - next.at : 0;
    });
}

const SHOWN = `return Number((document.querySelector(arguments[0])?.textContent ?? '').replace(/\\D/g, ''))`;

const WATCH = `
  const [selector] = arguments;
  window.__watched = [];
  window.__watching = setInterval(() => {
    const count = document.querySelector(selector)?.textContent ?? '';
    window.__watched.push([Date.now(), Number(count.replace(/\\D/g, ''))]);
  }, 50);`;

/** Scrolls through the whole log and takes down every line, by its place. */
const READ = `
  const [log, line, done] = arguments;
  const frame = document.querySelector(log + ' [role="log"]');
  const lines = [];
  const look = () => {
    for (const one of frame.querySelectorAll(line)) {
      const row = Math.round(parseFloat(one.style.top) / parseFloat(one.style.height));
      const words = (part) => one.querySelector(part).textContent;
      lines[row] = { stream: one.dataset.stream, step: words('.step'), text: words('.text') };
    }
    if (frame.scrollTop + frame.clientHeight >= frame.scrollHeight - 1) return done(lines);
    frame.scrollTop += frame.clientHeight;
    requestAnimationFrame(() => requestAnimationFrame(look));
  };
  frame.scrollTop = 0;
  requestAnimationFrame(() => requestAnimationFrame(look));`;
