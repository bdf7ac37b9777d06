// Reads how many passed and failed from what the runners print. Null means that no count was printed.
import { readJson } from './programs.mjs';

/** A check that is one thing: formatted or not, free of warnings or not. */
export const one = (_output, code) => (code === 0 ? [1, 0] : [0, 1]);

/**
 * The sum over `test result:` lines: one for each test program, and one for each crate's documentation. Tests that could
 * not look have not passed.
 */
export function cargo(output) {
  const lines = [...output.matchAll(/^test result: \S+ (\d+) passed; (\d+) failed;/gm)];
  if (lines.length === 0) return null;
  return [sum(lines, 1) - notRun(output).length, sum(lines, 2)];
}

/**
 * The tests of Rust that could not look (tests/src/looking.rs), each once, with what was missing.
 * @returns {[string, string][]} the test and why
 */
export function notRun(output) {
  const found = new Map();
  let program = '';
  for (const line of output.split('\n')) {
    program = programOf(line) ?? program;
    const [, test, why] = /TEST NOT RUN: (\S+): (.*)$/.exec(line) ?? [];
    // One that failed on the way has not passed anyway.
    if (test && !output.includes(`test ${test} ... FAILED`) && !found.has(`${program} ${test}`))
      found.set(`${program} ${test}`, [test, why]);
  }
  return [...found.values()];
}

/** Node's own runner, in TAP: `# pass 3`, `# fail 0`. Tests that were called off count as failed. */
export function tap(output) {
  const number = (word) => {
    const line = new RegExp(`^# ${word} (\\d+)$`, 'm').exec(output);
    return line ? Number(line[1]) : null;
  };
  const [pass, fail, cancelled] = ['pass', 'fail', 'cancelled'].map(number);
  if (pass === null || fail === null) return null;
  return [pass, fail + (cancelled ?? 0)];
}

/** Vitest's report file. Files that could not even be loaded count as one failure each. */
export function vitest(file) {
  const report = readJson(file);
  if (typeof report?.numPassedTests !== 'number') return null;
  const broken = (report.testResults ?? []).filter(
    (result) => result.status === 'failed' && result.assertionResults.length === 0,
  );
  return [report.numPassedTests, report.numFailedTests + broken.length];
}

/**
 * The oracle's last line: `total: must 80/80, should 12/13, may 3/9`. Every recorded case that passes counts; one that
 * fails counts as a failure where the product must pass it, and is an argued or reported difference elsewhere.
 */
export function oracle(output) {
  const line = output.match(/^total: .*$/m)?.[0];
  const levels = [...(line ?? '').matchAll(/(must|should|may) (\d+)\/(\d+)/g)];
  if (levels.length === 0) return null;
  const lost = levels.filter(([, level]) => level === 'must').reduce((total, [, , good, all]) => total + all - good, 0);
  return [sum(levels, 2), lost];
}

/** A check of ours that ends with the same line as all of CI: `2 passed, 0 failed`. */
export function last(output) {
  const line = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
  return line ? [Number(line[1]), Number(line[2])] : null;
}

/**
 * Which tests of an output failed, each with the first line of why where the runner prints one: what of a long log must still be
 * readable when only its end is kept.
 * @returns {string[]} at most 20
 */
export function failures(output) {
  const lines = output.split('\n');
  const found = [];
  for (const [at, line] of lines.entries()) {
    const tap = /^\s*not ok \d+ - (.*)$/.exec(line)?.[1];
    const name = tap ?? /^test (.*) \.\.\. FAILED$/.exec(line)?.[1] ?? /^ *FAIL +(.* > .*)$/.exec(line)?.[1];
    if (!name) continue;
    if (tap === undefined) {
      const why = panic(lines, name);
      found.push(why ? `${name}: ${why}` : name);
      continue;
    }
    const rest = lines.slice(at + 1, at + 40);
    const of = rest.slice(
      0,
      rest.findIndex((next) => /^\s*\.\.\.$/.test(next)),
    );
    // A group fails with its tests; its own line says nothing of why.
    if (of.some((next) => /failureType: 'subtestsFailed'/.test(next))) continue;
    const why = of.findIndex((next) => /^\s*error: /.test(next));
    const words = of
      .slice(why, why + 6)
      .map((next) => next.trim())
      .join(' ')
      .replace(/^error: (\|-)?/, '')
      .replace(/ code: '.*/, '');
    found.push(why < 0 ? name : `${name}: ${words.slice(0, 300).trim()}`);
  }
  return found.slice(0, 20);
}

/** What a test of Rust said last when it failed: of a search among random cases the smallest one, which nobody finds again without it. */
function panic(lines, name) {
  const start = lines.indexOf(`---- ${name} stdout ----`);
  if (start < 0) return undefined;
  const end = lines.findIndex((line, at) => at > start && /^(---- .* stdout ----|failures:)$/.test(line));
  const section = lines.slice(start + 1, end < 0 ? undefined : end);
  const at = section.findLastIndex((line) => /^thread '.*' (\(\d+\) )?panicked at /.test(line));
  if (at < 0) return undefined;
  const rest = section.slice(at, at + 60);
  const trace = rest.findIndex((line) => /^stack backtrace:/.test(line));
  const words = rest.slice(0, trace < 0 ? undefined : trace).map((line) => line.trim());
  return words
    .join(' ')
    .replace(/^thread '.*?' (\(\d+\) )?panicked at /, '')
    .slice(0, 2000)
    .trim();
}

/** So many lines of what a failed test said are printed; of more the first and the last of them. */
const LINES = 30;

/**
 * What the failed tests of an output said: all that is left of it where the logs are out of reach. Of a test of Rust the section that
 * libtest prints, of one of node the diagnostics, of one of vitest the error, and of a program of tests that a signal ended what it printed last.
 * @returns {[string, string[]][]} the test and at most 30 lines
 */
export function messages(output) {
  const lines = output.split('\n');
  const found = [];
  /** The lines from one on, up to the first that is an end. */
  const until = (at, end) => {
    const length = lines.slice(at).findIndex((line) => end.test(line));
    return lines.slice(at, length < 0 ? undefined : at + length);
  };
  let program = '';
  const groups = [];
  for (const [at, line] of lines.entries()) {
    program = programOf(line) ?? program;
    const rust = /^---- (.*) stdout ----$/.exec(line)?.[1];
    if (rust) {
      const said = until(at + 1, /^(---- .* stdout ----|failures:)$/);
      const trace = said.findIndex((one) => /^stack backtrace:/.test(one));
      found.push([`${program}: ${rust}`, said.slice(0, trace < 0 ? undefined : trace)]);
    }
    // A program that is ended has no sections: the test at which it stopped is the last that it has begun.
    if (/^ {2}process didn't exit successfully: .*\(signal: /.test(line)) {
      found.push([`${program}: ended`, [...lines.slice(Math.max(0, at - LINES), at), line]]);
    }
    const page = /^ FAIL {2}(.+)$/.exec(line)?.[1];
    if (page) {
      const said = until(at + 1, /^⎯{3}/);
      found.push([page, said.filter((one) => !/^ FAIL {2}/.test(one))]);
    }
    const [, indent, group] = /^( *)# Subtest: (.*)$/.exec(line) ?? [];
    if (group) groups.splice(indent.length / 4, Infinity, group);
    const [, depth, node] = /^( *)not ok \d+ - (.*)$/.exec(line) ?? [];
    if (!node) continue;
    const said = until(at + 1, /^ *\.\.\.$/);
    // A group fails with its tests, and what follows a failed leg of a journey with that: their own lines say nothing of why.
    if (said.some((one) => /failureType: 'subtestsFailed'|error: ["']?not tried: /.test(one))) continue;
    const path = [...groups.slice(0, depth.length / 4), node].join(' > ');
    found.push([path, [...before(lines, at, node), ...diagnostics(said)]]);
  }
  return found.map(([name, said]) => [name, shortened(trimmed(said))]);
}

/** What a file of node's tests printed before it failed as a whole; of a test alone nobody knows which lines are its own. */
function before(lines, at, name) {
  if (!/\.m?js$/.test(name)) return [];
  const said = [];
  for (let n = at - 1; n >= 0 && /^ *# /.test(lines[n]) && said.length < LINES; n -= 1) {
    if (!/^ *# Subtest: /.test(lines[n])) said.unshift(lines[n].replace(/^ *# /, ''));
  }
  return said;
}

/** Of the block below a line `not ok` what tells why: the error, what was expected and what was there, and where. */
function diagnostics(block) {
  const margin = /^ */.exec(block[0] ?? '')[0].length;
  const plain = block.map((line) => line.slice(margin)).filter((line) => line !== '---');
  return plain.filter(
    (line) => !/^(duration_ms|type|failureType|code|name|operator): |^ .*\bnode:internal\//.test(line),
  );
}

/** Without empty lines at the beginning and at the end. */
function trimmed(lines) {
  const is = (line) => line.trim() !== '';
  const first = lines.findIndex(is);
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex(is) + 1);
}

/** The first and the last lines of many: a message begins with what went wrong and ends with the case in which it does. */
function shortened(lines) {
  const short = lines.map((line) => (line.length > 400 ? `${line.slice(0, 400)} …` : line));
  if (short.length <= LINES) return short;
  const tail = 10;
  const head = LINES - tail - 1;
  return [...short.slice(0, head), `… ${short.length - head - tail} lines are left out`, ...short.slice(-tail)];
}

/**
 * The slowest parts of an output, by the runner's own measure: test programs of cargo, test files and suites of node.
 * @returns {[number, string][]} seconds and name, the slowest first
 */
export function slowest(output) {
  const found = [];
  let program = '';
  let suite = '';
  let crate = '';
  for (const line of output.split('\n')) {
    const started = programOf(line);
    // Cargo runs a crate's own tests just before its programs of tests, many of which bear the same name.
    if (started && line.includes('unittests')) crate = started;
    program = started === 'suite' ? `${crate} suite` : (started ?? program);
    const ended = /^test result: .* finished in ([\d.]+)s$/.exec(line);
    if (ended) found.push([Number(ended[1]), program]);
    suite = /^(?:not )?ok \d+ - (.*)$/.exec(line)?.[1] ?? suite;
    const took = /^ {2}duration_ms: ([\d.]+)$/.exec(line);
    if (took && suite) found.push([Number(took[1]) / 1000, suite]);
    if (took) suite = '';
  }
  return found.sort(([one], [other]) => other - one);
}

/** The test program that cargo starts with this line of its output, if it starts one. */
const programOf = (line) =>
  (/^ +Running (?:unittests )?\S+ \(\S*\/deps\/(.+)-[0-9a-f]+\)/.exec(line) ?? /^ +Doc-tests (\S+)/.exec(line))?.[1];

const sum = (matches, group) => matches.reduce((total, match) => total + Number(match[group]), 0);
