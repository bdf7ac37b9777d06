import {
  api,
  asApiError,
  type ApiError,
  type FormField,
  type FormView,
  type Gesture,
  type PaletteView,
  type PreviewView,
  type Spot,
  type StepView,
  type WorkflowView,
} from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { added, allAdded, followed } from '$lib/follow';
import { announce } from '$lib/ui/announce.svelte';
import { say } from '$lib/ui/say';
import { toasts } from '$lib/ui/toasts.svelte';
import { Chosen } from './chosen.svelte';
import { keep, take } from './clipboard';
import { shifted } from './outline';
import { words } from './words';

/** The gesture of a line with the value that its way asks for; null: it asks for none. */
function withValue(gesture: Gesture, value: string): Gesture | null {
  if (!('way' in gesture)) return null;
  const { way } = gesture;
  if (way?.as === 'value') return { ...gesture, way: { ...way, value } };
  if (way?.as === 'back') return { ...gesture, way: { ...way, until: value } };
  return null;
}

/** Where gestures are sent: the workflow that is open. */
export interface Target {
  readonly path: string;
  readonly view: { readonly value: WorkflowView | null };
  step: string | null;
  /** The page is left: nobody can be asked there any more. */
  readonly left: boolean;
  /** Makes gestures on the version of the file that they were thought of for; another program's changes since are merged. */
  make(gestures: Gesture[], what: string, revision: string): Promise<boolean>;
  /** The same from a field: what is wrong with what was filled in, for the field to say; null: nothing is. */
  fill(gestures: Gesture[], what: string, revision?: string): Promise<string | null>;
}

/** What somebody is asked before gestures that do more than they say. */
export interface Asking {
  gestures: Gesture[];
  what: string;
  /** The version of the file that they were looked at for: places are counted in it. */
  revision: string;
  /** What else follows; empty where they are refused. */
  entails: readonly string[];
  refused: string | null;
  then?: () => void;
  /** Told once: it is done, or somebody said no, or it could not be saved, which is said elsewhere. */
  answered?: (done: boolean) => void;
  /** Somebody said no, and is asked nothing else: goes back to the question that this one follows. */
  back?: () => void;
}

/** A step on its way in. */
export interface Adding {
  at: Spot;
  /** The same in words. */
  where: string;
  /** Its kind, where that was said already. */
  kind?: string;
  /** Why a kind cannot stand there; those that are not here can. */
  whyNot: Readonly<Record<string, string>>;
  /** What was filled in before somebody was asked about what follows from it, and said no. */
  filled?: { kind: string; name: string; fields: Readonly<Record<string, string>> };
}

/** One of the things that a line can mean, with what follows from it. */
interface DrawnLine {
  gesture: Gesture;
  label: string;
  /** What the value is called that is still to be written into it. */
  asks: string | undefined;
  /** The value that stands there already. */
  usual: string;
  entails: readonly string[];
  refused: string | null;
}

/** A line of which it is asked what it means. */
export interface Drawing {
  what: string;
  /** The version of the file that it was looked at for. */
  revision: string;
  ways: readonly DrawnLine[];
}

/** Where a gate is put in: at a step; `before`: on the way to it, so that a person is asked before its work. */
export interface GateSpot {
  step: string;
  before: boolean;
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
  /** The steps that are chosen. */
  readonly chosen: Chosen;
  adding = $state.raw<Adding | null>(null);
  #asking = $state.raw<Asking | null>(null);
  /** A line that can mean several things is on its way. */
  drawing = $state.raw<Drawing | null>(null);
  failed = $state.raw<ApiError | null>(null);
  /** What a field would do besides is being looked at: nothing else is filled in meanwhile. */
  looking = $state(false);
  /** Told after something was done here; `looped`: a loop was drawn, and its step is chosen. */
  readonly #onmade: (looped: boolean) => void;

  constructor(target: Target, onmade: (looped: boolean) => void = () => {}) {
    this.#target = target;
    this.#onmade = onmade;
    this.chosen = new Chosen(target);
    this.palette = new Snapshot(() => api.palette(target.path));
    this.form = new Snapshot(async () => {
      const step = this.#chosen();
      const view = await api.form({ path: target.path, step: step?.ordinal });
      return { ...view, of: step?.step.id ?? null };
    });
  }

  get asking(): Asking | null {
    return this.#asking;
  }

  /** Without an answer a question that goes, or another one that comes in its place, is a no. */
  set asking(next: Asking | null) {
    const before = this.#asking;
    this.#asking = next;
    if (before === next) return;
    before?.answered?.(false);
    if (next === null) before?.back?.();
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
  addBehind(id: string | null = this.#target.step): Promise<void> {
    return this.addAt(this.behind(id));
  }

  addInside(id: string): Promise<void> {
    return this.addAt({ where: 'inside', step: id });
  }

  addBetween(from: string, to: string, label?: string): Promise<void> {
    return this.addAt({ where: 'between', from, to, label });
  }

  #asked = 0;

  /** Asks what the new step is, that goes there; where none can, nobody is asked for its name before that is said. */
  async addAt(at: Spot, kind?: string): Promise<void> {
    const ask = (this.#asked += 1);
    const all = (this.palette.value?.kinds ?? []).map((one) => one.kind);
    const kinds = kind === undefined || all.includes(kind) ? all : [kind, ...all];
    // What a kind can name may have come or gone since.
    const names = this.palette.value?.kinds.some((one) => one.names) ? this.palette.refresh() : null;
    const [whys] = await Promise.all([this.#whyNoKind(at, kinds), names]);
    // Somebody has asked for something else meanwhile.
    if (ask !== this.#asked) return;
    const whyNot = Object.fromEntries(whys);
    const refused = kind === undefined ? (whys.length < kinds.length ? null : whys[0]?.[1]) : whyNot[kind];
    if (refused) this.#refuse(words.add.title, refused);
    else this.adding = { at, where: this.where(at), kind, whyNot };
  }

  /** Why no step, or none of this kind, can go there; null: one can. Nothing is changed. */
  async mayAdd(at: Spot, kind?: string): Promise<string | null> {
    const kinds = kind === undefined ? (this.palette.value?.kinds ?? []).map((one) => one.kind) : [kind];
    const whys = await this.#whyNoKind(at, kinds);
    return whys.length < kinds.length ? null : (whys[0]?.[1] ?? null);
  }

  /** Of these kinds those that cannot stand there, each with the reason. */
  async #whyNoKind(at: Spot, kinds: readonly string[]): Promise<[kind: string, why: string][]> {
    const asked = kinds.map(async (kind) => [kind, await this.#whyNot([{ kind: 'add', step: { kind }, at }])] as const);
    return (await Promise.all(asked)).flatMap(([kind, why]) => (why === null ? [] : [[kind, why]]));
  }

  /** Why gestures cannot be made, or that they would change nothing; null: they can be made. Nothing is changed. */
  async #whyNot(gestures: Gesture[]): Promise<string | null> {
    const view = this.#target.view.value;
    if (!view) return null;
    const of = { path: this.#target.path, revision: view.revision, edits: gestures };
    const seen = await api.preview(of).catch(() => null);
    if (!seen) return null;
    return seen.refused?.message ?? (seen.source === view.source ? words.consequence.already : null);
  }

  #refuse(what: string, refused: string): void {
    this.asking = { gestures: [], what, revision: '', entails: [], refused };
  }

  /** Behind a step, or at the end. */
  behind(id: string | null = this.#target.step): Spot {
    return id !== null && this.#step(id) ? { where: 'after', step: id } : { where: 'end' };
  }

  /** A place for a step, in words. */
  where(at: Spot): string {
    if (at.where === 'between') return say(words.add.between, { from: this.#name(at.from), to: this.#name(at.to) });
    if (at.where === 'after') return say(words.add.after, { name: this.#name(at.step) });
    if (at.where === 'inside') return say(words.add.inside, { name: this.#name(at.step) });
    return words.add.end;
  }

  /** A step holds no others where its format has no such steps, or where it stands inside of one itself. */
  holds(id: string): boolean {
    return this.gestures?.inside === true && !this.#step(id)?.parent;
  }

  /** Adds the step that was described and chooses it; why it cannot be, which leaves the question open, or null. */
  async add(kind: string, name: string, fields: Record<string, string> = {}): Promise<string | null> {
    const { adding } = this;
    if (!adding) return null;
    const before = this.#steps;
    const behind = this.#behind(adding.at);
    const more = Object.keys(fields).length > 0 ? { fields } : {};
    const gesture: Gesture = { kind: 'add', step: { kind, name: name.trim() || undefined, ...more }, at: adding.at };
    const what = say(words.said.insert, { name: name.trim() || words.add.said });
    const filled = { kind, name, fields };
    return this.#answer('adding', [gesture], what, {
      then: () => this.#choose(added(before, this.#steps, behind)),
      back: () => (this.adding = { ...adding, filled }),
    });
  }

  /** Takes steps out. Places are counted anew after each gesture, so the last one goes first. */
  remove(ids: readonly string[]): Promise<boolean> {
    const steps = this.chosen.outermost(ids);
    const first = steps[0];
    if (!first) return Promise.resolve(false);
    return this.propose(
      steps.toReversed().map(({ ordinal }): Gesture => ({ kind: 'remove', place: { step: ordinal, path: [] } })),
      this.#of(steps, words.said.remove, words.said.removeMany),
      // What stood behind it stands in its place now.
      () => this.#choose(this.#steps[first.ordinal] ?? this.#steps[first.ordinal - 1]),
    );
  }

  /**
   * Puts a copy behind each. Where ids are numbers those behind a copy change, so the last one is copied first. Steps of a flow that lead to
   * each other come as a second structure behind the last of them, as if they were copied and pasted there.
   */
  async duplicate(ids: readonly string[]): Promise<boolean> {
    const steps = this.chosen.outermost(ids);
    const last = steps.at(-1);
    if (!last) return false;
    if (steps.length > 1) {
      const of = { path: this.#target.path, steps: steps.map(({ step }) => step.id) };
      // What cannot be copied as text may be copied one by one: the gesture says where not.
      const found = await api.copied(of).catch(() => null);
      const what = this.#of(steps, words.said.duplicate, words.said.duplicateMany);
      if (found?.together) return this.#put(found.parts, this.behind(last.step.id), what);
    }
    const before = this.#steps.length;
    return this.propose(
      steps.toReversed().map(({ step }): Gesture => ({ kind: 'duplicate', step: step.id })),
      this.#of(steps, words.said.duplicate, words.said.duplicateMany),
      () => {
        // A copy has the name of its step, and where ids are numbers it may have its id: the place tells them apart.
        if (this.#steps.length !== before + steps.length) return;
        const same = steps.flatMap(({ ordinal }, i) => this.#steps[ordinal + i]?.step.id ?? []);
        this.chosen.choose(same);
      },
    );
  }

  /** What is done to one step by its name, to several by their number. */
  #of(steps: readonly StepView[], one: string, many: string): string {
    return steps.length === 1 ? say(one, { name: steps[0]?.step.name ?? '' }) : say(many, { n: steps.length });
  }

  /** Keeps the text of steps, to be pasted here, into another workflow, or into an editor. */
  async copy(ids: readonly string[]): Promise<boolean> {
    const steps = this.chosen.outermost(ids);
    if (steps.length === 0) return false;
    this.failed = null;
    try {
      const { path } = this.#target;
      const found = await api.copied({ path, steps: steps.map(({ step }) => step.id) });
      const everywhere = await keep({ ...found, path });
      const said = this.#of(steps, words.clip.copied, words.clip.copiedMany);
      if (everywhere) announce(said);
      else toasts.info(say(words.clip.onlyHere, { what: said }));
      return true;
    } catch (thrown) {
      this.failed = asApiError(thrown);
      return false;
    }
  }

  async cut(ids: readonly string[]): Promise<boolean> {
    return (await this.copy(ids)) && this.remove(ids);
  }

  /** Puts what was copied behind a step, or at the end. `byKeys`: the keys for it are being pressed. */
  async paste(behind: string | null, byKeys = false): Promise<boolean> {
    const found = await take(byKeys);
    const view = this.#target.view.value;
    if (!found || !view) {
      toasts.info(words.clip.nothing);
      return false;
    }
    if ('copied' in found && found.copied.format !== view.format) {
      toasts.info(say(words.clip.otherFormat, { path: found.copied.path }));
      return false;
    }
    const parts = 'copied' in found ? found.copied.parts : await this.#partsOf(found.text);
    return this.#put(parts, this.behind(behind), say(words.said.paste, { n: parts.length }));
  }

  /** Puts steps with their texts at a place, in their order, and chooses them. */
  #put(parts: readonly string[], at: Spot, what: string): Promise<boolean> {
    // Ids of what is pasted are not known before. Each goes directly behind the step, so the last one goes first.
    const inOrder = at.where === 'end' ? parts : parts.toReversed();
    const before = this.#steps;
    const place = this.#behind(at);
    return this.propose(
      inOrder.map((text): Gesture => ({ kind: 'add', step: { kind: '', text }, at })),
      what,
      () => {
        const added = allAdded(before, this.#steps, place).map(({ step }) => step);
        this.chosen.choose(added.map(({ id }) => id));
        // Where an id was taken the file has another one, and two steps have one name.
        const names = added.map(({ id, name }) => say(words.clip.pastedStep, { id, name }));
        if (names.length > 0) toasts.info(say(words.clip.pasted, { names: names.join(', ') }));
      },
    );
  }

  /** The steps that a text from elsewhere holds; where it holds none, the text itself, for the program to say why. */
  async #partsOf(text: string): Promise<readonly string[]> {
    const found = await api.parts({ path: this.#target.path, text }).catch(() => null);
    return found && found.parts.length > 0 ? found.parts : [text];
  }

  /** Puts steps one place earlier (-1) or later (1) among those of their levels: one change, in which they stay in their order. */
  move(ids: readonly string[], by: -1 | 1): Promise<boolean> {
    const steps = this.chosen.outermost(ids);
    const shift = shifted(this.#steps, steps, by);
    if (steps.length === 0 || !shift) {
      if (steps.length > 1) toasts.info(by < 0 ? words.many.isFirst : words.many.isLast);
      return Promise.resolve(false);
    }
    // Where ids are numbers they are others afterwards: the places say which steps they were.
    const places = ids.map((id) => shift.order.findIndex((one) => one.step.id === id));
    return this.propose(
      shift.moves.map(({ step, to }): Gesture => ({ kind: 'move', place: { step, path: [] }, to })),
      this.#of(steps, words.said.move, words.said.moveMany),
      () => this.chosen.choose(places.flatMap((at) => this.#steps[at]?.step.id ?? [])),
    );
  }

  /** Gives a step another place among those of its level. */
  moveTo(id: string, to: number): Promise<boolean> {
    const gesture = this.#moving(id, to);
    const step = this.#step(id);
    if (!gesture || !step) return Promise.resolve(false);
    return this.propose([gesture], say(words.said.move, { name: step.step.name }), () =>
      this.#choose(this.#level(step.parent?.id)[to]),
    );
  }

  /** Why a step cannot be put one level deeper, or out of the one around it; null: the program is asked. */
  mayShift(id: string, deeper: boolean): string | null {
    const w = words.outline.shift;
    const name = this.#name(id);
    if (this.gestures?.inside !== true) return w.flat;
    if (this.#beside(id, deeper)) return null;
    return say(deeper ? w.first : w.outermost, { name });
  }

  /** The step that would hold it: the one before it; or the one that holds it now. */
  #beside(id: string, deeper: boolean): StepView | undefined {
    const parent = this.#step(id)?.parent?.id;
    return deeper
      ? this.#level(parent)[this.position(id).at - 1]
      : parent === undefined
        ? undefined
        : this.#step(parent);
  }

  /** Puts a step at the end of the one before it, or behind the one around it. */
  shift(id: string, deeper: boolean): Promise<boolean> {
    const [step, around] = [this.#step(id), this.#beside(id, deeper)];
    if (!step || !around) return Promise.resolve(false);
    const { name } = step.step;
    const said = deeper ? words.outline.shift.in : words.outline.shift.out;
    const then = () => {
      const now = this.#steps.filter((one) => one.step.name === name);
      this.#choose(now.find((one) => (one.parent === null) !== deeper) ?? now[0]);
    };
    return this.propose([{ kind: 'level', step: id, deeper }], say(said, { name, around: around.step.name }), then);
  }

  /** Why a step cannot be put there; null: it can. Nothing is changed. */
  async mayMove(id: string, to: number): Promise<string | null> {
    const gesture = this.#moving(id, to);
    return gesture && this.#whyNot([gesture]);
  }

  #moving(id: string, to: number): Gesture | null {
    const step = this.#step(id);
    if (!step || !this.#level(step.parent?.id)[to]) return null;
    return { kind: 'move', place: { step: step.ordinal, path: [] }, to };
  }

  /** Where a step stands among those of its level. */
  position(id: string): { at: number; size: number } {
    const level = this.#level(this.#step(id)?.parent?.id);
    return { at: level.findIndex((one) => one.step.id === id), size: level.length };
  }

  #level(parent: string | undefined): StepView[] {
    return this.#steps.filter((one) => one.parent?.id === parent);
  }

  /** A field of the form, in words that say of which step it is; of another name both are said: the old one alone is nowhere to be found then. */
  field(what: string, edits: readonly Gesture[] = []): string {
    const of = this.form.value?.of ?? null;
    if (of === null) return what;
    const [edit, ...more] = edits;
    const names = this.#nameField?.place.path.join('.');
    const to = edit?.kind === 'set' && more.length === 0 && edit.place.path.join('.') === names ? edit.value : null;
    if (typeof to === 'string') return say(words.said.rename, { name: this.#name(of), to });
    const chosen = edit && more.length === 0 ? this.#optionOf(edit) : undefined;
    const gone = edit?.kind === 'remove' && more.length === 0;
    const field =
      chosen !== undefined
        ? say(words.said.chosen, { field: what, to: chosen })
        : gone
          ? say(words.said.emptied, { field: what })
          : what;
    return say(words.said.field, { field, name: this.#name(of) });
  }

  get #nameField() {
    return this.form.value?.form?.fields.find((one) => one.name === 'name' || one.name === 'title');
  }

  /**
   * Writes a field of the form; what is wrong with what was filled in, or null. Another kind of a step may take ways of it along, or more:
   * where it does more than it says, that is asked first. Empty: somebody said no, or it could not be saved, and what was filled in is theirs to
   * keep. The place of a field is counted in the version that the form is of, so it is written to its own step wherever the person has gone
   * meanwhile.
   */
  async fill(edits: Gesture[], what: string): Promise<string | null> {
    // A field is left by the dialog that asks about it, and by the one that shows that it is saved: it is filled in once all the same.
    const same = JSON.stringify(edits);
    if (this.#filling?.same === same) return this.#filling.wrong;
    if (this.asking && JSON.stringify(this.asking.gestures) === same) return '';
    return this.#once(same, this.#fillOnce(edits, what));
  }

  /** Until it has ended, the same is not filled in a second time. */
  async #once(same: string, wrong: Promise<string | null>): Promise<string | null> {
    const filling = { same, wrong };
    this.#filling = filling;
    try {
      return await wrong;
    } finally {
      if (this.#filling === filling) this.#filling = null;
    }
  }

  /** What is being filled in, and what will be wrong with it. */
  #filling: { same: string; wrong: Promise<string | null> } | null = null;
  /** Ends when what a field would do besides has been looked at. */
  #looked: Promise<void> | null = null;

  async #fillOnce(edits: Gesture[], what: string): Promise<string | null> {
    const said = this.field(what, edits);
    const here = this.#staying();
    const wrong = await this.#fill(edits, said, here);
    if (!wrong || here()) return wrong;
    // The field that would say it is out of sight.
    this.#notMade(said, wrong);
    return null;
  }

  /** `here`: whether the field is in sight still, and somebody can be asked. */
  async #fill(edits: Gesture[], said: string, here: () => boolean): Promise<string | null> {
    // The places are counted in this version, whatever is written before its turn comes.
    const { revision } = this.form.value ?? {};
    while (this.#looked) await this.#looked;
    if (revision !== undefined && (this.#chooses(edits) || this.#leadsOn(edits) || this.#shared(edits))) {
      const { asking } = this;
      let seen: PreviewView;
      let looked = () => {};
      this.#looked = new Promise((done) => (looked = done));
      this.looking = true;
      try {
        seen = await api.preview({ path: this.#target.path, revision, edits });
      } catch (thrown) {
        // It might have had to be asked about: nothing is written.
        const { message, hint } = asApiError(thrown);
        return [message, hint].filter(Boolean).join(' ');
      } finally {
        this.looking = false;
        this.#looked = null;
        looked();
      }
      if (!seen.refused && seen.entails.length > 0) {
        // Whoever works on another step, or is asked something else, is not called back.
        if (this.asking === asking && here()) return this.#ask(edits, said, { seen, revision });
        this.#notMade(said, words.consequence.unasked);
        return null;
      }
    }
    return this.#target.fill(edits, said, revision);
  }

  /** Asks before a field does more than it says: null once it is done, empty where it is not: somebody says no, or it cannot be saved. */
  #ask(edits: Gesture[], said: string, looked: { seen: PreviewView; revision: string }): Promise<'' | null> {
    return new Promise((done) => {
      void this.#go(edits, said, looked, { answered: (made) => done(made ? null : '') });
    });
  }

  #notMade(what: string, why: string): void {
    toasts.info(say(words.consequence.notMade, { what, why }));
  }

  /** Whether it is one of the words that a field of the form offers, or that none of them holds. */
  #chooses([edit, ...more]: readonly Gesture[]): boolean {
    return edit !== undefined && more.length === 0 && this.#options(edit) !== undefined;
  }

  /**
   * Whether it says anew where a step leads, or who does it: what nothing leads to any more is asked about first, and a command that is not
   * run any more where somebody is named.
   */
  #leadsOn([edit, ...more]: readonly Gesture[]): boolean {
    if (edit === undefined || more.length > 0 || (edit.kind !== 'set' && edit.kind !== 'remove')) return false;
    const { path } = edit.place;
    const holds = (own: readonly string[]) => own.length > 0 && own.every((key, at) => path[at] === key);
    const leads = ({ place, control }: FormField) =>
      holds(place.path) &&
      (control.kind === 'ways' ||
        control.kind === 'guards' ||
        (control.kind === 'reference' && (control.to === 'step' || control.to === 'agent')) ||
        (control.kind === 'several' && control.of === 'step'));
    return this.form.value?.form?.fields.some(leads) ?? false;
  }

  /** Whether it is about what other parts of the file use, too: the questions before a run, and what is taken over from such a part. */
  #shared(edits: readonly Gesture[]): boolean {
    const at = edits.flatMap((edit) => ('place' in edit ? [edit.place.path] : []));
    const shared = ({ place, control, taken_over }: FormField) =>
      (control.kind === 'questions' || taken_over !== undefined) &&
      at.some((path) => place.path.every((key, i) => path[i] === key));
    return this.form.value?.form?.fields.some(shared) ?? false;
  }

  /** The word that is chosen, as its field calls it. */
  #optionOf(edit: Gesture): string | undefined {
    const to = edit.kind === 'set' ? edit.value : undefined;
    return this.#options(edit)?.find(({ value }) => value === to)?.label;
  }

  /** The words that the field offers which is filled in or emptied. */
  #options(edit: Gesture) {
    if (edit.kind !== 'set' && edit.kind !== 'remove') return undefined;
    const at = edit.place.path.join('/');
    const control = this.form.value?.form?.fields.find(({ place }) => place.path.join('/') === at)?.control;
    return control?.kind === 'choice' ? control.options : undefined;
  }

  async rename(id: string, name: string): Promise<boolean> {
    // Of several that are chosen another one may be the one whose fields are shown.
    if (this.#target.step !== id) this.chosen.only(id);
    if (this.form.value?.of !== id) await this.form.refresh();
    const field = this.#nameField;
    const text = name.trim();
    if (!field) toasts.info(words.outline.noName);
    if (!field || text === '' || this.form.value?.of !== id) return false;
    return this.propose(
      [{ kind: 'set', place: field.place, value: text }],
      say(words.said.rename, { name: this.#name(id), to: text }),
    );
  }

  /** Puts a gate in, or takes it out. */
  gate(id: string): Promise<boolean> {
    if (!this.gated(id)) return this.putGate({ step: id, before: false });
    return this.propose([{ kind: 'gate', step: id }], say(words.said.ungate, { name: this.#name(id) }));
  }

  /** Whether a person is asked at a step. */
  gated(id: string): boolean {
    return Boolean(this.#step(id)?.gate);
  }

  /** Puts a gate in; one that is there already stays as it is. */
  async putGate(at: GateSpot): Promise<boolean> {
    if (this.gated(at.step)) {
      this.#refuse(words.said.gate, this.#alreadyGated(at.step));
      return false;
    }
    const what = at.before ? words.said.gateBefore : words.said.gate;
    return this.propose([this.#gating(at)], say(what, { name: this.#name(at.step) }));
  }

  /** Why no gate can be put in there; null: one can. Nothing is changed. */
  async mayGate(at: GateSpot): Promise<string | null> {
    return this.gated(at.step) ? this.#alreadyGated(at.step) : this.#whyNot([this.#gating(at)]);
  }

  /** What a gate there would mean, in words. */
  whereGate({ step, before }: GateSpot): string {
    return say(before ? words.gate.before : words.gate.at, { name: this.#name(step) });
  }

  #gating({ step, before }: GateSpot): Gesture {
    return { kind: 'gate', step, gate: before ? { at: 'before' } : {} };
  }

  #alreadyGated(id: string): string {
    return say(words.gate.already, { name: this.#name(id) });
  }

  /** What a line from one step to another can mean here. */
  async #lines(from: string, to: string): Promise<Pick<DrawnLine, 'gesture' | 'label' | 'asks' | 'usual'>[]> {
    const drawn = from === to ? [] : (await api.drawn({ path: this.#target.path, from, to })).ways;
    const gesture = (way?: (typeof drawn)[number]['way']): Gesture => ({
      kind: 'connect',
      from,
      to,
      ...(way && { way }),
    });
    if (drawn.length < 2) return [{ gesture: gesture(drawn[0]?.way), label: '', asks: undefined, usual: '' }];
    return drawn.map(({ way, label, asks, usual = '' }) => ({ gesture: gesture(way), label, asks, usual }));
  }

  /** Why no line can be drawn from one step to another; null: one can. Nothing is changed. */
  async mayConnect(from: string, to: string): Promise<string | null> {
    const lines = await this.#lines(from, to).catch(() => []);
    const whys = await Promise.all(lines.map(({ gesture }) => this.#whyNot([gesture])));
    return whys.includes(null) ? null : (whys[0] ?? null);
  }

  /** Draws a line; where it can mean several things it is asked which. */
  async connect(from: string, to: string): Promise<boolean> {
    const what = say(words.said.connect, { from: this.#name(from), to: this.#name(to) });
    const view = this.#target.view.value;
    if (!view) return false;
    this.failed = null;
    try {
      const lines = await this.#lines(from, to);
      if (lines.length < 2) {
        return await this.propose(
          lines.map(({ gesture }) => gesture),
          what,
        );
      }
      const { revision } = view;
      const ways = await Promise.all(
        lines.map(async (line): Promise<DrawnLine> => {
          const seen = await api.preview({ path: this.#target.path, revision, edits: [line.gesture] });
          return { ...line, entails: seen.entails, refused: seen.refused?.message ?? null };
        }),
      );
      this.drawing = { what, revision, ways };
    } catch (thrown) {
      this.failed = asApiError(thrown);
    }
    return false;
  }

  /**
   * The line is drawn as what was chosen of it, with the value that was written where the way asks for one; why it cannot be with that
   * value, which leaves the question open, or null.
   */
  async draw(at: number, value = ''): Promise<string | null> {
    const { drawing } = this;
    const chosen = drawing?.ways[at];
    if (!drawing || !chosen) return null;
    const { gesture } = chosen;
    const written = chosen.asks === undefined ? null : withValue(gesture, value);
    if (written === null) {
      this.drawing = null;
      await this.#make([gesture], drawing.what, drawing.revision);
      return null;
    }
    // What follows from a value is not known before it is written; what was said beside the way is not asked again.
    return this.#answer('drawing', [written], drawing.what, {
      told: chosen.entails,
      back: () => (this.drawing = drawing),
    });
  }

  disconnect(from: string, to: string, label?: string): Promise<boolean> {
    const what = say(words.said.disconnect, { from: this.#name(from), to: this.#name(to) });
    return this.propose([{ kind: 'disconnect', from, to, label }], what);
  }

  /** Makes gestures at once where they do what they say, and asks where more follows. */
  async propose(gestures: Gesture[], what: string, then?: () => void): Promise<boolean> {
    const looked = await this.#look(gestures);
    if (!looked) return false;
    if (looked.seen.refused) this.#refuse(what, looked.seen.refused.message);
    return looked.seen.refused ? false : this.#go(gestures, what, looked, { then });
  }

  /**
   * The same for what was filled in into a question: what cannot be made is for the question to say, and what was filled in stays there.
   * Whoever has closed it meanwhile makes nothing. `told`: what the question has said that it entails. `back`: asks it again, with what was
   * filled in.
   */
  async #answer(
    question: 'adding' | 'drawing',
    gestures: Gesture[],
    what: string,
    { then, told = [], back }: { then?: () => void; told?: readonly string[]; back: () => void },
  ): Promise<string | null> {
    const asked = this[question];
    const looked = await this.#look(gestures);
    if (this[question] !== asked) return null;
    if (!looked) return this.failed?.message ?? null;
    if (looked.seen.refused) return looked.seen.refused.message;
    this[question] = null;
    const isMore = looked.seen.entails.some((line) => !told.includes(line));
    await (isMore
      ? this.#go(gestures, what, looked, { then, back })
      : this.#make(gestures, what, looked.revision, then));
    return null;
  }

  /** What would come of gestures; null: it could not be asked, which is said. */
  async #look(gestures: Gesture[]): Promise<{ seen: PreviewView; revision: string } | null> {
    const view = this.#target.view.value;
    if (!view) return null;
    const { revision } = view;
    this.failed = null;
    try {
      return { seen: await api.preview({ path: this.#target.path, revision, edits: gestures }), revision };
    } catch (thrown) {
      this.failed = asApiError(thrown);
      return null;
    }
  }

  async #go(
    gestures: Gesture[],
    what: string,
    { seen, revision }: { seen: PreviewView; revision: string },
    told: Pick<Asking, 'then' | 'answered' | 'back'>,
  ): Promise<boolean> {
    const { entails } = seen;
    if (entails.length === 0) return this.#make(gestures, what, revision, told.then);
    // Several gestures can entail the same.
    const once = entails.filter((line, i, all) => all.indexOf(line) === i);
    this.asking = { gestures, what, revision, entails: once, refused: null, ...told };
    return false;
  }

  /** What was asked about is done. */
  async agree(): Promise<boolean> {
    const asking = this.#asking;
    this.#asking = null;
    if (!asking || asking.refused) return false;
    const made = this.#make(asking.gestures, asking.what, asking.revision, asking.then);
    // What could not be saved is theirs to keep, as what was not agreed to is.
    await this.#once(
      JSON.stringify(asking.gestures),
      made.then((done) => (done ? null : '')),
    );
    asking.answered?.(await made);
    return made;
  }

  async #make(gestures: Gesture[], what: string, revision: string, then?: () => void): Promise<boolean> {
    const [steps, step] = [this.#steps, this.#target.step];
    const made = await this.#target.make(gestures, what, revision);
    if (made) {
      // Whoever has chosen another step meanwhile stays there.
      const stays = this.#stays(steps, step);
      if (stays) then?.();
      const looped = stays ? this.#looped(steps, gestures) : null;
      if (looped) this.chosen.only(looped.step.id);
      this.#onmade(looped !== null);
    }
    return made;
  }

  /** The step of which a line was drawn that loops now, or loops to another one than before. */
  #looped(before: readonly StepView[], gestures: readonly Gesture[]): StepView | null {
    const from = gestures.flatMap((one) => (one.kind === 'connect' ? one.from : []))[0];
    if (from === undefined) return null;
    const now = followed(before, this.#steps, from);
    const was = before.find((one) => one.step.id === from);
    return now?.loop && now.loop.target?.id !== was?.loop?.target?.id ? now : null;
  }

  /** Tells later whether the step that is chosen now still is, and the page still open. */
  #staying(): () => boolean {
    const [steps, { step }] = [this.#steps, this.#target];
    return () => !this.#target.left && this.#stays(steps, step);
  }

  /** Whether the step that was chosen among these still is, whatever its id has become. */
  #stays(steps: readonly StepView[], step: string | null): boolean {
    const expected = step === null ? null : (followed(steps, this.#steps, step)?.step.id ?? null);
    return this.#target.step === step || this.#target.step === expected;
  }
}
