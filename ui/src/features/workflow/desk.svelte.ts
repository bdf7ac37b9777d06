import {
  api,
  asApiError,
  type ApiError,
  type Gesture,
  type EditOutcome,
  type DocumentView,
  type PreviewView,
  type StepView,
  type TestsView,
  type WorkflowView,
} from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { keepRoom, sameRoom, usualRoom, type Room } from '$lib/room';
import { announce } from '$lib/ui/announce.svelte';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import { toasts } from '$lib/ui/toasts.svelte';

/** So long an edit is said to be saved. */
const SAID_MS = 5_000;
/** So long nothing is typed before what was typed is looked at. */
const LOOK_MS = 250;

type Conflict = Extract<EditOutcome, { outcome: 'conflict' }>;

/** One workflow, open: what is shown, which step is chosen, and the edits sent on their way. It computes no text itself. */
export class WorkflowDesk {
  readonly path: string;
  readonly view: Snapshot<WorkflowView>;
  /** Id of the chosen step. */
  step = $state<string | null>(null);
  /** Containers that are shown as one box. */
  collapsed = $state.raw<readonly string[]>([]);
  /** What the picture has to fit into. */
  room: Room = usualRoom('workflow');
  /** Its own text and its tests are asked for when somebody looks at them. */
  readonly prose: Snapshot<DocumentView>;
  readonly tests: Snapshot<TestsView>;
  busy = $state(false);
  /** What was written last, in words, for a moment. */
  said = $state<string | null>(null);
  /** An edit that met another program's change of the same lines: nothing is written until the person chose. */
  conflict = $state.raw<{ found: Conflict; again: (() => Promise<boolean>) | null } | null>(null);
  refused = $state.raw<ApiError | null>(null);
  /** What is being typed in the source, on which version of it; null: nothing is. */
  typed = $state.raw<{ text: string; revision: string } | null>(null);
  /** What that would make of the workflow. */
  preview = $state.raw<PreviewView | null>(null);
  readonly chosen = $derived.by((): StepView | null => {
    const steps = this.view.value?.steps ?? [];
    return steps.find((one) => one.step.id === this.step) ?? null;
  });

  #saying: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string) {
    this.path = path;
    this.prose = new Snapshot(() => api.workflowDocument(path));
    this.tests = new Snapshot(() => api.tests(path));
    this.view = new Snapshot(() => api.workflow({ path, collapsed: [...this.collapsed], room: this.room }));
  }

  /** The file may have changed: reads it again, and says so when another program did it. */
  async changedOnDisk(): Promise<void> {
    const before = this.view.value?.revision;
    // What is being written here is told as a change too, and may be told after it has been written.
    const own = this.busy;
    await this.view.refresh();
    if (before && !own && !this.busy && this.view.value?.revision !== before) toasts.info(m.workflow.changedOnDisk);
  }

  /** Shows a container as one box, or opens it again. */
  async fold(step: string): Promise<void> {
    const open = this.collapsed.filter((one) => one !== step);
    this.collapsed = open.length < this.collapsed.length ? open : [...open, step];
    await this.view.refresh();
  }

  /** The picture has another room: it may be broken into other rows. */
  fit(room: Room): void {
    if (sameRoom(room, this.room)) return;
    this.room = room;
    keepRoom('workflow', room);
    void this.view.refresh();
  }

  /** Makes gestures, all of them or none: one step of undo. True when they are written. */
  async make(edits: Gesture[], what: string, keepMine = false): Promise<boolean> {
    const revision = this.view.value?.revision;
    if (!revision) return false;
    return this.#send(
      () => api.editWorkflow({ path: this.path, revision, edits, label: what, keep_mine: keepMine }),
      () => this.make(edits, what, true),
      say(m.workflow.saved, { what }),
    );
  }

  /** The source is being typed in: what it would be is looked at, nothing is written. */
  type(text: string): void {
    const view = this.view.value;
    if (!view) return;
    const revision = this.typed?.revision ?? view.revision;
    this.typed = text === view.source ? null : { text, revision };
    clearTimeout(this.#looking);
    if (!this.typed) this.preview = null;
    else this.#looking = setTimeout(() => void this.#look(), LOOK_MS);
  }

  async #look(): Promise<void> {
    const { typed } = this;
    if (!typed) return;
    const of = { path: this.path, revision: typed.revision, text: typed.text, collapsed: [...this.collapsed] };
    const seen = await api.preview({ ...of, room: this.room }).catch(() => null);
    if (seen && this.typed?.text === typed.text) this.preview = seen;
  }

  /** Writes what was typed. */
  async write(keepMine = false): Promise<boolean> {
    const { typed } = this;
    if (!typed) return false;
    const done = await this.#send(
      () => api.writeWorkflow({ path: this.path, ...typed, label: m.workflow.sourceChange, keep_mine: keepMine }),
      () => this.write(true),
      say(m.workflow.saved, { what: m.workflow.sourceChange }),
    );
    if (done && this.typed?.text === typed.text) this.forget();
    return done;
  }

  /** What was typed and not written goes. */
  forget(): void {
    clearTimeout(this.#looking);
    this.typed = null;
    this.preview = null;
  }

  undo(): Promise<boolean> {
    const what = this.view.value?.undo;
    if (!what) return this.#nothing(m.workflow.nothingToUndo);
    return this.#send(() => api.undo(this.path), null, say(m.workflow.undone, { what }));
  }

  redo(): Promise<boolean> {
    const what = this.view.value?.redo;
    if (!what) return this.#nothing(m.workflow.nothingToRedo);
    return this.#send(() => api.redo(this.path), null, say(m.workflow.redone, { what }));
  }

  /** The person keeps the own change: it is written over the other one, on the version that is on disk now. */
  async keepMine(): Promise<void> {
    const conflict = this.conflict;
    this.conflict = null;
    if (conflict?.again) await conflict.again();
  }

  keepTheirs(): void {
    if (!this.conflict) return;
    this.conflict = null;
    this.forget();
    announce(m.workflow.conflict.keptTheirs);
  }

  /** Which step stands on a line of the source. */
  async chooseLine(line: number): Promise<void> {
    const place = await api.placeAt(this.path, line).catch(() => null);
    const step = this.view.value?.steps.find((one) => one.ordinal === place?.step);
    if (step) this.step = step.step.id;
  }

  async #send(
    send: () => Promise<EditOutcome>,
    again: (() => Promise<boolean>) | null,
    done: string,
  ): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.refused = null;
    try {
      const outcome = await send();
      // What came back is drawn with everything open, in one row.
      await this.view.refresh();
      if (outcome.outcome === 'conflict') {
        this.conflict = { found: outcome, again };
        return false;
      }
      if (outcome.merged) toasts.info(m.workflow.merged);
      this.#say(done);
      return true;
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.presentation === 'inline') this.refused = error;
      else toasts.error(error);
      return false;
    } finally {
      this.busy = false;
    }
  }

  /** Ears are told at once; eyes find it beside undo for a while. */
  #say(done: string): void {
    announce(done);
    this.said = done;
    clearTimeout(this.#saying);
    this.#saying = setTimeout(() => (this.said = null), SAID_MS);
  }

  async #nothing(text: string): Promise<boolean> {
    announce(text);
    return false;
  }
}
