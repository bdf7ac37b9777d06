import type { TestsView, TestView, WorkflowView } from '$lib/api';
import { say } from '$lib/ui/say';
import { words as w } from './words';

/** What tests come to, by box and by edge, and what is said of everything else. */
export interface Cover {
  steps: readonly string[];
  edges: readonly string[];
  said: string;
}

/** What one scenario comes to: that of a file, or of a name. Where there is none such, what all of them come to. */
export function coverOf(view: WorkflowView, all: TestsView, of: { origin: string } | { name: string | null }): Cover {
  const one = all.tests.find((test) => ('origin' in of ? test.origin === of.origin : test.name === of.name));
  if (one) return { ...reached(view, one), said: say(w.notReached, { name: one.name }) };
  const ids = new Set(all.unseen_steps.map((step) => step.id));
  const ways = all.unseen_edges.map((edge) => edge.id);
  return {
    steps: view.faces.filter((face) => !ids.has(face.step.id)).map((face) => String(face.ordinal)),
    edges: view.drawing.edges.map((edge) => edge.id).filter((id) => !ways.includes(id)),
    said: w.reachedByNone,
  };
}

/**
 * What a scenario comes to. Of several flows each is one box and the steps lie inside: a box is reached with one of them, and which of
 * the ways between flows were taken is not told, so none is said not to be.
 */
function reached({ faces, drawing }: WorkflowView, test: TestView): Omit<Cover, 'said'> {
  if (test.steps.length > 0 || !test.path.some((step) => step.id.includes('/')))
    return { steps: test.steps.map(String), edges: test.edges };
  const whole = test.path.length === test.path_length;
  const inside = (flow: string) => test.path.some((step) => step.id.startsWith(`${flow}/`));
  return {
    steps: faces.filter((face) => !whole || inside(face.step.id)).map((face) => String(face.ordinal)),
    edges: drawing.edges.map((edge) => edge.id),
  };
}
