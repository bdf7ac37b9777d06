import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '$lib/api';
import Log from './__fixtures__/Framed.svelte';
import { Lines, NO_STEP } from './lines.svelte';

/** How often somebody looked at a line. */
let looked = 0;
const line = (seq: number, step?: string): LogLine => ({
  get seq() {
    looked += 1;
    return seq;
  },
  at: seq * 1_000,
  get step() {
    looked += 1;
    return step === undefined ? null : { id: step, number: '', name: `Step ${step}` };
  },
  stream: 'event',
  text: `line ${seq}`,
  status: null,
});
/** Two lines of each event, one of them of its step. */
const written = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => [line(from + i), line(from + i, (from + i) % 2 ? 'a' : 'b')]).flat();
const filled = (events: number) => {
  const lines = new Lines();
  lines.append(written(0, events));
  return lines;
};
const seqs = (lines: Lines, step: string | null, upTo: number | null) =>
  lines
    .of(step, upTo)
    .slice()
    .map((one) => one.seq);

describe('what Gatehouse says of the work of a step', () => {
  it('has a sign that a program cannot print', async () => {
    const lines = new Lines();
    const text = 'gatehouse: `old.md` is another version';
    lines.append([
      { seq: 1, at: 1_000, step: null, stream: 'stderr', text, status: null },
      { seq: 2, at: 2_000, step: null, stream: 'gatehouse', text: '`old.md` is another version', status: null },
    ]);
    render(Log, { lines, upTo: null });
    const [forged, said] = await screen.findAllByTestId('log-line');
    expect(forged?.querySelector('svg')).toBeNull();
    expect(said?.querySelector('svg')).not.toBeNull();
    expect(said).toHaveAttribute('data-stream', 'gatehouse');
    expect(said?.querySelector('[title="said by Gatehouse"]')).not.toBeNull();
  });
});

it('a heading says in which run the lines below it were recorded, and has no time of its own', async () => {
  const lines = new Lines();
  const text = 'Taken over from run 01a2 (events 2 to 5)';
  lines.append([
    { seq: 1, at: 9_000, step: null, stream: 'event', text: 'Run created.', status: null },
    { seq: 2, at: 1_000, step: null, stream: 'heading', text, status: null },
    { seq: 2, at: 1_000, step: null, stream: 'event', text: 'Run started.', status: null },
  ]);
  render(Log, { lines, upTo: null });
  const [, heading, started] = await screen.findAllByTestId('log-line');
  expect(heading).toHaveTextContent(text);
  expect(heading).toHaveAttribute('data-stream', 'heading');
  expect(heading?.querySelector('.time')).toHaveTextContent(/^$/);
  expect(started?.querySelector('.time')).not.toHaveTextContent(/^$/);
});

describe('the lines of a log', () => {
  it('are all of them, or those of one step, or of none, as of an event', () => {
    const lines = filled(4);
    expect(lines.steps).toEqual([
      ['b', 'Step b'],
      ['a', 'Step a'],
    ]);
    expect(seqs(lines, null, null)).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(seqs(lines, null, 1)).toEqual([0, 0, 1, 1]);
    expect(seqs(lines, 'a', null)).toEqual([1, 3]);
    expect(seqs(lines, 'a', 2)).toEqual([1]);
    expect(seqs(lines, NO_STEP, 2)).toEqual([0, 1, 2]);
    expect(seqs(lines, null, -1)).toEqual([]);
    expect(seqs(lines, 'gone', null)).toEqual([]);
    expect(lines.of(null, 1).slice(3, 9)).toHaveLength(1);
  });

  it('take more without a look at those that are there, however many come at once', () => {
    const lines = new Lines();
    const one = line(0);
    lines.append(Array.from({ length: 200_000 }, () => one));
    looked = 0;
    lines.append(written(1, 2));
    expect(lines.of(null, null).length).toBe(200_002);
    expect(looked).toBeLessThan(10);
  });
});

describe('a log on screen', () => {
  it('looks at the lines in sight alone when one comes, whatever it is filtered by', async () => {
    const lines = filled(2_000);
    render(Log, { lines, upTo: null });
    expect(await screen.findByText('4,000 lines')).toBeVisible();
    looked = 0;
    lines.append(written(2_000, 2_001));
    expect(await screen.findByText('4,002 lines')).toBeVisible();
    expect(looked).toBeLessThan(200);
    await userEvent.selectOptions(screen.getByTestId('log-filter'), 'Step a');
    expect(await screen.findByText('1,000 lines')).toBeVisible();
    looked = 0;
    lines.append([line(2_001, 'a')]);
    expect(await screen.findByText('1,001 lines')).toBeVisible();
    expect(looked).toBeLessThan(200);
  });
});
