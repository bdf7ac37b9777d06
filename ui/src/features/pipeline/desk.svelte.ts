import {
  api,
  asApiError,
  type ApiError,
  type DraftView,
  type FailureHandling,
  type PipelineCreated,
  type PipelineDraft,
  type ProblemView,
  type StepRef,
  type TemplatesView,
  type TemplateView,
} from '$lib/api';
import { newError } from '$lib/around/found';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { DELAY_S, RETRIES, stageDraft, stagesOf, toDraft } from './draft';
import { Stage } from './stage.svelte';
import { words } from './words';

/** So long nobody types before the picture is asked for. */
const REST_MS = 160;
const RANK: readonly ProblemView['severity'][] = ['error', 'warning', 'note'];

/** A stage that was taken out, where it stood, and what waited for what before and after. */
interface Removed {
  readonly stage: Stage;
  readonly at: number;
  readonly opened: boolean;
  readonly waits: readonly { of: Stage; before: readonly number[]; after: readonly number[] }[];
}

/** A pipeline that somebody is about to create. The backend draws and judges it while it is typed. */
export class DraftDesk {
  readonly templates = new Snapshot<TemplatesView>(api.pipelineTemplates);
  /** Pictures of the templates, by their names, as they arrive. */
  pictures = $state.raw<Readonly<Record<string, DraftView>>>({});

  /** Whether it has been said what to begin with. */
  begun = $state(false);
  template = $state.raw<TemplateView | null>(null);
  name = $state('');
  description = $state('');
  handling = $state<FailureHandling>('halt');
  retries = $state(RETRIES);
  delay = $state(DELAY_S);
  stages = $state<Stage[]>([]);
  /** The stages that were taken out of these, the latest last; each can be taken back. */
  removed = $state.raw<readonly Removed[]>([]);
  /** The stage that is edited. */
  opened = $state<number | null>(null);
  /** Counts how often a stage was chosen elsewhere, so that the list brings it into sight. */
  shown = $state(0);

  /** What the backend said last about what was typed; kept while the next answer is on its way. */
  preview = $state.raw<DraftView | null>(null);
  /** The stages that it is about, by their keys, in its order. */
  #judged = $state.raw<readonly number[]>([]);
  previewError = $state.raw<ApiError | null>(null);
  /** Whether what is shown is older than what is typed. */
  stale = $state(false);
  creating = $state(false);
  refused = $state.raw<ApiError | null>(null);

  readonly draft: PipelineDraft = $derived(toDraft(this, this.template));
  /** Errors first, as they stand in the text. */
  readonly problems = $derived(
    // Of a stage that nobody has begun to fill in nothing is wrong yet.
    (this.untouched ? [] : (this.preview?.problems ?? [])).toSorted(
      (a, b) => RANK.indexOf(a.severity) - RANK.indexOf(b.severity),
    ),
  );
  readonly errors = $derived((this.preview?.problems ?? []).filter((one) => one.severity === 'error').length);
  readonly canCreate = $derived(!this.stale && !this.creating && this.preview?.can_create === true);

  #first = $state('');
  /** Whether anything was typed since the beginning was chosen. */
  readonly typed = $derived(this.begun && JSON.stringify(this.draft) !== this.#first);

  /** It is begun from nothing, and nothing is filled in. */
  get untouched(): boolean {
    return this.template === null && !this.typed;
  }

  /** The workflows that a stage can run. */
  files = $state.raw<readonly { path: string; title: string }[]>([]);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  /** Asks for what can be begun with, and for a picture of each. */
  async load(): Promise<void> {
    await this.templates.refresh();
    void this.#know();
    for (const one of this.templates.value?.templates ?? []) {
      if (one.problem !== null || this.pictures[one.name]) continue;
      try {
        const view = await api.draftPipeline({ name: one.title, template: one.name });
        this.pictures = { ...this.pictures, [one.name]: view };
      } catch {
        // The card does without its picture; what is wrong is said when somebody chooses it.
      }
    }
  }

  /** Without them paths are written by hand. */
  async #know(): Promise<void> {
    const library = await api.library().catch(() => null);
    const all = library?.folders.flatMap(({ workflows }) => workflows) ?? [];
    this.files = all.map(({ path, title }) => ({ path, title }));
  }

  /** Begins with a template, or (null) with one empty stage. */
  begin(template: TemplateView | null): void {
    this.template = template;
    this.name = '';
    this.description = template?.description ?? '';
    this.handling = template?.error_handling ?? 'halt';
    this.retries = RETRIES;
    this.delay = DELAY_S;
    this.stages = template ? stagesOf(template.stages) : [new Stage()];
    this.removed = [];
    this.opened = template ? null : (this.stages[0]?.key ?? null);
    this.preview = template ? (this.pictures[template.name] ?? null) : null;
    this.#judged = this.stages.map((stage) => stage.key);
    this.previewError = null;
    this.refused = null;
    this.#first = JSON.stringify(this.draft);
    this.begun = true;
  }

  /** Back to the choice; what was typed is given up. */
  startOver(): void {
    clearTimeout(this.#timer);
    this.#asked += 1;
    this.begun = false;
    this.template = null;
    this.stages = [];
    this.removed = [];
    this.preview = null;
  }

  /** The draft is another one: it is drawn when nobody has typed for a moment. */
  changed(): void {
    this.stale = true;
    this.refused = null;
    // An answer that is still on its way judges what was typed before.
    this.#asked += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), REST_MS);
  }

  /** Asks the backend what would become of the draft. Of several answers on their way the latest question counts. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#asked += 1;
    const asked = this.#asked;
    const judged = this.stages.map((stage) => stage.key);
    try {
      const view = await api.draftPipeline(this.draft);
      if (asked !== this.#asked) return;
      this.preview = view;
      this.#judged = judged;
      this.previewError = null;
    } catch (thrown) {
      if (asked !== this.#asked) return;
      this.previewError = asApiError(thrown);
    }
    this.stale = false;
  }

  /** Creates it; null when that was refused, with the reason in `refused`. */
  async create(): Promise<PipelineCreated | null> {
    this.creating = true;
    this.refused = null;
    try {
      const created = await api.createPipeline(this.draft);
      this.startOver();
      return created;
    } catch (thrown) {
      this.refused = asApiError(thrown);
      return null;
    } finally {
      this.creating = false;
    }
  }

  /** A new stage after another one, or at the end; it waits for the one before it, as most do. */
  add(after: Stage | null = null): Stage {
    const at = after ? this.stages.indexOf(after) + 1 : this.stages.length;
    const before = this.stages[at - 1];
    const stage = new Stage(before ? [before.key] : []);
    this.stages.splice(at, 0, stage);
    this.opened = stage.key;
    return stage;
  }

  /** Takes a stage out; what waited for it waits for what it waited for. */
  remove(stage: Stage): void {
    const at = this.stages.indexOf(stage);
    this.stages.splice(at, 1);
    const waits: Removed['waits'][number][] = [];
    for (const other of this.stages) {
      const before = other.waitsFor;
      if (!before.includes(stage.key)) continue;
      const instead = stage.waitsFor.filter((key) => key !== other.key && !before.includes(key));
      other.waitsFor = [...before.filter((key) => key !== stage.key), ...instead];
      waits.push({ of: other, before, after: other.waitsFor });
    }
    const opened = this.opened === stage.key;
    if (opened) this.opened = this.stages[Math.min(at, this.stages.length - 1)]?.key ?? null;
    this.removed = [...this.removed, { stage, at, opened, waits }];
  }

  /** Puts back the stage that was taken out last, with what waited for it; what was changed since stays. Null: there is none. */
  takeBack(): Stage | null {
    const last = this.removed.at(-1);
    if (!last) return null;
    this.removed = this.removed.slice(0, -1);
    this.stages.splice(Math.min(last.at, this.stages.length), 0, last.stage);
    for (const { of, before, after } of last.waits) {
      const now = of.waitsFor.filter((key) => before.includes(key) || !after.includes(key));
      const again = before.filter((key) => !after.includes(key) && !now.includes(key));
      of.waitsFor = [...now, ...again];
    }
    if (last.opened) this.opened = last.stage.key;
    return last.stage;
  }

  /** Moves a stage up (-1) or down (1) in the file; what waits for what stays. Whether it moved. */
  move(stage: Stage, by: -1 | 1): boolean {
    const at = this.stages.indexOf(stage);
    const to = at + by;
    if (to < 0 || to >= this.stages.length) return false;
    this.stages.splice(at, 1);
    this.stages.splice(to, 0, stage);
    return true;
  }

  /** Lets a stage wait for another one, or no longer. */
  wait(stage: Stage, other: Stage, on: boolean): void {
    const rest = stage.waitsFor.filter((key) => key !== other.key);
    stage.waitsFor = on ? [...rest, other.key] : rest;
  }

  /** Why a stage cannot wait for another one: what the backend would find wrong with the draft then. Null: it can. Nothing is changed. */
  async mayWait(stage: Stage, other: Stage): Promise<string | null> {
    const { preview } = this;
    const name = other.name.trim();
    const stages = this.stages.map((one) => {
      const draft = stageDraft(one, this.stages);
      const waits = draft.depends_on ?? [];
      return one !== stage || waits.includes(name) ? draft : { ...draft, depends_on: [...waits, name] };
    });
    const draft = { ...this.draft, template: undefined, stages };
    const seen = await api.draftPipeline(draft).catch(() => null);
    if (!seen || !preview) return null;
    return (
      newError(preview.problems, seen.problems) ??
      (seen.text === preview.text && !this.stale ? words.create.already : null)
    );
  }

  /** Opens a stage that somebody chose elsewhere, and brings it into sight. */
  show(stage: Stage): void {
    this.opened = stage.key;
    this.shown += 1;
  }

  /** The stage that the backend means by an id: its name, or what it calls a stage that has none. */
  named(id: string | null): Stage | null {
    const named = this.stages.find((one) => one.name.trim() === id && id !== '');
    if (named) return named;
    const face = this.preview?.faces.find((one) => one.step.id === id);
    const stage = face && this.stages[face.ordinal];
    return stage && stage.name.trim() === '' ? stage : null;
  }

  /** The stage that the backend means by a step: of several of one name that in its place, wherever it was moved since. */
  of(step: StepRef | null): Stage | null {
    if (!step) return null;
    const face = this.preview?.faces.find((one) => one.step.id === step.id && one.step.number === step.number);
    return face ? (this.stages.find((one) => one.key === this.#judged[face.ordinal]) ?? null) : this.named(step.id);
  }

  /** What the backend calls a stage. */
  idOf(stage: Stage | null): string | null {
    if (!stage) return null;
    const face = this.preview?.faces.find((one) => one.ordinal === this.stages.indexOf(stage));
    return stage.name.trim() || (face?.step.id ?? null);
  }

  /** What is wrong with a stage. */
  problemsOf(stage: Stage): ProblemView[] {
    return this.problems.filter((one) => one.step !== null && this.of(one.step) === stage);
  }
}

/** What is being typed in this window; closing the dialog does not give it up. */
export const draftDesk = new DraftDesk();
