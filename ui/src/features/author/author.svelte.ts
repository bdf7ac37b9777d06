import {
  api,
  asApiError,
  type ApiError,
  type FormView,
  type Gesture,
  type PaletteView,
  type Spot,
  type StepView,
  type WorkflowView,
} from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { added } from '$lib/follow';
import { say } from '$lib/ui/say';
import { words } from './words';

/** Where gestures are sent: the workflow that is open. */
export interface Target {
  readonly path: string;
  readonly view: { readonly value: WorkflowView | null };
  step: string | null;
  make(gestures: Gesture[], what: string): Promise<boolean>;
}

/** What somebody is asked before gestures that do more than they say. */
export interface Asking {
  gestures: Gesture[];
  what: string;
  /** What else follows; empty where they are refused. */
  entails: readonly string[];
  refused: string | null;
  then?: () => void;
}

/**
 * Turns what a person does to a workflow into gestures and sends them. It knows no format and no text: what is offered, and what a
 * gesture entails, the backend says.
 */
export class Author {
  readonly #target: Target;
  readonly palette: Snapshot<PaletteView>;
  /** The form of the step that was chosen when it was asked for. */
  readonly form: Snapshot<FormView & { of: string | null }>;
  /** A step is being added: where. */
  adding = $state.raw<{ at: Spot; where: string } | null>(null);
  asking = $state.raw<Asking | null>(null);
  failed = $state.raw<ApiError | null>(null);

  constructor(target: Target) {
    this.#target = target;
    this.palette = new Snapshot(() => api.palette(target.path));
    this.form = new Snapshot(async () => {
      const step = this.#chosen();
      const view = await api.form({ path: target.path, step: step?.ordinal });
      return { ...view, of: step?.step.id ?? null };
    });
  }

  get gestures() {
    return this.palette.value?.gestures ?? null;
  }

  /** Whether there is anything that a chosen step's bar can offer. */
  get acts(): boolean {
    const may = this.gestures;
    return may !== null && (may.steps || may.gates || may.order);
  }

  get #steps(): readonly StepView[] {
    return this.#target.view.value?.steps ?? [];
  }

  #chosen(): StepView | undefined {
    return this.#step(this.#target.step);
  }

  #step(id: string | null): StepView | undefined {
    return this.#steps.find((one) => one.step.id === id);
  }

  #choose(step: StepView | null | undefined): void {
    this.#target.step = step?.step.id ?? null;
  }

  /** The place behind which something comes to stand that is added at `at`. */
  #behind(at: Spot): number {
    const id = at.where === 'between' ? at.from : 'step' in at ? at.step : null;
    return this.#step(id)?.ordinal ?? this.#steps.length - 1;
  }

  #name(id: string): string {
    return this.#step(id)?.step.name ?? id;
  }

  /** Asks what the new step is; it goes behind the chosen one, or to the end. */
  addBehind(id: string | null = this.#target.step): void {
    this.adding = id
      ? { at: { where: 'after', step: id }, where: say(words.add.after, { name: this.#name(id) }) }
      : { at: { where: 'end' }, where: words.add.end };
  }

  addInside(id: string): void {
    this.adding = { at: { where: 'inside', step: id }, where: say(words.add.inside, { name: this.#name(id) }) };
  }

  addBetween(from: string, to: string, label?: string): void {
    const where = say(words.add.between, { from: this.#name(from), to: this.#name(to) });
    this.adding = { at: { where: 'between', from, to, label }, where };
  }

  /** Adds the step that was described and chooses it. */
  async add(kind: string, name: string): Promise<boolean> {
    const { adding } = this;
    if (!adding) return false;
    const before = this.#steps;
    const behind = this.#behind(adding.at);
    const gesture: Gesture = { kind: 'add', step: { kind, name: name.trim() || undefined }, at: adding.at };
    this.adding = null;
    return this.propose([gesture], say(words.said.insert, { name: name.trim() || words.add.said }), () =>
      this.#choose(added(before, this.#steps, behind)),
    );
  }

  remove(id: string): Promise<boolean> {
    const step = this.#step(id);
    if (!step) return Promise.resolve(false);
    return this.propose(
      [{ kind: 'remove', place: { step: step.ordinal, path: [] } }],
      say(words.said.remove, { name: step.step.name }),
      // What stood behind it stands in its place now.
      () => this.#choose(this.#steps[step.ordinal] ?? this.#steps[step.ordinal - 1]),
    );
  }

  duplicate(id: string): Promise<boolean> {
    return this.propose([{ kind: 'duplicate', step: id }], say(words.said.duplicate, { name: this.#name(id) }));
  }

  /** Puts a step earlier (-1) or later (1) among those of its level. */
  move(id: string, by: -1 | 1): Promise<boolean> {
    const step = this.#step(id);
    const level = this.#level(step?.parent?.id);
    const at = level.findIndex((one) => one.step.id === id);
    const to = level[at + by];
    if (!step || !to) return Promise.resolve(false);
    return this.propose(
      [{ kind: 'move', place: { step: step.ordinal, path: [] }, to: at + by }],
      say(words.said.move, { name: step.step.name }),
      () => this.#choose(this.#level(step.parent?.id)[at + by]),
    );
  }

  #level(parent: string | undefined): StepView[] {
    return this.#steps.filter((one) => one.parent?.id === parent);
  }

  rename(id: string, name: string): Promise<boolean> {
    const field = this.form.value?.form?.fields.find((one) => one.name === 'name' || one.name === 'title');
    const text = name.trim();
    if (!field || text === '' || this.#target.step !== id) return Promise.resolve(false);
    return this.propose(
      [{ kind: 'set', place: field.place, value: text }],
      say(words.said.rename, { name: this.#name(id) }),
    );
  }

  /** Puts a gate in, or takes it out. */
  gate(id: string): Promise<boolean> {
    const gated = this.#step(id)?.gate !== undefined && this.#step(id)?.gate !== null;
    return this.propose(
      [gated ? { kind: 'gate', step: id } : { kind: 'gate', step: id, gate: {} }],
      say(gated ? words.said.ungate : words.said.gate, { name: this.#name(id) }),
    );
  }

  connect(from: string, to: string): Promise<boolean> {
    const what = say(words.said.connect, { from: this.#name(from), to: this.#name(to) });
    return this.propose([{ kind: 'connect', from, to }], what);
  }

  disconnect(from: string, to: string, label?: string): Promise<boolean> {
    const what = say(words.said.disconnect, { from: this.#name(from), to: this.#name(to) });
    return this.propose([{ kind: 'disconnect', from, to, label }], what);
  }

  /** Makes gestures at once where they do what they say, and asks where more follows. */
  async propose(gestures: Gesture[], what: string, then?: () => void): Promise<boolean> {
    const view = this.#target.view.value;
    if (!view) return false;
    this.failed = null;
    try {
      const seen = await api.preview({ path: this.#target.path, revision: view.revision, edits: gestures });
      if (seen.refused || seen.entails.length > 0) {
        this.asking = { gestures, what, entails: seen.entails, refused: seen.refused?.message ?? null, then };
        return false;
      }
    } catch (thrown) {
      this.failed = asApiError(thrown);
      return false;
    }
    return this.#make(gestures, what, then);
  }

  /** What was asked about is done. */
  async agree(): Promise<boolean> {
    const { asking } = this;
    this.asking = null;
    return asking && !asking.refused ? this.#make(asking.gestures, asking.what, asking.then) : false;
  }

  async #make(gestures: Gesture[], what: string, then?: () => void): Promise<boolean> {
    const made = await this.#target.make(gestures, what);
    if (made) then?.();
    return made;
  }
}
