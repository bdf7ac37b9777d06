import { fireEvent, render, screen, within } from '@testing-library/svelte';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { timelineAt, WAITING } from '../canvas/__fixtures__/request';
import { localClock } from '$lib/ui/time';
import { together } from './course';
import { Replay } from './replay.svelte';
import { Said } from './said.svelte';
import Timeline from './Timeline.svelte';

const WIDE = 800;

beforeEach(() => void vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(WIDE));
afterEach(() => vi.restoreAllMocks());

it('says what a flag and a stretch that is drawn short mean, to the pointer and to a reader', async () => {
  const told = timelineAt(WAITING);
  const end = told.start + 3_600_000;
  const timeline = together(null, { ...told, end, gaps: [[told.start, end]], rests: [] })!;
  const replay = new Replay(new Said(async (after) => ({ lines: [], last: after ?? 0 }) as never));
  replay.timeline = timeline;
  const first = timeline.ticks.seq[0] ?? 0;
  const { container } = render(Timeline, {
    timeline,
    replay,
    scale: 'time',
    flags: [{ seq: first, name: 'Before anything is built', kind: 'person' }],
  });
  const said = [/No step was at work for 1 h: this stretch is drawn short\./, /Checkpoint: Before anything is built/];
  const list = screen.getByRole('list', { name: 'Checkpoints and stretches that are drawn short' });
  for (const words of said) expect(within(list).getByText(words)).toBeInTheDocument();
  const sheet = container.querySelector('.sheet')!;
  const flag = parseFloat(screen.getByTestId('timeline-flag').style.left);
  await fireEvent.pointerMove(sheet, { clientX: flag + 2, clientY: 2 });
  expect(container.querySelector('.tip')).toHaveTextContent(said[1]!);
  await fireEvent.pointerMove(sheet, { clientX: 30, clientY: 60 });
  expect(container.querySelector('.tip')).toHaveTextContent(said[0]!);
  expect(container.querySelector('.tip')).not.toHaveTextContent(said[1]!);
});

it('says when the runs inside a step waited for people, as of every wait', async () => {
  const told = timelineAt(WAITING);
  const end = told.start + 3_600_000;
  const step = told.lanes.find((lane) => lane.step !== null)!;
  const bar = { start: told.start, end: null, from_seq: 1, to_seq: null, status: 'running' as const, label: '' };
  const [start, place] = [told.start + 600_000, step.place];
  const waits_inside = [
    { place, start, end: start + 1_200_000 },
    { place, start: end - 600_000, end: null },
  ];
  const timeline = together(null, {
    ...told,
    end,
    lanes: [{ ...step, bars: [bar] }],
    gaps: [],
    rests: [],
    waits_inside,
  })!;
  const replay = new Replay(new Said(async (after) => ({ lines: [], last: after ?? 0 }) as never));
  replay.timeline = timeline;
  const { container } = render(Timeline, { timeline, replay, scale: 'time', flags: [] });
  const said = within(screen.getByRole('list', { name: 'Waiting for people in runs inside' })).getAllByRole('listitem');
  expect(said[0]).toHaveTextContent(/ · waits for a person · .* · waited 20 min/);
  expect(said[1]).toHaveTextContent(/still open$/);
  const sheet = container.querySelector('.sheet')!;
  await fireEvent.pointerMove(sheet, { clientX: WIDE / 3, clientY: 5 });
  expect(container.querySelector('.tip')).toHaveTextContent(/waits for a person.*waited 20 min/);
  await fireEvent.pointerMove(sheet, { clientX: WIDE * 0.6, clientY: 5 });
  expect(container.querySelector('.tip')).toHaveTextContent(/running.*still open/);
});

it('tells a reader of each answer when it was given, and of what is open since when', () => {
  const told = timelineAt(WAITING);
  const asked = { start: told.start, end: told.start + 8_000, from_seq: 1, to_seq: 2, label: 'review' };
  const bars = [
    { ...asked, status: 'refused' as const, answer: 'rejected' },
    { ...asked, start: asked.start + 20_000, end: null, from_seq: 3, to_seq: null, status: 'blocked' as const },
  ];
  const people = { place: 0, from: 0, step: null, name: '', bars };
  const timeline = together(null, { ...told, lanes: [people] })!;
  const replay = new Replay(new Said(async (after) => ({ lines: [], last: after ?? 0 }) as never));
  replay.timeline = timeline;
  render(Timeline, { timeline, replay, scale: 'time', flags: [] });
  const said = within(screen.getByTestId('timeline-bars')).getAllByRole('listitem');
  expect(said.map((one) => one.textContent)).toEqual([
    `review · rejected · ${localClock(asked.end)}`,
    `review · waits for a person · ${localClock(asked.start + 20_000)}`,
  ]);
});

it('says which events were taken over from another run, and where this one goes on', () => {
  const told = timelineAt(WAITING);
  const words = 'Taken over from run 01a2 (events 2 to 5)';
  const timeline = together(null, { ...told, gaps: [], rests: [], taken_over: [{ words, first: 2, last: 5 }] })!;
  const replay = new Replay(new Said(async (after) => ({ lines: [], last: after ?? 0 }) as never));
  replay.timeline = timeline;
  render(Timeline, { timeline, replay, scale: 'events', flags: [{ seq: 5, name: 'Asked', kind: 'gate' }] });
  expect(screen.getByTestId('timeline-taken')).toHaveTextContent(words);
  const flag = parseFloat(screen.getByTestId('timeline-flag').style.left);
  expect(parseFloat(screen.getByTestId('timeline-seam').style.left)).toBeGreaterThan(flag);
});
