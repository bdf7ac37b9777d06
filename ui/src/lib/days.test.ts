// @vitest-environment node
import { expect, it } from 'vitest';
import { zone } from '$lib/ui/zone.svelte';
import { days } from './days';

it('says which days are meant, as days are here', () => {
  const now = new Date(2026, 2, 1, 23, 30);
  expect(days('any', '2026-01-01', '', now)).toEqual({});
  expect(days('today', '', '', now)).toEqual({ since: '2026-03-01' });
  expect(days('week', '', '', now)).toEqual({ since: '2026-02-23' });
  expect(days('month', '', '', now)).toEqual({ since: '2026-01-31' });
  expect(days('days', '2026-01-05', '', now)).toEqual({ since: '2026-01-05' });
  expect(days('days', '', '2026-01-05', now)).toEqual({ until: '2026-01-05' });
});

it('goes by the days of the zone that times are shown in', () => {
  zone.set('Pacific/Auckland');
  expect(days('today', '', '', new Date('2026-02-28T23:30:00Z'))).toEqual({ since: '2026-03-01' });
  zone.set('America/Los_Angeles');
  expect(days('week', '', '', new Date('2026-03-01T05:30:00Z'))).toEqual({ since: '2026-02-22' });
  zone.set(undefined);
});
