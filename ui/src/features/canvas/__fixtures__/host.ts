import type { EdgeOverlay, RoutesView, RunDrawing, RunOverlay, RunView } from '$lib/api';
import type { FakeHost } from '$lib/host/fake';

interface Look {
  at?: number;
}

/** Answers everything about the picture of a run from what the whole of it is as of an event. */
export function showRun(host: FakeHost, run: (at: number | undefined) => RunView): FakeHost {
  return host
    .on('run.drawing', (): RunDrawing => {
      const { drawing, faces } = run(undefined);
      return { drawing, faces };
    })
    .on('run.overlay', ({ at, since }: Look & { since?: number }) => overlay(run(at), since ? run(since) : null))
    .on('run.routes', ({ at, from }: Look & { from?: number }): RoutesView => ({
      routes: run(at).routes.filter((route) => route.number > (from ?? 0)),
    }));
}

/** What the backend says of it, beside what is known. */
export function overlay(view: RunView, known: RunView | null): RunOverlay {
  const last = view.routes.at(-1);
  const numbers = known?.routes.at(-1)?.number ?? 0;
  const beyond = (edge: EdgeOverlay) => ({ ...edge, taken: edge.taken.filter((number) => number > numbers) });
  const changed = <T>(now: T, before: T | undefined) => !known || JSON.stringify(now) !== JSON.stringify(before);
  return {
    head: view,
    since: known?.at ?? null,
    numbers: last?.number ?? 0,
    active: view.waiting?.step.id ?? view.steps.find((step) => step.status === 'running')?.id ?? last?.from.id ?? null,
    steps: view.steps.filter((step, at) => changed(step, known?.steps[at])),
    edges: view.edges.filter((edge, at) => changed(edge, known?.edges[at])).map(beyond),
    sent: [],
    height: view.drawing.height,
  };
}
