// A step takes a detour before it is left, in the real window: drawn aside in violet, taken because a paper is missing, and told why.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOW = 'contracts/renew-a-contract.yaml';
const REVIEW = 'contracts/renewal/review.yaml';
const SCENARIO = 'contracts/renew-a-contract.scenarios/4-a-paper-is-missing.yaml';
const SLOW = { within: 60_000 };

describe('a detour', () => {
  let window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());
  const leg = journey('detour', () => window);
  const edges = (kind) => window.run(`return document.querySelectorAll('.edge.${kind}').length`);

  leg('is drawn beside the way, with what it waits for', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go(`#/workflow/${REVIEW}`);
    await window.says(ids.graph, /detour/);
    await window.screenshot('detour-1-drawn');
    assert.ok((await edges('detour')) >= 2, 'it leads aside and back');
    await window.screenshot('detour-1-drawn');
  });

  leg('is taken when what it waits for is so, and leads back', async () => {
    const { code, out, err } = await window.cli('run', FLOW, '--scenario', SCENARIO, '--fast');
    assert.equal(code, 0, out + err);
    const [latest] = JSON.parse((await window.cli('list', '--json')).out);
    await window.go(`#/run/${latest.run_id}`);
    await until('the run is done', async () => (await window.data(ids.runStatus, 'status'))[0] === 'done', SLOW);
    const taken = await window.run(`return document.querySelectorAll('.edge.detour.taken').length`);
    assert.ok(taken >= 2, `${taken} edges aside were taken`);
    await window.screenshot('detour-2-taken');
    const events = (await window.cli('events', latest.run_id, '--vocabulary', 'stepwise')).out
      .trim()
      .split('\n')
      .map(JSON.parse)
      .filter((event) => event.kind === 'route_decision')
      .map((event) => event.payload);
    const aside = events.find((route) => route.reason === 'detour:papers');
    assert.equal(aside.to_step, 'request@assess');
    assert.equal(aside.routing_source, 'deterministic');
    assert.ok(events.some((route) => route.reason === 'detour_returned:resume'));
  });
});
