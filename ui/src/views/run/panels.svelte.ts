import { api, asApiError, type ApiError, type Pressed, type TerminalsView } from '$lib/api';
import { Snapshot } from '$lib/api/snapshot.svelte';
import { LogLook } from '../../features/log/look.svelte';
import { OutputsDesk } from '../../features/pipeline/outputs.svelte';
import { Reading } from '../../features/prose/reading';
import { CheckpointsLook } from '../../features/run/checkpoints.svelte';

export type Panel = 'timeline' | 'terminal' | 'log' | 'checkpoints' | 'outputs' | 'document';

/** The panels below the picture of a run: only the chosen one exists, and what was left in the others is kept for when somebody comes back. */
export class Panels {
  shown = $state<Panel>('timeline');
  /** How somebody wants time to be measured, and how it is. */
  scale = $state<'auto' | 'time' | 'events'>('auto');
  measured = $state<'time' | 'events'>('time');
  readonly log = new LogLook();
  readonly checkpoints = new CheckpointsLook();
  readonly outputs: OutputsDesk;
  readonly document = new Reading();
  /** Terminals of steps that run here. */
  readonly seats: Snapshot<TerminalsView>;
  readonly #run: string;
  #had = false;

  constructor(run: string) {
    this.#run = run;
    this.outputs = new OutputsDesk(run);
    this.seats = new Snapshot(() => api.terminals(run));
  }

  get terminals() {
    return this.seats.value?.terminals ?? [];
  }

  /** There are terminals now, or none: they come before the timeline while they are there, and what they showed stands in the log. */
  seated(has: boolean): void {
    if (has === this.#had) return;
    this.#had = has;
    if (has && this.shown === 'timeline') this.shown = 'terminal';
    else if (!has && this.shown === 'terminal') this.shown = 'log';
  }

  async type(terminal: number, pressed: Pressed[]): Promise<ApiError | null> {
    try {
      this.seats.put(await api.type({ run_id: this.#run, terminal, pressed }));
      return null;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }
}
