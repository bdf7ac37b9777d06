import { afterEach, expect, it } from 'vitest';
import { router } from './router.svelte';

afterEach(() => history.replaceState(null, '', '#'));

it('leads somewhere at once', () => {
  const stop = router.start();
  router.go('#/runs');
  expect(router.route.view).toBe('runs');
  router.replace('#/settings');
  expect([location.hash, router.route.view]).toEqual(['#/settings', 'settings']);
  stop();
});

it('calls nobody back who has gone elsewhere before the page has heard of it', () => {
  const stop = router.start();
  router.go('#/inbox/run-1/gate');
  // A link was followed; the page is told later.
  location.hash = '#/run/run-1';
  expect(router.route.view).toBe('inbox');
  router.replace('#/inbox/run-1/gate?round=1');
  expect([location.hash, router.route.view]).toEqual(['#/run/run-1', 'run']);
  // From then on it is the new place that writes.
  router.replace('#/run/run-1?at=3');
  expect(location.hash).toBe('#/run/run-1?at=3');
  stop();
});
