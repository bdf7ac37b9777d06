import type { EvidenceView, Level } from '$lib/api';
import { holds } from '$lib/ui/search';

/** In the order they are offered. */
export const FILTERS = ['counting', 'attention', 'replaced', 'rehearsed'] as const;

export type EvidenceFilter = (typeof FILTERS)[number];

/** Whether somebody should look at it: it has expired, will soon, or what it is about has changed. */
export const needsAttention = (record: EvidenceView): boolean =>
  !record.superseded &&
  !record.rehearsal &&
  (record.validity.status !== 'active' || record.validity.soon || record.about.some((file) => file.drift !== 'same'));

const OF: Record<EvidenceFilter, (record: EvidenceView) => boolean> = {
  counting: (record) => !record.superseded && !record.rehearsal,
  attention: needsAttention,
  replaced: (record) => record.superseded && !record.rehearsal,
  // Nothing of it happened: it is kept apart, whatever it says.
  rehearsed: (record) => record.rehearsal,
};

/** The records that a filter, a level and a search leave, in the order they came. */
export function select(
  records: readonly EvidenceView[],
  filter: EvidenceFilter,
  level: Level | '',
  query: string,
): EvidenceView[] {
  const text = (record: EvidenceView) =>
    [
      record.claim,
      record.source,
      record.step.name,
      record.workflow_title,
      record.subject,
      record.carrier,
      record.id,
      ...record.about.map((file) => file.path),
    ].join(' ');
  return records.filter(
    (record) => OF[filter](record) && (level === '' || record.level === level) && holds(text(record), query.trim()),
  );
}

/** How many each filter would show. */
export function counts(records: readonly EvidenceView[]): Record<EvidenceFilter, number> {
  const count = (filter: EvidenceFilter) => records.filter(OF[filter]).length;
  return Object.fromEntries(FILTERS.map((filter) => [filter, count(filter)])) as Record<EvidenceFilter, number>;
}
