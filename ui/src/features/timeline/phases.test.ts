import type { TimelineView } from '$lib/api';
import { step } from '$lib/fixtures';
import { describe, expect, it } from 'vitest';
import { grouped } from './phases';

type Lane = TimelineView['lanes'][number];
const lane = (id: string | null, phase?: string): Lane => ({
  place: 0,
  from: 0,
  step: id === null ? null : step(id),
  name: id ?? 'People',
  bars: [],
  phase,
});
const rows = (lanes: readonly Lane[]) => grouped(lanes).map((row) => (row.heading ? `# ${row.name}` : row.name));

describe('the lanes of a timeline', () => {
  it('stand under the phase that they belong to', () => {
    const lanes = [lane('brief', 'Plan'), lane('prd', 'Plan'), lane('build', 'Make'), lane('look', 'Plan'), lane(null)];
    expect(rows(lanes)).toEqual(['# Plan', 'brief', 'prd', '# Make', 'build', '# Plan', 'look', 'People']);
  });

  it('have no headings where there are no phases, and none above a step without one', () => {
    expect(rows([lane('a'), lane('b'), lane(null)])).toEqual(['a', 'b', 'People']);
    expect(rows([lane('a'), lane('b', 'Make'), lane('c'), lane('d', 'Make')])).toEqual([
      'a',
      '# Make',
      'b',
      'c',
      '# Make',
      'd',
    ]);
  });
});
