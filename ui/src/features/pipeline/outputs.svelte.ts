import {
  api,
  asApiError,
  type ApiError,
  type ArtifactView,
  type FaceView,
  type StepOverlay,
  type StepRef,
} from '$lib/api';
import { Scrolled } from '$lib/ui/scrolled';

/** What a stage has made so far; `null`: it is being asked for. */
export interface Made {
  step: StepRef;
  status: StepOverlay['status'];
  files: readonly ArtifactView[] | null;
  error: ApiError | null;
}

/** Stages in which something may have been made. */
const BEGUN: readonly StepOverlay['status'][] = [
  'running',
  'waiting',
  'blocked',
  'paused',
  'done',
  'partly',
  'refused',
  'stopped',
  'failed',
  'aborted',
];

/** The files of the stages of one run, asked for stage by stage and again only when a stage stands elsewhere. */
export class OutputsDesk {
  made = $state.raw<readonly Made[]>([]);
  readonly scrolled = new Scrolled();
  readonly run: string;
  /** By stage and how it stood: what was asked for in that state is not asked for again. */
  #known: Readonly<Record<string, readonly ArtifactView[]>> = {};
  #round = 0;

  constructor(run: string) {
    this.run = run;
  }

  /** Shows the stages as they stand (as of an event), and asks for what is not known yet, one stage after the other. */
  async show(steps: readonly StepOverlay[], faces: readonly FaceView[], at: number | null): Promise<void> {
    this.#round += 1;
    const round = this.#round;
    const begun = steps.flatMap((overlay, i) => {
      const face = faces[i];
      return face && BEGUN.includes(overlay.status) ? [{ step: face.step, overlay }] : [];
    });
    const key = (one: (typeof begun)[number]) =>
      [one.step.id, one.overlay.status, one.overlay.visits, one.overlay.words, at ?? 'now'].join('\u0000');
    const before = Object.fromEntries(this.made.map((one) => [one.step.id, one.files]));
    this.made = begun.map((one) => ({
      step: one.step,
      status: one.overlay.status,
      files: this.#known[key(one)] ?? before[one.step.id] ?? null,
      error: null,
    }));
    for (const one of begun) {
      if (this.#known[key(one)]) continue;
      const found = await this.#ask(one.step.id, at);
      if (round !== this.#round) return;
      if (Array.isArray(found)) this.#known = { ...this.#known, [key(one)]: found };
      this.made = this.made.map((made) =>
        made.step.id !== one.step.id
          ? made
          : Array.isArray(found)
            ? { ...made, files: found, error: null }
            : { ...made, files: made.files ?? [], error: found as ApiError },
      );
    }
  }

  /** The files of the latest attempt of every visit; of one path the latest. */
  async #ask(step: string, at: number | null): Promise<readonly ArtifactView[] | ApiError> {
    try {
      const latest: Record<string, ArtifactView> = {};
      let until: number | undefined;
      do {
        const of = { run_id: this.run, step, ...(at === null ? {} : { at }), ...(until ? { until } : {}) };
        const { visits, earlier } = await api.step(of);
        // Visits and attempts come latest first.
        for (const file of visits.flatMap((visit) => visit.attempts[0]?.artifacts ?? [])) latest[file.path] ??= file;
        until = earlier;
      } while (until);
      return Object.values(latest);
    } catch (thrown) {
      return asApiError(thrown);
    }
  }
}
