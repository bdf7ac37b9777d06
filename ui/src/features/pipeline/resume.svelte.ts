import type { StageChoice } from '$lib/api';
import { outcome, type Choice } from './outcome';

/** The choices about the stages of a run that is to be taken up again, each of which can be taken back until they are applied. */
export class ResumeDesk {
  readonly stages: readonly StageChoice[];
  picked = $state.raw<Readonly<Record<string, Choice>>>({});
  #before = $state.raw<readonly Readonly<Record<string, Choice>>[]>([]);

  constructor(stages: readonly StageChoice[]) {
    this.stages = stages;
  }

  readonly open = $derived.by(() => this.stages.filter((one) => !this.picked[one.step.id]).length);
  readonly canUndo = $derived.by(() => this.#before.length > 0);
  readonly outcome = $derived.by(() => outcome(this.stages, this.picked));

  pick(step: string, choice: Choice): void {
    if (this.picked[step] === choice) return;
    this.#put({ ...this.picked, [step]: choice });
  }

  pickAll(choice: Choice): void {
    this.#put(Object.fromEntries(this.stages.map((one) => [one.step.id, choice])));
  }

  undo(): void {
    const last = this.#before.at(-1);
    if (!last) return;
    this.#before = this.#before.slice(0, -1);
    this.picked = last;
  }

  #put(next: Readonly<Record<string, Choice>>): void {
    this.#before = [...this.#before, this.picked];
    this.picked = next;
  }
}
