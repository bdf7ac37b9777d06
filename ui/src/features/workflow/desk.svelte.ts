import {
  api,
  asApiError,
  type ApiError,
  type CompareView,
  type Gesture,
  type EditOutcome,
  type DocumentView,
  type GatesBeforeView,
  type Keep,
  type KeepOf,
  type PreviewView,
  type ProblemView,
  type StepView,
  type TestsView,
  type WorkflowView,
} from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { newError } from '$lib/around/found';
import { followed } from '$lib/follow';
import { bringBack } from '$lib/removed';
import { keepRoom, sameRoom, usualRoom, type Room } from '$lib/room';
import { Said } from '$lib/said.svelte';
import { announce } from '$lib/ui/announce.svelte';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import { toasts } from '$lib/ui/toasts.svelte';
import { unsaved, type Typed } from '$lib/unsaved.svelte';
import { words as w } from './words';

/** So long nothing is typed before what was typed is looked at. */
const LOOK_MS = 250;

/** What can be drawn of a workflow, and what is wrong with it. */
type Picture = Pick<WorkflowView, 'drawing' | 'faces' | 'problems'>;
/** How sending an edit ended; neither: a person is asked first, or another edit is on its way. */
type Sent = { done: boolean; error: ApiError | null };
const WAITS: Sent = { done: false, error: null };

/** Why a text cannot be read as a workflow: a picture would say less than that. */
export function breaksOff({ problems }: Picture): ProblemView | null {
  return problems.find((one) => one.breaks_off) ?? null;
}

/** What is to hold where two have changed the same: for each part of it what was chosen. */
type Answer = { keep?: KeepOf };
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
  /** Which gates stand before the chosen step. */
  readonly gates: Snapshot<{ of: string; view: GatesBeforeView } | null>;
  /** The version that was shown when the edit was sent that is on its way; null: none is. */
  #sentOn = $state<string | null>(null);
  readonly busy = $derived(this.#sentOn !== null);
  /** Ends with the edit that is on its way. */
  #sending: Promise<void> | null = null;
  /** The page is left: nobody can be asked here any more. */
  left = false;
  readonly #said = new Said();
  /** An edit that met another program's change of the same lines: nothing is written until the person chose. */
  conflict = $state.raw<{
    found: Conflict;
    again: (answer: Answer) => Promise<boolean>;
    /** What the edit is, in words. */
    what: string;
    /** It was typed in the source, and stays there until it is saved. */
    typing: boolean;
  } | null>(null);
  /** What has changed in the file since, by step; null: it is not known. */
  readonly theirs: Snapshot<CompareView | null>;
  refused = $state.raw<ApiError | null>(null);
  /** What is being typed in the source, on which version of it; null: nothing is. */
  readonly typed = $derived.by((): Typed | null => unsaved.get(this.path) ?? null);
  /** The file has changed since somebody began to type, by another program or by a change made here: it is not in what they type in. */
  readonly behind = $derived.by(() => {
    // While an edit is on its way its own version may be told of before its answer has come.
    const now = this.#sentOn ?? this.view.value?.revision;
    return this.typed !== null && now !== undefined && now !== this.typed.revision;
  });
  /** What that would make of the workflow. */
  preview = $state.raw<PreviewView | null>(null);
  /** The typed text that it was made of. */
  #looked: string | null = null;
  /** The last text, saved or typed, that could be read as a workflow: what stands beside one that cannot. */
  #readable = $state.raw<Picture | null>(null);
  /** The steps of the last version that could be read. */
  #steps: readonly StepView[] | null = null;
  readonly chosen = $derived.by((): StepView | null => {
    const steps = this.view.value?.steps ?? [];
    return steps.find((one) => one.step.id === this.step) ?? null;
  });

  /** What is drawn beside the source. */
  readonly picture = $derived.by((): Picture | null => {
    const now: Picture | null = this.preview ?? this.view.value;
    return now && breaksOff(now) ? (this.#readable ?? now) : now;
  });
  /** Why the text as it stands, typed or saved, cannot be read as a workflow. */
  readonly broken = $derived.by((): ProblemView | null => {
    const now: Picture | null = this.typed ? this.preview : this.view.value;
    return now && breaksOff(now);
  });

  /** Versions of the file that this window wrote, one after the other, since it met one of another program; and that one. */
  #ours = $state.raw<readonly string[]>([]);
  /** The version of another program that somebody was told of. */
  #noticed: string | null = null;
  /** What was said over everything of an edit, and holds until the next one. */
  #standing: number[] = [];
  #looking: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string) {
    this.path = path;
    this.prose = new Snapshot(() => api.workflowDocument(path));
    this.tests = new Snapshot(() => api.tests(path));
    this.theirs = new Snapshot(async () => {
      const base = this.conflict?.found.base;
      return base === undefined ? null : await api.compareVersions({ path, left: base }).catch(() => null);
    });
    this.gates = new Snapshot(async () => {
      const { step } = this;
      return step === null ? null : { of: step, view: await api.gatesBefore({ path, step }) };
    });
    this.view = new Snapshot(
      () => api.workflow({ path, collapsed: [...this.collapsed], room: this.room }),
      (now, before) => this.#met(now, before),
    );
    this.#ours = this.typed?.ours ?? [];
    if (this.typed) this.#looking = setTimeout(() => void this.#look());
  }

  /** What was written last, in words, for a moment. */
  get said(): string | null {
    return this.#said.text;
  }

  /** Another version of the file: whoever works on a step goes on with the same one. */
  #met(now: WorkflowView, before: WorkflowView | null): void {
    // A text that breaks off has no steps to follow: they are those of the last one that could be read.
    const steps = this.#steps ?? before?.steps;
    if (steps && before && before.revision !== now.revision && !breaksOff(now)) {
      const same = (id: string) => followed(steps, now.steps, id)?.step.id ?? null;
      if (this.step !== null) this.step = same(this.step);
      const folded = this.collapsed.map(same).filter((id) => id !== null);
      if (folded.join('\n') !== this.collapsed.join('\n')) this.collapsed = folded;
    }
    if (!breaksOff(now)) {
      this.#readable = now;
      this.#steps = now.steps;
    }
    // While an edit is on its way its own version may be told of before its answer has come.
    if (!this.busy && !this.#ours.includes(now.revision)) this.#ours = [now.revision];
  }

  /** Whether what became of one version of the file until another was written here. */
  #isOurs(version: string, later: string): boolean {
    return version === later || [version, later].every((one) => this.#ours.includes(one));
  }

  /** The file may have changed: reads it again, and says so when another program did it. */
  async changedOnDisk(): Promise<void> {
    const before = this.view.value?.revision;
    // What is being written here is told as a change too, and may be told after it has been written.
    const own = this.busy;
    await this.view.refresh();
    const now = this.view.value?.revision ?? null;
    if (!before || own || this.busy || now === before) return;
    this.#noticed = now;
    // Whoever is typing has it before their eyes for as long as it holds, with what saving will do.
    if (this.typed) announce(m.workflow.unsaved.behind);
    else toasts.info(m.workflow.changedOnDisk);
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
  async make(edits: Gesture[], what: string, revision = this.view.value?.revision): Promise<boolean> {
    return this.#told(await this.#edit(edits, what, revision));
  }

  /**
   * The same from a field of a form, on the version of the file that the form is of: what is wrong with what was filled in is for the
   * field to say. Null: nothing is. It waits for an edit that is on its way: nobody has to fill it in again for that.
   */
  async fill(edits: Gesture[], what: string, revision = this.view.value?.revision): Promise<string | null> {
    while (this.#sending) await this.#sending;
    const sent = await this.#edit(edits, what, revision);
    return sent.error && [sent.error.message, sent.error.hint].filter(Boolean).join(' ');
  }

  /**
   * What would be wrong if a field were filled in like that: why it is refused, or the error of the chosen step that is there then and
   * not now. Nothing is written. Null: nothing would be, or it is not known.
   *
   * `own`: what is wrong with the field as it is written, which goes with it.
   */
  async judge(edits: Gesture[], revision?: string, own?: string): Promise<string | null> {
    const now = this.view.value;
    if (!now || edits.length === 0) return null;
    const { step } = this;
    const of = { path: this.path, revision: revision ?? now?.revision, edits };
    const seen = await api.preview(of).catch(() => null);
    if (!seen) return null;
    if (seen.refused) return seen.refused.message;
    const errors = (problems: readonly ProblemView[]) =>
      problems.filter((one) => one.severity === 'error' && (one.step?.id ?? null) === step);
    return newError(
      errors(now.problems).filter(({ message }) => message !== own),
      errors(seen.problems),
    );
  }

  async #edit(edits: Gesture[], what: string, revision: string | undefined, answer: Answer = {}): Promise<Sent> {
    if (!revision) return WAITS;
    return this.#send(
      revision,
      (look) => api.editWorkflow({ path: this.path, revision, edits, label: what, ...answer, ...look }),
      // Places are counted in the version that it was made on, whatever the file has become.
      {
        what: say(m.workflow.conflict.what, { what }),
        again: async (kept) => this.#told(await this.#edit(edits, what, revision, kept)),
      },
      say(m.workflow.saved, { what }),
      Boolean(answer.keep),
    );
  }

  /** The source is being typed in: what it would be is looked at, nothing is written. */
  type(text: string): void {
    const view = this.view.value;
    if (!view) return;
    if (text === view.source) return this.forget();
    unsaved.set(this.path, { revision: view.revision, ...this.typed, text });
    clearTimeout(this.#looking);
    this.#looking = setTimeout(() => void this.#look(), LOOK_MS);
  }

  async #look(): Promise<void> {
    const { typed } = this;
    if (!typed) return;
    const of = { path: this.path, revision: typed.revision, text: typed.text, collapsed: [...this.collapsed] };
    const seen = await api.preview({ ...of, room: this.room }).catch(() => null);
    if (!seen || this.typed?.text !== typed.text) return;
    this.preview = seen;
    this.#looked = typed.text;
    if (!breaksOff(seen)) this.#readable = seen;
  }

  /** Makes the fix of a problem where the problem stands: in what is being typed, or in the file. */
  async mend(edit: Gesture, what: string): Promise<boolean> {
    const { typed } = this;
    if (!typed) return this.make([edit], what);
    // Whoever typed on since has other problems, which are told in a moment.
    if (this.#looked !== typed.text) return false;
    const of = { path: this.path, revision: typed.revision, text: typed.text, edits: [edit] };
    try {
      const seen = await api.preview(of);
      if (this.typed?.text !== typed.text) return false;
      if (seen.refused) toasts.info(seen.refused.message);
      else this.type(seen.source);
      return seen.refused === null;
    } catch (thrown) {
      return this.#told({ done: false, error: asApiError(thrown) });
    }
  }

  /** Writes what was typed. */
  async write(answer: Answer = {}): Promise<boolean> {
    const { typed } = this;
    if (!typed) return false;
    const { text, revision } = typed;
    const sent = await this.#send(
      revision,
      (look) =>
        api.writeWorkflow({ path: this.path, text, revision, label: m.workflow.sourceChange, ...answer, ...look }),
      { what: m.workflow.conflict.typed, again: (kept) => this.write(kept), typing: true },
      say(m.workflow.saved, { what: m.workflow.sourceChange }),
      Boolean(answer.keep),
    );
    if (sent.done && this.typed?.text === text) this.forget();
    // Whoever typed on meanwhile types on in what was written, unless more than that came to stand in the file.
    const view = this.view.value;
    if (sent.done && this.typed && view?.source === text)
      unsaved.set(this.path, { ...this.typed, revision: view.revision });
    return this.#told(sent);
  }

  /** What was typed and not written goes. */
  forget(): void {
    clearTimeout(this.#looking);
    unsaved.delete(this.path);
    this.preview = null;
  }

  undo(): Promise<boolean> {
    const { undo: what, undo_entry: entry } = this.view.value ?? {};
    if (!what) return this.#nothing(m.workflow.nothingToUndo);
    const words = { what: say(m.workflow.undoWhat, { what }), done: say(m.workflow.undone, { what }) };
    return this.#stepped(api.undo, words, entry);
  }

  redo(): Promise<boolean> {
    const { redo: what, redo_entry: entry } = this.view.value ?? {};
    if (!what) return this.#nothing(m.workflow.nothingToRedo);
    const words = { what: say(m.workflow.redoWhat, { what }), done: say(m.workflow.redone, { what }) };
    return this.#stepped(api.redo, words, entry);
  }

  async #stepped(
    step: typeof api.undo,
    words: { what: string; done: string },
    /** Which change it is about, also when a conflict is answered. */
    entry: string | undefined,
    answer: Answer = {},
    revision = this.view.value?.revision,
  ): Promise<boolean> {
    if (!revision) return false;
    return this.#told(
      await this.#send(
        revision,
        (look) => step({ path: this.path, ...(entry && { entry }), ...answer, ...look }),
        { what: words.what, again: (kept) => this.#stepped(step, words, entry, kept, revision) },
        words.done,
        Boolean(answer.keep),
      ),
    );
  }

  /** Makes the file what it said in an earlier version, where it still says what it said in `revision`: a change like any other, and the way back from it is offered at once. */
  async goBack(version: string, revision: string, done: string): Promise<boolean> {
    const of = { path: this.path, revision, version };
    const sent = await this.#send(revision, (look) => api.restoreVersion({ ...of, ...look }), null, null);
    if (sent.done) this.#offerUndo(done);
    else if (sent.error) await this.view.refresh();
    return this.#told(sent);
  }

  /** Whoever comes too late is told: it would take back something else. */
  #offerUndo(text: string): void {
    const written = this.view.value;
    const undo = async () => {
      await this.view.refresh();
      const now = this.view.value;
      const isLast = now?.revision === written?.revision && now?.undo_entry === written?.undo_entry;
      if (isLast) await this.undo();
      else toasts.info(w.changedSince);
    };
    const action = { label: m.common.undo, run: () => void undo() };
    this.#standing.push(toasts.show({ severity: 'success', text, action }));
  }

  /** The file was deleted here: takes that back. */
  async restore(entry: string): Promise<void> {
    await bringBack(this.path, entry);
    await this.view.refresh();
  }

  /** The person chose for each part of the conflict whose change holds. */
  async keep(parts: Keep[]): Promise<void> {
    const conflict = this.conflict;
    this.conflict = null;
    if (!conflict) return;
    const { view, change } = conflict.found;
    await conflict.again({ keep: { revision: view.revision, change, parts } });
  }

  /** Nothing is decided and nothing written: what was typed is typed on, and any other change is not made. */
  leave(): void {
    if (!this.conflict) return;
    announce(this.conflict.typing ? m.workflow.conflict.leftTyping : m.workflow.conflict.left);
    this.conflict = null;
  }

  /** Which step stands on a line of the source. */
  async chooseLine(line: number): Promise<void> {
    const place = await api.placeAt(this.path, line).catch(() => null);
    const step = this.view.value?.steps.find((one) => one.ordinal === place?.step);
    if (step) this.step = step.step.id;
  }

  /** Says over everything, or beside the title, what stood in the way. */
  #told({ done, error }: Sent): boolean {
    if (error?.presentation === 'inline') this.refused = error;
    else if (error) this.#standing.push(toasts.error(error));
    return done;
  }

  async #send(
    revision: string,
    send: (look: { collapsed: string[]; room: Room }) => Promise<EditOutcome>,
    /** What it is, in words, and how it is sent again with an answer; null: it meets nothing. */
    met: { what: string; again: (answer: Answer) => Promise<boolean>; typing?: boolean } | null,
    done: string | null,
    decided = false,
  ): Promise<Sent> {
    if (this.busy) return WAITS;
    const known = this.view.value?.revision ?? revision;
    let ended = () => {};
    this.#sending = new Promise((done) => (ended = done));
    this.#sentOn = known;
    this.refused = null;
    this.#said.clear();
    try {
      const { collapsed, room } = this;
      const outcome = await send({ collapsed: [...collapsed], room });
      // Another program may have written since, which the window has been told, or is about to be.
      if (!this.view.loading && this.view.value?.revision === known) this.view.put(outcome.view);
      else await this.view.refresh();
      // What came back is drawn as it was looked at when it was sent: with other folds, or the same under other ids, it is drawn anew.
      if (collapsed !== this.collapsed || room !== this.room) await this.view.refresh();
      if (outcome.outcome === 'conflict') {
        // Nobody would see the question on a page that was left; what was typed is kept, and asked about when it is saved again.
        if (this.left) toasts.info(outcome.message);
        else if (met) this.conflict = { typing: false, ...met, found: outcome };
        // Of an earlier conflict nothing is shown beside this one.
        this.theirs.put(null);
        void this.theirs.refresh();
        return WAITS;
      }
      // What is merged with may all have been written here: text typed on a version, and fields filled in meanwhile.
      const own = revision !== known && this.#isOurs(revision, known);
      const theirs = outcome.merged && !own;
      // Who chose between the two knows what is in it, and who was told of the other version does.
      if (theirs && !decided && this.#noticed !== known) toasts.info(m.workflow.merged);
      outcome.left?.forEach((said) => toasts.info(said));
      this.#ours = [...(theirs ? [] : this.#ours), outcome.view.revision];
      // Whoever leaves what they typed and comes back is not told of their own edits as of another program's.
      if (this.typed) unsaved.set(this.path, { ...this.typed, ours: this.#ours });
      for (const toast of this.#standing.splice(0)) toasts.dismiss(toast);
      if (done) this.#said.say(outcome.unchanged ? m.workflow.unchanged : done);
      return { done: true, error: null };
    } catch (thrown) {
      return { done: false, error: asApiError(thrown) };
    } finally {
      this.#sentOn = null;
      this.#sending = null;
      ended();
    }
  }

  async #nothing(text: string): Promise<boolean> {
    announce(text);
    return false;
  }
}
