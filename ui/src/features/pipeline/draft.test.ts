// @vitest-environment node
import { describe, expect, it } from 'vitest';
import { review } from './__fixtures__/pipeline';
import { byPath, DELAY_S, listed, RETRIES, stagesOf, toDraft, type Typed } from './draft';
import { Stage } from './stage.svelte';

const typed = (stages: Stage[], over: Partial<Typed> = {}): Typed => ({
  name: 'Release 2',
  description: '',
  handling: 'halt',
  retries: RETRIES,
  delay: DELAY_S,
  stages,
  ...over,
});

describe('lists', () => {
  it('are names with commas or lines between them, each once', () => {
    expect(listed(' analyst, pm,,\nanalyst ')).toEqual(['analyst', 'pm']);
    expect(listed('  ')).toEqual([]);
  });
});

describe('a draft', () => {
  it('says of a stage what was typed, and nothing else', () => {
    const [build, test] = [new Stage(), new Stage()];
    Object.assign(build, { name: ' build ', agents: 'dev, dev', makes: 'code' });
    Object.assign(test, { name: 'test', doer: 'script', script: 'make test', parallel: true, waitsFor: [build.key] });
    expect(toDraft(typed([build, test]), null)).toEqual({
      name: 'Release 2',
      description: '',
      error_handling: 'halt',
      stages: [
        { name: 'build', agents: ['dev'], parallel: false, depends_on: [], outputs: ['code'] },
        { name: 'test', agents: [], run: 'make test', parallel: true, depends_on: ['build'], outputs: [] },
      ],
    });
  });

  it('follows a stage that is called something else', () => {
    const [first, second] = [new Stage(), new Stage()];
    Object.assign(first, { name: 'old' });
    Object.assign(second, { name: 'next', waitsFor: [first.key] });
    first.name = 'new';
    expect(toDraft(typed([first, second]), null).stages?.[1]?.depends_on).toEqual(['new']);
  });

  it('leaves a template alone until somebody changes it', () => {
    const stages = stagesOf(review.stages);
    const same = typed(stages, { description: review.description ?? '', handling: 'skip_dependents' });
    expect(toDraft(same, review)).toEqual({ name: 'Release 2', template: 'design_review' });
    expect(toDraft({ ...same, handling: 'halt' }, review)).toEqual({
      name: 'Release 2',
      template: 'design_review',
      error_handling: 'halt',
    });
    (stages[0] as Stage).agents = 'architect, ux-designer';
    expect(toDraft(same, review)).toMatchObject({ description: review.description, error_handling: 'skip_dependents' });
    expect(toDraft(same, review)).not.toHaveProperty('template');
  });

  it('keeps what a template says and this form does not show', () => {
    const stages = stagesOf(review.stages);
    (stages[1] as Stage).name = 'look';
    const [first, second] = toDraft(typed(stages), review).stages ?? [];
    expect(first).toMatchObject({ description: 'Draws it.', inputs: ['brief'] });
    expect(second?.gate).toEqual({
      requirement: 'conditional',
      at: 'before',
      question: 'Ready to be looked at?',
      asks: ['legal'],
    });
  });

  it('sends a dependency on a stage that is not there, so that it is complained about', () => {
    const stages = stagesOf([{ name: 'a', depends_on: ['ghost'] }]);
    expect(stages[0]?.missing).toEqual(['ghost']);
    expect(toDraft(typed(stages), null).stages?.[0]?.depends_on).toEqual(['ghost']);
  });

  it('asks a person as soon as that is chosen', () => {
    const stage = Object.assign(new Stage(), { name: 'a', asks: 'after' as const });
    expect(toDraft(typed([stage]), null).stages?.[0]?.gate).toEqual({ requirement: 'required', at: 'after', asks: [] });
  });

  it('says how often to try again only where that is not the usual', () => {
    const draft = (over: Partial<Typed>) => toDraft(typed([new Stage()], over), null);
    expect(draft({ handling: 'retry' })).not.toHaveProperty('max_retries');
    expect(draft({ handling: 'retry', retries: 5, delay: 1 })).toMatchObject({
      max_retries: 5,
      retry_delay_seconds: 1,
    });
    expect(draft({ handling: 'halt', retries: 5 })).not.toHaveProperty('max_retries');
  });
});

it('a workflow that is called by its title is named by its file', () => {
  const files = [
    { path: 'ops/stock.yaml', title: 'Stocktaking' },
    { path: 'a.yaml', title: 'A' },
  ];
  expect(byPath('stocktaking', files)).toBe('ops/stock.yaml');
  expect(byPath('a.yaml ,  Stocktaking, other.yaml', files)).toBe('a.yaml, ops/stock.yaml, other.yaml');
  expect(byPath('', files)).toBe('');
});
