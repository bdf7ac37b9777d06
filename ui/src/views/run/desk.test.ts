import { flushSync } from 'svelte';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { overlay, showRun } from '../../features/canvas/__fixtures__/host';
import { logAfter, RUN, runAt, stepAt, timelineAt, WAITING } from '../../features/canvas/__fixtures__/request';
import { together } from '../../features/timeline/course';
import { useHost } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import { RunDesk, stepAt as stepOf } from './desk.svelte';
import type { Shown } from './picture';

let last = WAITING;
let host: FakeHost;
let desk: RunDesk;

beforeEach(async () => {
  last = WAITING;
  host = showRun(new FakeHost(), (at) => runAt(at, last))
    .on('run.timeline', () => timelineAt(last))
    .on('run.step', ({ step, at }: { step: string; at?: number }) => stepAt(step, at ?? last))
    .on('run.log', ({ after }: { after?: number }) => logAfter(after ?? 0, last));
  useHost(host);
  desk = new RunDesk(RUN, null, null);
  await desk.open();
});

const show = async (seq: number | null) => {
  desk.replay.at = seq;
  await desk.run.refresh();
};
const statusOf = (view: Shown | null, step: string) => view?.steps.find((one) => one.id === step)?.status;

describe('the desk of a run', () => {
  it('shows the run as of the playhead, and goes back to live', async () => {
    expect(statusOf(desk.view, 'critique')).toBe('blocked');
    await show(13);
    expect(statusOf(desk.view, 'critique')).toBe('running');
    expect(desk.view?.numbers).toBe(3);
    await desk.moreRoutes();
    expect(desk.routes).toHaveLength(3);
    await show(null);
    expect(statusOf(desk.view, 'critique')).toBe('blocked');
  });

  it('does not ask twice for the same past', async () => {
    await show(13);
    await show(5);
    const asked = host.called('run.overlay').length;
    await show(13);
    expect(host.called('run.overlay')).toHaveLength(asked);
    expect(desk.view?.at).toBe(13);
  });

  it('asks again for a past that was on its way when the picture got another room', async () => {
    let arrive = () => {};
    host.on(
      'run.overlay',
      ({ at }: { at?: number }) => new Promise((resolve) => (arrive = () => resolve(overlay(runAt(at, last), null)))),
    );
    const late = show(13);
    await vi.waitFor(() => expect(host.called('run.overlay')).toHaveLength(2));
    showRun(host, (at) => runAt(at, last));
    desk.fit({ width: 960, height: 480 });
    arrive();
    await late;
    await vi.waitFor(() =>
      expect(host.called('run.overlay').at(-1)).toMatchObject({ at: 13, room: { width: 960, height: 480 } }),
    );
  });

  it('keeps the picture it had, so that the graph is never laid out anew', async () => {
    const first = desk.drawing;
    await show(3);
    expect(desk.drawing).toBe(first);
  });

  it('asks for details only while somebody looks at them', async () => {
    desk.details();
    desk.follow();
    expect(host.called('run.step')).toHaveLength(0);
    desk.detailShown = true;
    desk.details();
    await vi.waitFor(() => expect(desk.detail.value).not.toBeNull());
  });

  it('lets short details follow the playhead, and long ones come once it rests', async () => {
    desk.detailShown = true;
    const asked = () => host.called('run.step').length;
    for (const at of [3, 5]) {
      desk.replay.at = at;
      desk.follow();
      await vi.waitFor(() => expect(desk.detail.loading).toBe(false));
    }
    expect(asked()).toBe(2);

    const answers = { at: 0, took: 40 };
    host.on('run.step', async ({ step, at }: { step: string; at?: number }) => {
      await new Promise((resolve) => setTimeout(resolve, answers.took));
      answers.at = at ?? last;
      return stepAt(step, at ?? last);
    });
    desk.details();
    await vi.waitFor(() => expect(desk.detail.loading).toBe(false));
    const before = asked();
    for (const at of [3, 5, 9, 13]) {
      desk.replay.at = at;
      desk.follow();
    }
    expect(asked()).toBe(before);
    await vi.waitFor(() => expect(answers.at).toBe(13));
    expect(asked()).toBe(before + 1);
  });

  it('follows notices while live, and stays where it is while looking at the past', async () => {
    last = WAITING + 1;
    desk.changed([{ kind: 'run', run_id: RUN, last, status: 'running' }]);
    await vi.waitFor(() => expect(desk.view?.last).toBe(last));
    await show(5);
    const asked = host.called('run.overlay').length;
    last += 1;
    desk.changed([{ kind: 'run', run_id: RUN, last, status: 'running' }]);
    await vi.waitFor(() => expect(desk.replay.count).toBe(timelineAt(last).ticks.seq.length));
    expect(host.called('run.overlay')).toHaveLength(asked);
    expect(desk.view?.at).toBe(5);
  });

  it('asks for a long timeline piece by piece, and shows it when all of it is there', async () => {
    const whole = timelineAt(WAITING);
    const most = 8;
    const shown: number[] = [];
    host.on('run.timeline', ({ after = 0 }: { after?: number }) => {
      shown.push(desk.replay.count);
      const at = Math.min(after + most, WAITING);
      const told = timelineAt(at);
      const from = after === 0 ? 0 : timelineAt(after).ticks.seq.length;
      const behind = (column: number[]) => {
        const sums = column.map((_, i) => column.slice(0, i + 1).reduce((sum, step) => sum + step, 0));
        return sums.slice(from).map((sum, i, all) => sum - (all[i - 1] ?? 0));
      };
      const { seq, at: times, lane } = told.ticks;
      return {
        ...told,
        last: WAITING,
        ...(after === 0 ? {} : { after }),
        ticks: { seq: behind(seq), at: behind(times), lane: lane.slice(from) },
      };
    });
    desk = new RunDesk(RUN, null, null);
    await desk.open();
    expect(shown).toEqual([0, 0, 0]);
    const all = together(null, whole);
    expect([...desk.replay.ticks.seq]).toEqual([...(all?.ticks.seq ?? [])]);
    expect([...desk.replay.ticks.at]).toEqual([...(all?.ticks.at ?? [])]);
    expect(desk.replay.timeline?.lanes).toEqual(all?.lanes);
  });

  it('goes on where a piece of the timeline failed', async () => {
    const asked: (number | undefined)[] = [];
    let fails = true;
    host.on('run.timeline', ({ after }: { after?: number }) => {
      asked.push(after);
      if (after === undefined) return { ...timelineAt(8), last: WAITING };
      if (fails) throw { code: 'io', message: 'It cannot be read.', hint: null };
      return { ...timelineAt(WAITING), after, ticks: { seq: [], at: [], lane: [] } };
    });
    desk = new RunDesk(RUN, null, null);
    await desk.open();
    expect(asked).toEqual([undefined, 8]);
    expect(desk.timeline.error?.message).toBe('It cannot be read.');
    fails = false;
    await desk.timeline.refresh();
    expect(asked).toEqual([undefined, 8, 8]);
    expect(desk.timeline.value?.at).toBe(WAITING);
    expect(desk.timeline.value?.ticks.seq).toHaveLength(timelineAt(8).ticks.seq.length);
  });

  it('stays in the instance whose earlier rounds are looked at, though the run comes to another one', async () => {
    let instance = 2;
    host.on('run.step', ({ step, path }: { step: string; path?: number[] }) => ({
      ...stepAt(step, last),
      path: path ?? [instance],
    }));
    desk.chosen = 'critique';
    desk.detailShown = true;
    await desk.detail.refresh();
    desk.showRounds(5);
    instance = 3;
    await desk.detail.refresh();
    expect(host.called('run.step').at(-1)).toMatchObject({ step: 'critique', path: [2], until: 5 });
    // Back at the latest round it follows the run again.
    desk.showRounds(null);
    await desk.detail.refresh();
    expect(desk.detail.value?.path).toEqual([3]);
  });

  it('is not moved by another run', () => {
    const asked = host.calls.length;
    desk.changed([{ kind: 'run', run_id: 'another', last: 9, status: 'running' }]);
    expect(host.calls).toHaveLength(asked);
  });

  it('answers a burst of notices with few questions', async () => {
    const before = host.calls.length;
    for (let i = 0; i < 200; i++) desk.changed([{ kind: 'run', run_id: RUN, last, status: 'running' }]);
    await vi.waitFor(() => expect(desk.run.loading).toBe(false));
    expect(host.calls.length - before).toBeLessThan(8);
  });

  it('reads the log in pieces, each line once and in order', async () => {
    await desk.moreLog();
    last += 2;
    await desk.moreLog();
    const seqs = () =>
      desk.lines
        .of(null, null)
        .slice()
        .map((line) => line.seq);
    expect(seqs()).toEqual(Array.from({ length: last }, (_, i) => i + 1));
    // What is told of while the last answer is on its way is asked for as well.
    host.on('run.log', async ({ after }: { after?: number }) => {
      const told = logAfter(after ?? 0, last);
      await Promise.resolve();
      if (last < WAITING + 3) {
        last += 1;
        void desk.moreLog();
      }
      return told;
    });
    await desk.moreLog();
    expect(seqs()).toEqual(Array.from({ length: WAITING + 3 }, (_, i) => i + 1));
  });

  it('follows what matters until somebody chooses a step', async () => {
    flushSync();
    expect(desk.step).toBe('critique');
    await show(10);
    expect(desk.step).toBe('author');
    desk.chosen = 'frame';
    expect(desk.step).toBe('frame');
  });

  it('says that the run goes on, also where it stops again at once', async () => {
    host.on('run.act', () => null);
    expect(await desk.act('drive')).toBe(true);
    expect(toasts.list.map(({ text }) => text)).toEqual(['The run goes on.']);
  });

  it('tells what was refused, and takes nothing for done', async () => {
    host.on('run.act', () => {
      throw Object.assign(new Error('The run is not paused.'), { code: 'refused:not_paused', hint: null });
    });
    expect(await desk.act('resume')).toBe(false);
    expect(desk.busy).toBeNull();
  });
});

describe('the replay', () => {
  it('steps from event to event, leaving out output, and ends live', () => {
    const { replay } = desk;
    replay.first();
    expect(replay.at).toBe(1);
    const seen = [replay.at];
    while (!replay.live) {
      replay.step(1);
      seen.push(replay.at);
    }
    // Events 10 and 14 are output; the last event is where live is.
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, null]);
    replay.step(-1);
    expect(replay.at).toBe(21);
  });

  it('stands on the event before when it is sent to one of output', () => {
    desk.replay.at = 10;
    expect(desk.replay.number).toBe(9);
  });
});

describe('the step that matters', () => {
  it('is in replay the one that the event at the playhead is about', () => {
    const course = together(null, timelineAt(WAITING));
    if (!course) throw new Error('the whole course');
    const { lanes, ticks } = course;
    const about = Array.from(ticks.seq, (_, index) => stepOf(course, index));
    const own = Array.from(ticks.lane, (place) => lanes.find((lane) => lane.place === place)?.step?.id);
    const last = own.map((_, index) => own.slice(0, index + 1).findLast((step) => step !== undefined) ?? null);
    expect(about).toEqual(last);
    expect(new Set(about).size).toBeGreaterThan(2);
  });

  it('forgets which rounds were looked at when the playhead moves', () => {
    desk.rounds = { step: 'frame', path: [], until: 1 };
    desk.replay.first();
    desk.moment();
    expect(desk.rounds).toBeNull();
    expect(desk.step).toBe(desk.active);
  });
});
