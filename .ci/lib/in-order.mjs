// Node's own test runner, in TAP, with the files begun in the order in which they are given: `node --test` sorts them by name, and the
// longest ones have to begin first so that nothing waits for them at the end.
//
//   node .ci/lib/in-order.mjs 2 long.test.mjs short.test.mjs …    two files at the same time
import { resolve } from 'node:path';
import { run } from 'node:test';
import { tap } from 'node:test/reporters';

/** What takes longer hangs. Every single wait gives up much earlier. */
const LONGEST_MS = 30 * 60_000;

const [beside, ...files] = process.argv.slice(2);
run({ files: files.map((file) => resolve(file)), concurrency: Number(beside), timeout: LONGEST_MS })
  .on('test:fail', ({ todo }) => {
    // What is known to fail, and said to be.
    if (todo === undefined || todo === false) process.exitCode = 1;
  })
  .compose(tap)
  .pipe(process.stdout);
