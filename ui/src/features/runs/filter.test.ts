// @vitest-environment node
import { runRow } from '$lib/fixtures';
import { describe, expect, it } from 'vitest';
import { counts, select } from './filter';

const runs = [
  runRow({ run_id: 'a', status: 'blocked', status_words: 'waits for legal' }),
  runRow({ run_id: 'b', status: 'running' }),
  runRow({ run_id: 'c', status: 'failed', error: 'compiler missing' }),
  runRow({ run_id: 'd', status: 'done', by: 'Grace' }),
  runRow({ run_id: 'e', status: 'partly', status_words: 'completed with failures' }),
  runRow({ run_id: 'f', status: 'refused', status_words: 'rejected by Ada Lund at “Sign”: not this quarter' }),
  runRow({ run_id: 'p', status: 'paused' }),
  runRow({ run_id: 'o', status: 'left_open' }),
  runRow({ run_id: 'x', status: 'aborted' }),
  runRow({ run_id: 'g', status: 'stopped', status_words: 'stopped: no way led on from “Test”' }),
];
const ids = (filter: Parameters<typeof select>[1], query = '') => select(runs, filter, query).map((run) => run.run_id);

describe('runs', () => {
  it('are filtered by what a person means', () => {
    expect(ids('all')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'p', 'o', 'x', 'g']);
    expect(ids('waiting')).toEqual(['a']);
    expect(ids('running')).toEqual(['b']);
    expect(ids('still')).toEqual(['p', 'o']);
    expect(ids('aborted')).toEqual(['x']);
    expect(ids('ended')).toEqual(['c', 'd', 'e', 'f', 'x', 'g']);
    expect(ids('refused')).toEqual(['f']);
    expect(ids('partly')).toEqual(['e', 'g']);
    expect(ids('failed')).toEqual(['c']);
    expect(counts(runs)).toEqual({
      all: 10,
      waiting: 1,
      running: 1,
      still: 2,
      ended: 6,
      refused: 1,
      aborted: 1,
      partly: 2,
      failed: 1,
    });
  });

  it('are found by any words of any column, in any order', () => {
    expect(ids('all', 'missing Compiler')).toEqual(['c']);
    expect(ids('all', 'grace')).toEqual(['d']);
    expect(ids('all', 'legal request')).toEqual(['a']);
    expect(ids('failed', 'grace')).toEqual([]);
    expect(ids('refused', 'ada quarter')).toEqual(['f']);
  });
});
