import { expect, it } from 'vitest';
import { connected, disconnected } from './dependencies';

const release = { ordinal: 4, depends_on: ['ghost', 'checks', 'docs', 'checks'] };

it('a new dependency is written behind the others, unknown ones counted', () => {
  expect(connected(release, 'legal')).toEqual({
    kind: 'set',
    place: { step: 4, path: ['depends_on', '4'] },
    value: 'legal',
  });
  expect(connected({ ordinal: 0, depends_on: [] }, 'a').place.path).toEqual(['depends_on', '0']);
});

it('a dependency is taken out where it stands, of two mentions the later one', () => {
  expect(disconnected(release, 'docs')).toEqual({ kind: 'remove', place: { step: 4, path: ['depends_on', '2'] } });
  expect(disconnected(release, 'checks')?.place.path).toEqual(['depends_on', '3']);
  expect(disconnected(release, 'analysis')).toBeNull();
});
