import type { StepRef } from '$lib/api';

/** `4 Publish`; a step without a number by its name alone. */
export function numbered(step: StepRef): string {
  return step.number ? `${step.number} ${step.name}` : step.name;
}
