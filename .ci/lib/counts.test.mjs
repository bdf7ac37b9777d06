// What is read from the runners' outputs, on outputs as they print them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as count from './counts.mjs';

const CARGO = `
     Running unittests src/lib.rs (target/debug/deps/store-0123456789abcdef)

running 3 tests
TEST NOT RUN: contract::tests::recorded_runs: the recorded cases are not beside the project
test contract::tests::recorded_runs ... ok
test chain::tests::it_holds ... ok
test chain::tests::it_breaks ... FAILED

failures:

---- chain::tests::it_breaks stdout ----

thread 'chain::tests::it_breaks' panicked at src/chain.rs:1:1:
the chain holds

failures:
    chain::tests::it_breaks

test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.50s

     Running tests/suite/main.rs (target/debug/deps/suite-0123456789abcdef)

running 3 tests
test a ... TEST NOT RUN: a: nothing to look at
ok
TEST NOT RUN: a: nothing to look at again
test b ... ok
test contract::tests::recorded_runs ... TEST NOT RUN: contract::tests::recorded_runs: another program
ok

test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s
`;

test('a test that could not look has not passed', () => {
  assert.deepEqual(count.cargo(CARGO), [2, 1]);
});

test('each test that could not look is named once a program, with the first reason', () => {
  assert.deepEqual(count.notRun(CARGO), [
    ['contract::tests::recorded_runs', 'the recorded cases are not beside the project'],
    ['a', 'nothing to look at'],
    ['contract::tests::recorded_runs', 'another program'],
  ]);
});

test('an output without a count has none', () => {
  assert.equal(count.cargo('error: could not compile'), null);
  assert.equal(count.tap('not started'), null);
  assert.equal(count.last('nothing'), null);
  assert.deepEqual(count.notRun('nothing'), []);
});

test('a failed test is told with what it said', () => {
  assert.deepEqual(count.failures(CARGO), ['chain::tests::it_breaks: src/chain.rs:1:1: the chain holds']);
});

test('what a failed test of Rust said is told with its program', () => {
  assert.deepEqual(count.messages(CARGO), [
    [
      'store: chain::tests::it_breaks',
      ["thread 'chain::tests::it_breaks' panicked at src/chain.rs:1:1:", 'the chain holds'],
    ],
  ]);
});

test('of a long message its beginning and its end are told, and no trace', () => {
  const said = Array.from({ length: 100 }, (_, n) => `line ${n}`);
  const output = ['---- long stdout ----', '', ...said, 'stack backtrace:', '   0: main', '', 'failures:', ''].join(
    '\n',
  );
  const [[name, lines]] = count.messages(output);
  assert.equal(name, ': long');
  assert.equal(lines.length, 30);
  assert.deepEqual(
    [lines[0], lines[18], lines[19], lines[20]],
    ['line 0', 'line 18', '… 71 lines are left out', 'line 90'],
  );
  assert.equal(lines.at(-1), 'line 99');
});

test('of a program that a signal ended its last lines are told', () => {
  const output = [
    '     Running tests/suite/main.rs (target/debug/deps/suite-0123456789abcdef)',
    'test a ... ok',
    'error: test failed, to rerun pass `-p store --test suite`',
    '',
    'Caused by:',
    "  process didn't exit successfully: `suite-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)",
  ].join('\n');
  const [[name, lines]] = count.messages(output);
  assert.equal(name, 'suite: ended');
  assert.ok(lines.includes('test a ... ok') && lines.at(-1).includes('SIGABRT'));
});

const TAP = `TAP version 13
# Subtest: outer
    # Subtest: inner
        # Subtest: leg
        not ok 1 - leg
          ---
          duration_ms: 3.2
          location: '/a.test.mjs:3:53'
          failureType: 'testCodeFailure'
          error: |-
            Expected values to be strictly deep-equal:
            + actual - expected
          code: 'ERR_ASSERTION'
          expected:
            a: 1
          actual:
            a: 2
          operator: 'deepStrictEqual'
          stack: |-
            TestContext.<anonymous> (file:///a.test.mjs:3:87)
            Test.run (node:internal/test_runner/test:796:25)
          ...
        # Subtest: the next leg
        not ok 2 - the next leg
          ---
          duration_ms: 0.1
          failureType: 'testCodeFailure'
          error: 'not tried: “leg” failed before'
          code: 'ERR_TEST_FAILURE'
          ...
        # Subtest: fine
        ok 3 - fine
          ---
          duration_ms: 0.2
          ...
        1..3
    not ok 1 - inner
      ---
      duration_ms: 4.2
      failureType: 'subtestsFailed'
      error: '1 subtest failed'
      ...
    1..1
not ok 1 - outer
  ---
  duration_ms: 9.1
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
# SyntaxError: Unexpected token
# Subtest: /t/b.test.mjs
not ok 2 - /t/b.test.mjs
  ---
  duration_ms: 9.1
  failureType: 'testCodeFailure'
  exitCode: 1
  error: 'test failed'
  code: 'ERR_TEST_FAILURE'
  ...
1..2
`;

test('what a failed test of node said is told with the groups that it is in', () => {
  assert.deepEqual(count.messages(TAP), [
    [
      'outer > inner > leg',
      [
        "location: '/a.test.mjs:3:53'",
        'error: |-',
        '  Expected values to be strictly deep-equal:',
        '  + actual - expected',
        'expected:',
        '  a: 1',
        'actual:',
        '  a: 2',
        'stack: |-',
        '  TestContext.<anonymous> (file:///a.test.mjs:3:87)',
      ],
    ],
    ['/t/b.test.mjs', ['SyntaxError: Unexpected token', 'exitCode: 1', "error: 'test failed'"]],
  ]);
});

const VITEST = `
 ❯ a.test.ts (2 tests | 2 failed) 14ms
     × wrongly 12ms

⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.ts > adds > wrongly
AssertionError: expected 1 to be 2

- Expected
+ Received

 ❯ a.test.ts:2:73

⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/1]⎯

 Test Files  1 failed (1)
`;

test('what a failed test of the pages said is told', () => {
  assert.deepEqual(count.messages(VITEST), [
    [
      'a.test.ts > adds > wrongly',
      ['AssertionError: expected 1 to be 2', '', '- Expected', '+ Received', '', ' ❯ a.test.ts:2:73'],
    ],
  ]);
});

test('an output in which nothing failed tells nothing', () => {
  assert.deepEqual(count.messages('nothing'), []);
});

test('the slowest programs come first', () => {
  assert.deepEqual(count.slowest(CARGO), [
    [1.25, 'store suite'],
    [0.5, 'store'],
  ]);
});

test('tests of node that were called off have failed', () => {
  assert.deepEqual(count.tap('# pass 3\n# fail 1\n# cancelled 2\n'), [3, 3]);
});

test('a recorded case must pass where it must', () => {
  assert.deepEqual(count.oracle('total: must 79/80, should 12/13, may 3/9\n'), [94, 1]);
});
