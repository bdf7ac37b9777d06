// A PDF document and a picture at a gate of the real window.
import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { addScan, ink, scan } from './harness/scan.mjs';
import { openWindow } from './harness/window.mjs';

const SLOW = { within: 60_000 };

describe('a PDF document and a picture', () => {
  let window;
  before(async () => {
    window = await openWindow({ prepare: addScan });
  });
  after(() => window?.close());

  const leg = journey('scan', () => window);
  const drawn = () => window.run(`return (${ink})()`);

  leg('are drawn where they are decided about', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go(`#/workflow/${scan.path}`);
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await until('the run asks', async () => (await window.data(ids.runStatus, 'status'))[0] === 'blocked', SLOW);
    await window.click(ids.openDecision);
    await until('the first page, and the picture', async () => {
      const { pages, picture } = await drawn();
      return pages[0] > 100 && picture === 800;
    });
    await window.screenshot('scan-1-drawn');
    await window.says(ids.gateUndrawn, /contract\.pdf/);
  });

  leg('are recorded as shown once all of them is drawn', async () => {
    for (const [i] of (await drawn()).pages.entries()) {
      // What is not yet on the screen is still named.
      await window.get(ids.gateUndrawn);
      const page = `document.querySelectorAll('[data-testid="pdf-page"]')[${i}]`;
      let top = false;
      // Only what stands there while it is drawn counts: from its beginning to its end, until both were seen.
      await until(`page ${i + 1}, all of it`, async () => {
        await window.run(`${page}.scrollIntoView(${(top = !top)})`);
        const isDrawn = (await drawn()).pages[i] > 100;
        return isDrawn && (await window.run(`return ${page}.dataset.shown`)) === 'true';
      });
    }
    // The picture stands below the last page.
    await window.run(`document.querySelector('[data-testid="picture"]').scrollIntoView(false)`);
    await window.gone(ids.gateUndrawn);
    await window.screenshot('scan-2-last-page');
    await window.answer(ids.gateApprove);
    await window.get(ids.gateAnswered, { mine: 'true' });
    const [{ run_id: run }] = JSON.parse((await window.cli('list', '--json')).out);
    const { out } = await window.cli('events', run, '--vocabulary', 'native');
    assert.ok(!out.includes('undrawn'), out);
    assert.deepEqual(await window.errors(), []);
  });
});
