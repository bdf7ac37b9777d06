import type { StepRef } from '$lib/api';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';

/** Steps by their numbers, those without one by their names. */
export const numbers = (steps: readonly StepRef[]): string =>
  say(steps.length === 1 ? m.start.step : m.start.steps, {
    steps: steps.map((step) => step.number || `“${step.name}”`).join(', '),
  });
