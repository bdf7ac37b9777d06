import type { RunRowView, Status } from '$lib/api';
import { holds } from '$lib/ui/search';

export type RunFilter = 'all' | 'waiting' | 'running' | 'ended' | 'refused' | 'partly' | 'failed';

const OF: Record<Exclude<RunFilter, 'all'>, readonly Status[]> = {
  waiting: ['blocked'],
  running: ['not_started', 'queued', 'running', 'waiting', 'paused', 'left_open'],
  ended: ['done', 'skipped', 'aborted', 'partly', 'refused', 'stopped', 'failed'],
  refused: ['refused'],
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

/** How many runs each filter would show. */
export function counts(runs: readonly RunRowView[]): Record<RunFilter, number> {
  const count = (filter: RunFilter) => runs.filter((run) => matches(run, filter)).length;
  return {
    all: runs.length,
    waiting: count('waiting'),
    running: count('running'),
    ended: count('ended'),
    refused: count('refused'),
    partly: count('partly'),
    failed: count('failed'),
  };
}
