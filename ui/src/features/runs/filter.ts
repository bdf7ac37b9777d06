import type { RunRowView, Status } from '$lib/api';
import { holds } from '$lib/ui/search';

/** By what a person means by it, in this order. */
export const FILTERS = [
  'all',
  'waiting',
  'running',
  'still',
  'ended',
  'refused',
  'aborted',
  'partly',
  'failed',
] as const;
export type RunFilter = (typeof FILTERS)[number];

const OF: Record<Exclude<RunFilter, 'all'>, readonly Status[]> = {
  waiting: ['blocked'],
  running: ['not_started', 'queued', 'running', 'waiting'],
  // Somebody has to take it up.
  still: ['paused', 'left_open'],
  ended: ['done', 'skipped', 'aborted', 'partly', 'refused', 'stopped', 'failed'],
  refused: ['refused'],
  aborted: ['aborted'],
  partly: ['partly', 'stopped'],
  failed: ['failed'],
};

const matches = (run: RunRowView, filter: RunFilter): boolean => filter === 'all' || OF[filter].includes(run.status);

/** The runs a filter and a search leave, in the order they came. */
export function select(runs: readonly RunRowView[], filter: RunFilter, query: string): RunRowView[] {
  return runs.filter(
    (run) =>
      matches(run, filter) &&
      holds(
        [
          run.workflow_title,
          run.subject,
          run.workflow_path,
          run.status_words,
          run.by,
          run.scenario,
          run.error,
          run.run_id,
        ].join(' '),
        query.trim(),
      ),
  );
}

/** Whether what happened in them happened. */
export const KINDS = ['all', 'real', 'rehearsal'] as const;
export type RunKind = (typeof KINDS)[number];

export const ofKind = (runs: readonly RunRowView[], kind: RunKind): readonly RunRowView[] =>
  kind === 'all' ? runs : runs.filter((run) => run.rehearsal === (kind === 'rehearsal'));

/** How many runs each filter would show. */
export function counts(runs: readonly RunRowView[]): Record<RunFilter, number> {
  const count = (filter: RunFilter) => runs.filter((run) => matches(run, filter)).length;
  return Object.fromEntries(FILTERS.map((filter) => [filter, count(filter)])) as Record<RunFilter, number>;
}
