import type { StepRef, StepsInside } from '$lib/api';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';

/** Steps by their numbers, those without one by their names. */
export const numbers = (steps: readonly StepRef[]): string =>
  say(steps.length === 1 ? m.start.step : m.start.steps, {
    steps: steps.map((step) => step.number || `“${step.name}”`).join(', '),
  });

/** The same with those of the workflows inside, each with its file: what is for all of a workflow names the file alone. */
export const places = (steps: readonly StepRef[], inside: readonly StepsInside[] = []): string =>
  [
    ...(steps.length > 0 ? [numbers(steps)] : []),
    ...inside.map((one) => (one.steps.length > 0 ? `${numbers(one.steps)} ${within(one.path)}` : within(one.path))),
  ].join('; ');

/** `in documents/publish.yaml`. */
export const within = (file: string): string => say(m.start.usesOf, { file });
