import type { StepRef, WorkflowView } from '$lib/api';
import type { EdgePath } from '$lib/api/drawing.gen';

/** The line of a workflow's picture that has this id, with the steps that it joins; null: there is none between two steps. */
export function endsOf(
  { drawing, faces }: WorkflowView,
  id: string | null,
): { edge: EdgePath; from: StepRef; to: StepRef; label: string | undefined } | null {
  const edge = drawing.edges.find((one) => one.id === id);
  const of = (box: string) => faces[drawing.nodes.findIndex((one) => one.id === box)]?.step;
  const [from, to] = [edge && of(edge.from), edge && of(edge.to)];
  return edge && from && to ? { edge, from, to, label: edge.label ?? undefined } : null;
}
