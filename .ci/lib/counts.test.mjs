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
