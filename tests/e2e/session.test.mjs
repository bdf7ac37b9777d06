// Sessions in the real window: one that stands in the folder is found, told and held against its schema; a run is one, and follows what happens to it.
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { addSample, sample } from './harness/sample.mjs';
import { openWindow } from './harness/window.mjs';

describe('a session', () => {
  let window;
  before(async () => {
    window = await openWindow({
      prepare: async (box) => {
        await addSample(box);
        await copyFile(join(import.meta.dirname, 'fixtures/session.json'), join(box.project, 'session.json'));
      },
    });
  });
  after(() => window?.close());
  const leg = journey('session', () => window);

  leg('stands in the list of what the folder holds', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.click(ids.navLibrary);
    const card = await window.get(ids.sessionCard);
    assert.match(await card.getText(), /Allotment bookings[^]*session\.json[^]*1 break of the schema/);
    await window.run('arguments[0].scrollIntoView()', card);
    await window.screenshot('session-1-listed');
    await (await window.driver.findElement({ linkText: 'Allotment bookings' })).click();
  });

  leg('is told to somebody who has never seen its document', async () => {
    const said = await window.says(ids.sessionView, 'a plot can be booked twice');
    for (const words of [
      'parallel_optimised',
      "Paused: The gardeners' association",
      'Step 5, qa',
      '71 % are covered',
      'completeness 8.5',
      'A lock for each plot is planned.',
      'Before anything is built',
    ]) {
      assert.ok(said.includes(words), `“${words}” in ${said}`);
    }
    assert.equal((await window.all(ids.sessionAgent)).length, 5);
    await window.screenshot('session-2-told');
  });

  leg('leads from what breaks the schema to its place in the document', async () => {
    await (await window.driver.findElement({ css: '[data-code="GH0601"] button' })).click();
    await window.says(ids.sessionSource, '"session_id"');
    await window.screenshot('session-3-document');
  });

  leg('is what every run is, and follows it', async () => {
    const { code, out, err } = await window.cli('run', sample.path, '--scenario', sample.scenario, '--until-blocked');
    assert.ok(code === 0 || code === 3, `${code} ${out}${err}`);
    const [{ run_id }] = JSON.parse((await window.cli('list', '--json')).out);
    await window.go(`#/run/${run_id}`);
    await window.click('run-menu');
    await window.click(ids.runSession);
    await window.says(ids.sessionView, 'waits for a person');
    await window.says(ids.sessionView, 'Paused');
    await window.get(ids.rehearsal);
    await window.screenshot('session-4-of-a-run');
    const answered = await window.cli('answer', run_id, 'critique', 'approve', '--by', 'Ada Lund');
    assert.equal(answered.code, 0, answered.out + answered.err);
    await window.says(ids.sessionView, 'approve');
    const exported = JSON.parse((await window.cli('session', 'export', run_id)).out);
    assert.equal(exported.workflow_state.paused, false);
    assert.equal(exported.metadata.environment, 'rehearsal');
    assert.deepEqual(await window.errors(), []);
  });
});
