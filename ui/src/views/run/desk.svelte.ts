import {
  api,
  asApiError,
  type CheckpointsView,
  type DocumentView,
  type Notice,
  type RouteView,
  type RunAction,
  type RunHead,
  type SessionView,
  type StepDetail,
} from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { keepRoom, sameRoom, usualRoom, type Room } from '$lib/room';
import { toasts } from '$lib/ui/toasts.svelte';
import { Kept } from './kept';
import { Paced } from './paced';
import { Picture, type Shown } from './picture';
import { Lines } from '../../features/log/lines.svelte';
import { words } from '../../features/run/words';
import { together, type Course } from '../../features/timeline/course';
import { Replay } from '../../features/timeline/replay.svelte';
import { Said } from '../../features/timeline/said.svelte';
import { NO_LANE } from '../../features/timeline/ticks';

/** Statuses after which nothing happens. */
const OVER: readonly RunHead['status'][] = ['done', 'partly', 'refused', 'stopped', 'failed', 'aborted', 'imported'];

/** What makes a run go on that stood still. */
const GO_ON: readonly RunAction[] = ['resume', 'drive', 'reopen'];

type RunNotice = Extract<Notice, { kind: 'run' }>;

/** Views of past events never change: the latest are kept, so that a replay does not ask twice. */
const KEPT = 96;
/** Details that took longer than this are long: reading them takes frames, so they come when the playhead rests. */
const LONG_MS = 24;
/** The log is asked for so many events at a time. */
const LOG_PIECE = 20_000;
/** Without a movement for so long it rests. */
const STILL_MS = 150;
/** While the run goes on they rest for so many times as long as they took. */
const REST = 3;

interface Look {
  readonly collapsed: readonly string[];
  readonly room: Room;
}

/** Everything the view of one run knows; what it shows is always as of the replay's playhead. */
export class RunDesk {
  readonly id: string;
  readonly replay = new Replay(new Said((after, until) => api.log({ run_id: this.id, after, until })));
  readonly run = new Snapshot<Shown>(() => this.#view());
  readonly timeline = new Snapshot<Course>(() => this.#grown());
  /** Of a session that was taken in: what its document says. */
  readonly session = new Snapshot<SessionView>(() => api.session({ run_id: this.id }));
  readonly checkpoints = new Snapshot<CheckpointsView>(() => api.checkpoints(this.id));
  readonly detail = new Snapshot<StepDetail | null>(() => this.#step());
  /** The text of the version it runs, asked for when somebody looks at it. */
  readonly prose = new Snapshot<DocumentView>(() => api.runDocument(this.id));
  readonly lines = new Lines();
  /** The step somebody chose; without one the details follow what goes on. */
  chosen = $state<string | null>(null);
  edge = $state<string | null>(null);
  /** Containers that are shown as one box. */
  collapsed = $state.raw<readonly string[]>([]);
  /** What the picture has to fit into. */
  room: Room = usualRoom('run');
  /** Which instance of a dynamic step is looked at; null: the one the run was in last. */
  path = $state.raw<readonly number[] | null>(null);
  /** The last round that is looked at, and of which step and instance; null: the latest. */
  rounds = $state.raw<{ readonly step: string; readonly path: readonly number[]; readonly until: number } | null>(null);
  /** As much of the timeline as came, though a later piece failed. */
  #course: Course | null = null;
  /** Whether somebody looks at the log: it is not asked for before. */
  logShown = $state(false);
  /** Whether somebody looks at the details of a step. */
  detailShown = false;
  busy = $state<string | null>(null);
  /** The run has ended, though the playhead may stand before that. */
  over = $state(false);

  #routes = $state.raw<readonly RouteView[]>([]);
  readonly view = $derived(this.run.value);
  readonly active = $derived.by(() => {
    const { live, timeline, index } = this.replay;
    const about = live || !timeline ? null : stepAt(timeline, index);
    return about ?? this.view?.active ?? null;
  });
  readonly step = $derived(this.chosen ?? this.active);
  readonly drawing = $derived(this.view?.drawing ?? null);
  /** The decisions so far, as far as they were asked for. */
  readonly routes = $derived(this.#routes.filter((route) => route.seq <= (this.view?.at ?? 0)));

  #routesOf: readonly string[] | null = null;
  #asking = false;
  /** The picture, and how it is looked at: it changes with that alone, so that the graph is never laid out anew. */
  #picture: { look: Look; picture: Picture } | null = null;
  readonly #kept = new Kept<number, Shown>(KEPT);
  #logAfter = 0;
  #logRunning = false;
  #logAgain = false;
  /** The timeline of a long run is long. */
  readonly #timelinePaced = new Paced(() => this.#timeline(), { times: 3, least: 100 });
  /** A run may tell of a thousand events a second: they are shown together. */
  readonly #shownPaced = new Paced(
    () => Promise.all([this.replay.live ? this.run.refresh() : null, this.logShown ? this.moreLog() : null]),
    { times: 1, least: 100 },
  );
  /** Drawing a moment takes a frame or two, and the playhead comes past many: it moves on meanwhile. */
  readonly #momentPaced = new Paced(() => this.run.refresh(), { times: 1, least: 50 });
  #detailTook = 0;
  #detailSoon: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, at: number | null, step: string | null) {
    this.id = id;
    this.replay.at = at;
    this.chosen = step;
  }

  /** Asks for everything; the timeline first, because the playhead counts in its events. */
  async open(): Promise<void> {
    const past = this.replay.at !== null;
    await Promise.all([this.#timeline(), this.run.refresh(), past ? this.#isOver() : null]);
  }

  close(): void {
    this.#timelinePaced.stop();
    this.#shownPaced.stop();
    this.#momentPaced.stop();
    clearTimeout(this.#detailSoon);
    this.replay.pause();
  }

  /** Something happened to the run, or (an empty list) may have. */
  changed(notices: readonly RunNotice[]): void {
    if (notices.length > 0 && !notices.some((notice) => notice.run_id === this.id)) return;
    this.over ||= notices.some((notice) => notice.run_id === this.id && OVER.includes(notice.status));
    this.#timelinePaced.soon();
    this.#shownPaced.soon();
    if (this.replay.live && this.step) this.#detailGrown();
  }

  /** Asks again because time passed: for the timeline, how long what runs has run, and how long a pipeline will still take. */
  grow(): void {
    if (document.visibilityState !== 'visible') return;
    this.#timelinePaced.soon();
    if (this.replay.live) void this.run.refresh();
  }

  /** Shows a container as one box, or opens it again. */
  async fold(step: string): Promise<void> {
    const open = this.collapsed.filter((one) => one !== step);
    this.collapsed = open.length < this.collapsed.length ? open : [...open, step];
    this.edge = null;
    this.#kept.clear();
    await this.run.refresh();
  }

  /** The picture has another room: it may be broken into other rows. */
  fit(room: Room): void {
    if (sameRoom(room, this.room)) return;
    this.room = room;
    keepRoom('run', room);
    this.#kept.clear();
    void this.run.refresh();
  }

  async act(action: RunAction, reason?: string, choices?: Record<string, 'retry' | 'skip'>): Promise<boolean> {
    this.busy = action;
    try {
      await api.act({
        run_id: this.id,
        action,
        ...(reason ? { reason } : {}),
        ...(choices ? { choices } : {}),
      });
      if (action === 'reopen') this.over = false;
      // It may stop again at once, where it stood before.
      if (GO_ON.includes(action)) toasts.success(words.goesOn);
      // What came back is drawn with everything open, in one row.
      if (this.replay.live) await this.run.refresh();
      this.#timelinePaced.soon();
      return true;
    } catch (thrown) {
      toasts.error(asApiError(thrown));
      return false;
    } finally {
      this.busy = null;
    }
  }

  /** Starts a run that goes on from this one with the file as it is now; `null`: it was refused. */
  async goOnMended(from: string | undefined): Promise<string | null> {
    this.busy = 'reopen';
    try {
      return (await api.goOnMended({ run_id: this.id, mended: true, ...(from ? { from } : {}) })).run_id;
    } catch (thrown) {
      toasts.error(asApiError(thrown));
      return null;
    } finally {
      this.busy = null;
    }
  }

  /** Names the moment at which the run stands. */
  async nameMoment(name: string): Promise<boolean> {
    try {
      await api.nameMoment({ run_id: this.id, name });
      await this.checkpoints.refresh();
      return true;
    } catch (thrown) {
      toasts.error(asApiError(thrown));
      return false;
    }
  }

  /** Starts a run that goes back to a checkpoint of this one; `null`: it was refused. */
  async goBack(checkpoint: number, putBack: string | undefined): Promise<string | null> {
    try {
      const to = { run_id: this.id, checkpoint: `${checkpoint}`, ...(putBack ? { put_back: putBack } : {}) };
      return (await api.goBack(to)).run_id;
    } catch (thrown) {
      toasts.error(asApiError(thrown));
      return null;
    }
  }

  /** Shows the rounds of the step up to this one; null: the latest. They are numbered in the instance that is shown, and stay there while
   * the run comes to another one. */
  showRounds(until: number | null): void {
    const { step } = this;
    const shown = this.detail.value;
    const path = this.path ?? (shown?.step.id === step ? shown?.path : null) ?? [];
    this.rounds = step === null || until === null ? null : { step, path, until };
  }

  /** Somebody wants the details of a step: at once. */
  details(): void {
    clearTimeout(this.#detailSoon);
    this.#detailSoon = undefined;
    if (this.detailShown) void this.detail.refresh();
  }

  /** The playhead moved: the run as of it, with the latest round of then. */
  moment(): void {
    this.rounds = null;
    this.#momentPaced.soon();
  }

  /** The playhead moved, or what goes on is another step: the details follow, long ones when it has come to rest. */
  follow(): void {
    // Of a run that goes on what goes on changes all the time: waiting for rest would be waiting for its end.
    if (this.replay.live) return this.#detailGrown();
    if (this.#detailTook <= LONG_MS) return this.details();
    clearTimeout(this.#detailSoon);
    this.#detailSoon = setTimeout(() => this.details(), STILL_MS);
  }

  /** Something happened, perhaps to the step that is shown: long details rest in between, or nothing else is done. */
  #detailGrown(): void {
    if (this.#detailTook <= LONG_MS) return this.details();
    this.#detailSoon ??= setTimeout(() => this.details(), this.#detailTook * REST);
  }

  /** What came since the last line; asking while an answer is on its way asks once more afterwards. */
  async moreLog(): Promise<void> {
    this.#logAgain = true;
    if (this.#logRunning) return;
    this.#logRunning = true;
    try {
      while (this.#logAgain) {
        this.#logAgain = false;
        const until = this.#logAfter + LOG_PIECE;
        const { lines, last } = await api.log({ run_id: this.id, after: this.#logAfter, until });
        this.#logAfter = last;
        this.#logAgain ||= last >= until;
        // Nothing came: what is held stays the same.
        if (lines.length > 0) this.lines.append(lines);
      }
    } catch (thrown) {
      toasts.error(asApiError(thrown));
    } finally {
      this.#logRunning = false;
    }
  }

  /** To an event by its sequence number: for links from elsewhere into the timeline. */
  showSeq(seq: number): void {
    const index = this.replay.ticks.indexOfSeq(seq);
    if (index >= 0) this.replay.seek(index);
  }

  /** The decisions that were made since they were asked for, with their reasons: they are many, and seldom looked at. */
  async moreRoutes(): Promise<void> {
    const { collapsed, room } = this;
    const known = this.#routesOf === collapsed ? this.#routes : [];
    const from = known.at(-1)?.number ?? 0;
    if (this.#asking || (this.#routesOf === collapsed && from >= (this.view?.numbers ?? 0))) return;
    this.#asking = true;
    try {
      const { routes } = await api.routes({ run_id: this.id, collapsed: [...collapsed], room, from });
      this.#routesOf = collapsed;
      this.#routes = [...known, ...routes];
    } catch (thrown) {
      toasts.error(asApiError(thrown));
    } finally {
      this.#asking = false;
    }
  }

  async #view(): Promise<Shown> {
    const { at } = this.replay;
    const { collapsed, room } = this;
    const picture = await this.#drawn({ collapsed, room });
    const kept = at === null ? undefined : this.#kept.get(at);
    if (kept) {
      picture.back(kept);
      return kept;
    }
    const { known: since } = picture;
    const shown = picture.take(
      await api.overlay({
        run_id: this.id,
        collapsed: [...collapsed],
        room,
        ...(at === null ? {} : { at }),
        ...(since === null ? {} : { since }),
      }),
    );
    if (at === null) this.over = shown.ended_at !== null;
    // Looked at otherwise by now: what is kept must not bring the old picture back.
    else if (shown.at < shown.last && collapsed === this.collapsed && room === this.room) this.#kept.put(at, shown);
    return shown;
  }

  async #drawn(look: Look): Promise<Picture> {
    const held = this.#picture;
    if (held && held.look.collapsed === look.collapsed && held.look.room === look.room) return held.picture;
    const { collapsed, room } = look;
    const picture = new Picture(await api.drawing({ run_id: this.id, collapsed: [...collapsed], room }));
    this.#picture = { look, picture };
    return picture;
  }

  /** A view of the past does not tell how the run stands now. */
  async #isOver(): Promise<void> {
    try {
      this.over = (await api.overlay({ run_id: this.id })).head.ended_at !== null;
    } catch {
      // What went wrong is told by the view itself, which asks for the same run.
    }
  }

  async #step(): Promise<StepDetail | null> {
    const { step } = this;
    const rounds = this.rounds?.step === step ? this.rounds : null;
    const path = this.path ?? rounds?.path ?? [];
    const { at } = this.replay;
    if (step === null) return null;
    const before = performance.now();
    try {
      return await api.step({
        run_id: this.id,
        step,
        ...(at === null ? {} : { at }),
        ...(path.length > 0 ? { path: [...path] } : {}),
        ...(rounds ? { until: rounds.until } : {}),
      });
    } finally {
      this.#detailTook = performance.now() - before;
    }
  }

  /** What is known of the timeline, with what came since, piece by piece. Where one fails those before it stay, and the next try goes on. */
  async #grown(): Promise<Course> {
    for (;;) {
      const known = this.#course;
      const told = await api.timeline({ run_id: this.id, ...(known ? { after: known.at } : {}) });
      this.#course = together(known, told);
      if (this.#course && this.#course.at >= this.#course.last) return this.#course;
    }
  }

  async #timeline(): Promise<void> {
    // A checkpoint is an event of the timeline.
    await Promise.all([this.timeline.refresh(), this.checkpoints.refresh()]);
    if (this.timeline.value) this.replay.timeline = this.timeline.value;
  }
}

/** The step that an event of the past is about, else the one that those before it were about last. Null: none was. */
export function stepAt({ lanes, ticks }: Pick<Course, 'lanes' | 'ticks'>, index: number): string | null {
  for (let at = index; at >= 0; at--) {
    const place = ticks.lane[at];
    if (place === undefined || place === NO_LANE) continue;
    const step = lanes.find((lane) => lane.place === place)?.step;
    if (step) return step.id;
  }
  return null;
}
