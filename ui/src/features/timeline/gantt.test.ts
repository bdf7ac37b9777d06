import { describe, expect, it } from 'vitest';
import type { TimelineLane } from '$lib/api';
import { Axis } from './axis';
import { inStartOrder, standing, stretches, telling } from './gantt';
import { Ticks } from './ticks';

const lane = (id: string | null, ...starts: number[]): TimelineLane => ({
  place: 0,
  from: 0,
  step: id === null ? null : { id, number: '1', name: id },
  name: id ?? 'People',
  bars: starts.map((start, i) => ({
    start,
    end: start + 5,
    from_seq: i + 1,
    to_seq: i + 2,
    status: 'done',
    label: '',
  })),
});
describe('lanes of a run with several steps at once', () => {
  const names = (lanes: TimelineLane[]) => lanes.map((one) => one.name);

  it('stand in the order in which they began, people last', () => {
    const lanes = [lane('a', 0), lane('late', 90), lane('b', 20, 70), lane('c', 20), lane(null, 5), lane('never')];
    expect(names(inStartOrder(lanes))).toEqual(['a', 'b', 'c', 'late', 'never', 'People']);
  });

  it('that have not begun stand as planned, then as written', () => {
    const lanes = [lane('x'), lane('y'), lane('z'), lane('a', 3)];
    const planned = [
      { step: 'z', start: 10, end: 20 },
      { step: 'y', start: 20, end: 30 },
    ];
    expect(names(inStartOrder(lanes, planned))).toEqual(['a', 'z', 'y', 'x']);
  });
});

it('where an open attempt waits for a person, its bar does too; what has ended and all others stay the same objects', () => {
  const one = lane('legal', 1);
  const bars = [...one.bars, { ...one.bars[0]!, end: null, status: 'running' as const }];
  const lanes = [{ ...one, bars }, lane('legal', 1), lane('texts', 1), lane(null, 1)];
  const now = standing(lanes, [
    { id: 'legal', status: 'blocked' },
    { id: 'texts', status: 'done' },
  ]);
  expect(now[0]!.bars.map((bar) => bar.status)).toEqual(['done', 'blocked']);
  expect(now.slice(1)).toEqual(lanes.slice(1));
  expect(now[2]).toBe(lanes[2]);
  expect(standing(lanes, [])).toBe(lanes);
});

it('a bar within which the wait of a run inside is drawn stays work before it', () => {
  const one = { ...lane('legal', 1), place: 7 };
  const bars = [{ ...one.bars[0]!, end: null, status: 'running' as const }];
  const bar = (...waits: { place: number; start: number; end: number | null }[]) =>
    standing([{ ...one, bars }], [{ id: 'legal', status: 'blocked' }], waits)[0]!.bars[0]!.status;
  expect(bar({ place: 7, start: 3, end: null })).toBe('running');
  expect(bar({ place: 7, start: 3, end: 4 }, { place: 8, start: 3, end: null })).toBe('blocked');
});

describe('lengths', () => {
  const of = (...lanes: TimelineLane[]) => {
    return telling({ lanes, end: 1_000 }, new Axis('time', Ticks.none, 0, 1_000, [], 1_000));
  };
  const worked = (id: string | null, from: number, to: number | null, status: 'done' | 'queued' = 'done') => {
    const one = lane(id, from);
    return { ...one, bars: one.bars.map((bar) => ({ ...bar, end: to, status })) };
  };

  it('tell something where a step worked for long, not where steps or people waited', () => {
    expect(of(worked('a', 0, 2), worked('b', 100, 300))).toBe(true);
    expect(of(worked('a', 0, 2), worked('b', 900, null))).toBe(true);
    expect(of(worked('a', 0, 2), worked('b', 0, 900, 'queued'), worked(null, 2, 990))).toBe(false);
  });
});

describe('a run that was taken up again', () => {
  const rests: [number, number][] = [[1_000, 9_000]];

  it('rested in between', () => {
    expect(stretches({ gaps: [[20, 80]], rests })).toEqual([
      { from: 20, to: 80, rest: false },
      { from: 1_000, to: 9_000, rest: true },
    ]);
  });

  it('is not told to have rested while it waited for a person', () => {
    const gaps: [number, number][] = [[400, 1_000]];
    const axis = new Axis('time', Ticks.none, 0, 10_000, stretches({ gaps, rests }), 1_000);
    expect(axis.folds.map(({ ms, rest }) => ({ ms, rest }))).toEqual([
      { ms: 600, rest: false },
      { ms: 8_000, rest: true },
    ]);
  });

  it('folds the rest, also where it is part of a longer idle stretch', () => {
    const idle = { from: 800, to: 9_500, rest: false };
    const axis = new Axis('time', Ticks.none, 0, 10_000, [...stretches({ gaps: [], rests }), idle], 1_000);
    expect(axis.folds.map(({ ms, rest }) => ({ ms, rest }))).toEqual([{ ms: 8_700, rest: true }]);
  });
});
