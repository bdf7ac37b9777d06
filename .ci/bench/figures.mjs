// How figures are taken together and printed: as the half of the benchmark that needs no window prints them
// (tests/src/bin/bench).
import { say } from '../lib/say.mjs';

/** Of an even number the upper one: nothing is made up between two that were measured. */
export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The value that a share of them does not exceed. */
export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export const fact = (what, figure) => say(`  ${what.padEnd(44)} ${figure.padStart(14)}`);

/** One line with a verdict. */
export function aim(what, figure, wanted, met) {
  say(`  ${what.padEnd(44)} ${figure.padStart(14)}   aim ${wanted}: ${met ? 'PASS' : 'MISS'}`);
}

/**
 * Frames a second beside those of a blank page: each against the one of its own turn, so that a busy moment of the
 * machine touches both.
 * @param {{frames: number, blank: number}[]} turns
 */
export function beside(what, turns, least) {
  const ratio = median(turns.map(({ frames, blank }) => frames / blank));
  const figure = `${median(turns.map(({ frames }) => frames)).toFixed(1)} /s`;
  aim(what, figure, `≥ ${least.toFixed(2)} × blank (it is ${ratio.toFixed(2)} ×)`, ratio >= least);
}

export const notMeasured = (why) => say(`  not measured: ${why}`);

/** What scripts were at, of one turn: for whoever looks for the reason of a missed aim. */
export function spentOn({ parts }) {
  const most = Object.entries(parts).toSorted(([, one], [, other]) => other - one);
  const words = most.slice(0, 5).map(([part, ms]) => `${part} ${ms.toFixed(1)}`);
  say(`    script, ms a frame: ${words.join(', ') || 'none'}`);
}
