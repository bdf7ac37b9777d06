import { screen } from '@testing-library/svelte';

/** The box of a step on the picture. */
export function node(step: string): HTMLElement {
  const found = screen.getAllByTestId('graph-node').find((one) => one.dataset.step === step);
  if (!found) throw new Error(`no step ${step}`);
  return found;
}

/** The line between two boxes of the picture. */
export function edge(from: string, to: string): HTMLElement {
  const found = screen.getAllByTestId('graph-edge').find((one) => one.dataset.from === from && one.dataset.to === to);
  if (!found) throw new Error(`no edge from ${from} to ${to}`);
  return found;
}
