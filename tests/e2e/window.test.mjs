// The real window on a virtual display, used the way a person uses it: with clicks and keys, one journey from the
// workflow's card to the exported report.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { addSample, sample, shipped } from './harness/sample.mjs';
import { until } from './harness/sandbox.mjs';
import { Key, openWindow } from './harness/window.mjs';

describe('the window', () => {
  let window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  const leg = journey('window', () => window);

  /** The status of every step in the graph, by step. */
  const statuses = async () => {
    const [steps, now] = [await window.data(ids.graphNode, 'step'), await window.data(ids.graphNode, 'status')];
    return Object.fromEntries(steps.map((step, i) => [step, now[i]]).filter(([step]) => shipped.steps.includes(step)));
  };
  const runStatus = async () => (await window.data(ids.runStatus, 'status'))[0];

  leg('opens on the inbox and can be used', async () => {
    await window.ready();
    assert.match(await window.driver.getTitle(), /Gatehouse/);
    assert.match(await window.address(), /^(#\/(inbox)?)?$/);
    await window.screenshot('1-opened');
  });

  leg('takes the name that will sign', async () => {
    await window.sign('Ada Reviewer');
  });

  leg('opens the sample from its card and starts it', async () => {
    await window.click(ids.navLibrary);
    await window.click(ids.workflowCard, { path: shipped.path });
    await until('every step in the graph', async () => {
      const steps = await window.data(ids.graphNode, 'step');
      return shipped.steps.every((step) => steps.includes(step));
    });
    await window.screenshot('2-workflow');
    await window.click(ids.runStart);
    await window.get(ids.startConfirm);
    await window.screenshot('3-start');
    await window.click(ids.startConfirm);
    await until('the run', async () => /^#\/run\//.test(await window.address()));
  });

  leg('shows the loop turning, live', async () => {
    const edge = { from: shipped.loop.from, to: shipped.loop.to, taken: 'true' };
    await window.get(ids.graphEdge, edge);
    await window.says(ids.loopBadge, new RegExp(`↻\\s*1/${shipped.loop.max}`));
    await window.screenshot('4-looped');
  });

  leg('explains why the loop was taken', async () => {
    await window.click(ids.graphEdge, { from: shipped.loop.from, to: shipped.loop.to });
    await window.says(ids.whyCard, /UNVERIFIED/);
    await window.screenshot('5-why');
  });

  leg('asks, and takes the approval with a click', async () => {
    await until('the run to wait for a person', async () => /^(waiting|blocked)/.test(await runStatus()));
    await window.click(ids.navInbox);
    await window.click(ids.gateCard);
    await window.get(ids.gateBrief);
    await window.type(ids.gateComment, 'The limit is there now.');
    await window.screenshot('6-gate');
    await window.answer(ids.gateApprove);
    await window.gone(ids.gateApprove);
    await window.says(ids.gateAnswered, /You approved/);
    await window.screenshot('7-approved');
  });

  leg('sees the run end', async () => {
    await window.click(ids.navRuns);
    await window.click('run-row');
    await until('the run to end well', async () => ['done', 'succeeded'].includes(await runStatus()));
    await until('every step done', async () => Object.values(await statuses()).every((now) => now === 'done'));
    await window.screenshot('8-ended');
  });

  leg('scrubs back in time and sees the graph change', async () => {
    const live = await statuses();
    await (await window.get(ids.playhead)).sendKeys(Key.HOME);
    const first = await until('a graph as of the beginning', async () => {
      const then = await statuses();
      return then[shipped.last] !== live[shipped.last] && then;
    });
    assert.ok(!Object.values(first).includes('done'), `nothing is done at the beginning: ${JSON.stringify(first)}`);
    await window.get(ids.playhead, { live: 'false' });
    await window.screenshot('9-replayed');

    // Event by event: the first step must begin and be done while the last has not begun.
    for (let press = 0; press < 6; press += 1) await window.click(ids.playheadNext);
    await until(
      'the first step further on',
      async () => (await statuses())[shipped.steps[0]] !== first[shipped.steps[0]],
    );
    assert.notEqual((await statuses())[shipped.last], 'done');

    await window.click(ids.playheadLive);
    await until('the graph as it is now', async () => JSON.stringify(await statuses()) === JSON.stringify(live));
  });

  leg('exports the report, and it verifies', async () => {
    await window.click(ids.runReport);
    await window.get(ids.reportFrame);
    await window.screenshot('10-report');
    await window.click(ids.reportExport);
    const folder = join(window.project, 'reports');
    const name = await until('the exported file', async () =>
      (await readdir(folder)).find((file) => file.endsWith('.html')),
    );
    const html = await readFile(join(folder, name), 'utf8');
    assert.match(html, /<svg/);
    assert.match(html, /Ada Reviewer/);
    assert.match(html, /The limit is there now\./);
    assert.doesNotMatch(html, /(src|href)="https?:/, 'a report stands on its own');
    await window.click(ids.reportVerify);
    const verdict = await window.get(ids.verification);
    assert.equal(await verdict.getAttribute('data-ok'), 'true', await verdict.getText());
    await window.screenshot('11-verified');
  });

  leg('had no errors in the page on the way', async () => {
    assert.deepEqual(await window.errors(), []);
  });
});

describe('the desktop', () => {
  let window;
  before(async () => {
    window = await openWindow({ prepare: addSample, bus: true, address: '#/runs' });
  });
  after(() => window?.close());

  test('opens where it was told to', async () => {
    await window.ready();
    assert.equal(await window.address(), '#/runs');
  });

  test('is told when a run of another program asks for a decision', async () => {
    const { code, err } = await window.cli(
      'run',
      sample.path,
      '--scenario',
      sample.scenario,
      '--fast',
      '--until-blocked',
    );
    assert.notEqual(code, 70, err);
    await until('the run in the list', async () => (await window.all('run-row')).length === 1);
    await until('the desktop notification', () =>
      /Critique[^]*Rehearsal: Shape a proposal waits for your decision/.test(window.notified),
    );
    assert.equal(window.notified.match(/member=Notify/g).length, 1, window.notified);
  });
});
