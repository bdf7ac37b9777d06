// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { choice, step } from './__fixtures__/pipeline';
import { outcome } from './outcome';
import { ResumeDesk } from './resume.svelte';

const ids = (steps: readonly { id: string }[]) => steps.map((one) => one.id);
const [docs, ship] = [step('docs', '9'), step('ship', '10')];
const stages = [choice('build', '2', [docs, ship]), choice('test', '3', [ship])];

describe('what follows from the choices', () => {
  it('leaves out what waits for a stage that is left out, and lets the rest go on', () => {
    const all = outcome(stages, { build: 'retry', test: 'skip' });
    expect(ids(all.again)).toEqual(['build']);
    expect(ids(all.leftOut)).toEqual(['test']);
    expect(ids(all.lost)).toEqual(['ship']);
    expect(ids(all.onward)).toEqual(['docs']);
  });

  it('names stages in the order of the pipeline', () => {
    expect(ids(outcome(stages, { build: 'skip', test: 'skip' }).lost)).toEqual(['docs', 'ship']);
  });

  it('does not try again what cannot run without a stage that is left out', () => {
    const chain = [choice('a', '1', [step('b', '2')]), choice('b', '2', [], { status: 'aborted' })];
    const all = outcome(chain, { a: 'skip', b: 'retry' });
    expect(ids(all.again)).toEqual([]);
    expect(ids(all.lost)).toEqual(['b']);
  });
});

describe('the choices', () => {
  it('are counted, and taken back one by one', () => {
    const desk = new ResumeDesk(stages);
    expect(desk.open).toBe(2);
    desk.pick('build', 'retry');
    desk.pickAll('skip');
    expect(desk.open).toBe(0);
    desk.undo();
    expect(desk.picked).toEqual({ build: 'retry' });
    desk.undo();
    expect(desk.open).toBe(2);
    expect(desk.canUndo).toBe(false);
  });

  it('forgets nothing by being chosen twice', () => {
    const desk = new ResumeDesk(stages);
    desk.pick('build', 'retry');
    desk.pick('build', 'retry');
    desk.undo();
    expect(desk.picked).toEqual({});
  });
});
