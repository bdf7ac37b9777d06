import { api, ApiError, asApiError, type Edit, type ScenarioTable } from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { ownScenarios } from '$lib/kept';
import { sayRemoved } from '$lib/removed';
import { Said } from '$lib/said.svelte';
import { announce } from '$lib/ui/announce.svelte';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import { toasts } from '$lib/ui/toasts.svelte';
import { words } from './words';

const w = words.scenario;

/** The scenarios beside one workflow: which one is open as a table, and the changes sent on their way. It computes no text itself. */
export class ScenarioDesk {
  readonly workflow: string;
  /** The file of the one that is open. */
  path = $state<string | null>(null);
  table = $state.raw<Snapshot<ScenarioTable> | null>(null);
  busy = $state(false);
  /** What stood in the way of what was done last, unless a field says it. */
  refused = $state.raw<ApiError | null>(null);
  readonly #said = new Said();
  /** It was to be looked at while something was being written. */
  #missed = false;
  readonly #changed: () => void;

  /** `changed`: the scenarios are others than before. */
  constructor(workflow: string, changed: () => void) {
    this.workflow = workflow;
    this.#changed = changed;
  }

  /** What was written last, in words, for a moment. */
  get said(): string | null {
    return this.#said.text;
  }

  open(path: string): Promise<void> {
    this.path = path;
    this.#begin();
    this.table = new Snapshot(() => api.scenarioTable({ path: this.workflow, scenario: path }));
    return this.table.refresh();
  }

  close(): void {
    this.path = this.table = this.refused = null;
  }

  /** It may have been changed: by another program, or with its workflow. */
  look(): void {
    if (this.busy) this.#missed = true;
    else void this.table?.refresh();
  }

  #free(): void {
    this.busy = false;
    if (!this.#missed) return;
    this.#missed = false;
    void this.table?.refresh();
  }

  /** What was said of what was done before says nothing of what is done now. */
  #begin(): void {
    this.refused = null;
    this.#said.clear();
  }

  /** Changes it from a field: what is wrong with what was filled in is for the field to say. Null: nothing is. */
  async fill(edits: Edit[], what: string): Promise<string | null> {
    if (this.busy) return m.workflow.busy;
    const error = await this.#send(edits, what);
    return error && [error.message, error.hint].filter(Boolean).join(' ');
  }

  /** Changes it from the table. True when it is written. */
  async make(edits: Edit[], what: string): Promise<boolean> {
    if (this.busy) return false;
    this.refused = await this.#send(edits, what);
    return this.refused === null;
  }

  async #send(edits: Edit[], label: string): Promise<ApiError | null> {
    const { table, path } = this;
    const revision = table?.value?.revision;
    if (!table || !path || revision === undefined) return null;
    this.busy = true;
    this.#begin();
    try {
      table.put(await api.editScenario({ path: this.workflow, scenario: path, revision, edits, label }));
      this.#said.say(say(m.workflow.saved, { what: label }));
      this.#changed();
      return null;
    } catch (thrown) {
      const error = asApiError(thrown);
      // Another program was faster: what is shown from now on is what it wrote.
      if (error.code === 'conflict') {
        await table.refresh();
        this.#changed();
      }
      return error;
    } finally {
      this.#free();
    }
  }

  undo(): Promise<void> {
    return this.#step('undo');
  }

  redo(): Promise<void> {
    return this.#step('redo');
  }

  async #step(which: 'undo' | 'redo'): Promise<void> {
    const { table, path } = this;
    if (!table || !path || this.busy) return;
    const what = table.value?.[which];
    const entry = table.value?.[`${which}_entry`];
    if (!what) return announce(which === 'undo' ? m.workflow.nothingToUndo : m.workflow.nothingToRedo);
    this.busy = true;
    this.#begin();
    try {
      const outcome = await api[which]({ path, ...(entry && { entry }) });
      if (outcome.outcome === 'conflict') this.refused = new ApiError('conflict', outcome.message);
      else this.#said.say(say(which === 'undo' ? m.workflow.undone : m.workflow.redone, { what }));
    } catch (thrown) {
      this.refused = asApiError(thrown);
    }
    await table.refresh();
    this.#free();
    this.#changed();
  }

  /** A new one that says nothing yet; it is open then. */
  async create(name: string): Promise<ApiError | null> {
    try {
      const { path } = await api.createScenario({ path: this.workflow, name });
      ownScenarios.add(path);
      this.#changed();
      await this.open(path);
      return null;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }

  /** Deletes one; that can be taken back. */
  async remove(path: string, name: string): Promise<boolean> {
    try {
      const { undo_entry: entry } = await api.removeScenario({ path: this.workflow, scenario: path });
      sayRemoved(path, say(w.removed, { name }), entry, this.#changed);
    } catch (thrown) {
      toasts.error(asApiError(thrown));
      return false;
    }
    if (this.path === path) this.close();
    this.#changed();
    return true;
  }
}
