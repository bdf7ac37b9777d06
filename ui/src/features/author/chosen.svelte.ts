import type { StepView, WorkflowView } from '$lib/api';
import { followed } from '$lib/follow';
import { announce } from '$lib/ui/announce.svelte';
import { say } from '$lib/ui/say';
import type { How } from '../canvas';
import { outermost } from './outline';
import { words } from './words';

/** The workflow whose steps are chosen, and the one of them that fields and address are about. */
interface Target {
  readonly view: { readonly value: WorkflowView | null };
  step: string | null;
}

const isFirst = <T>(one: T, i: number, all: readonly T[]): boolean => all.indexOf(one) === i;

/**
 * The steps that are chosen. The last one chosen is the target's own step: whoever chooses another one, by whatever way, lets go of
 * the others.
 */
export class Chosen {
  readonly #target: Target;
  /** As they were chosen, with the version of the file in which they had these ids. */
  #kept = $state.raw<{ steps: readonly StepView[]; ids: readonly string[] }>({ steps: [], ids: [] });

  /** In the order in which they were chosen. */
  readonly ids = $derived.by((): readonly string[] => {
    const { step } = this.#target;
    if (step === null) return [];
    const { steps, ids } = this.#kept;
    const now = this.#steps;
    const still = steps === now ? ids : ids.flatMap((id) => followed(steps, now, id)?.step.id ?? []).filter(isFirst);
    return still.includes(step) ? still : [step];
  });
  readonly several = $derived(this.ids.length > 1);

  constructor(target: Target) {
    this.#target = target;
  }

  get #steps(): readonly StepView[] {
    return this.#target.view.value?.steps ?? [];
  }

  choose(steps: readonly string[], how: How = 'only'): void {
    const was = this.ids;
    const others = was.filter((id) => !steps.includes(id));
    const ids =
      how === 'only'
        ? steps
        : how === 'more'
          ? [...others, ...steps]
          : [...others, ...steps.filter((id) => !was.includes(id))];
    this.#kept = { steps: this.#steps, ids };
    this.#target.step = ids.at(-1) ?? null;
    if (ids.length !== was.length && (ids.length > 1 || was.length > 1))
      announce(say(words.many.chosen, { n: ids.length }));
  }

  only(step: string | null): void {
    this.choose(step === null ? [] : [step]);
  }

  all(): void {
    const ids = this.#steps.map((one) => one.step.id);
    // The step that is looked at stays the one that is looked at.
    const { step } = this.#target;
    this.choose(step !== null && ids.includes(step) ? [...ids.filter((id) => id !== step), step] : ids);
  }

  /** Those that stand inside of no other one that is chosen, in the order of the file: what holds others takes them along. */
  outermost(ids: readonly string[] = this.ids): StepView[] {
    return outermost(this.#steps, ids);
  }
}
