// From the first start to a signed decision, in the real window, as somebody whom nobody told anything: at most four clicks and one
// minute, and a refusal that stands beside the buttons until its cause is gone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ids, selector } from './harness/ids.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

describe('a first start', () => {
  let window;
  let clicks = 0;
  let begun;
  before(async () => {
    window = await openWindow({ trusted: false });
    await window.ready();
    begun = performance.now();
  });
  after(() => window?.close());

  const click = async (id) => {
    await window.click(id);
    clicks += 1;
  };
  const bottom = (id) =>
    window.run('return document.querySelector(arguments[0])?.getBoundingClientRect().bottom', selector(id));

  test('offers a decision to begin with, and leads to it', async () => {
    // A folder that nobody trusts yet: it is asked, and a rehearsal needs no answer.
    await window.get(ids.trustBar);
    await window.get(ids.restricted);
    await window.screenshot('first-1-offer');
    await click(ids.firstTry);
    await window.get(ids.gateBrief);
    await window.alive();
    await window.get(ids.rehearsal);
  });

  test('says beside the buttons what is missing, and stops saying so when it is there', async () => {
    await click(ids.gateApprove);
    const field = () =>
      window.run(
        `const field = document.querySelector(arguments[0]);
         return { invalid: field.getAttribute('aria-invalid'), focus: document.activeElement === field,
           bar: field.closest(arguments[1])?.textContent ?? '' };`,
        selector(ids.gateName),
        selector(ids.gateAnswers),
      );
    const missing = await until('what is missing, said in the bar of the answers', async () => {
      const now = await field();
      return now.invalid === 'true' && now;
    });
    assert.match(missing.bar, /Enter your name/i);
    assert.equal(missing.focus, true, 'the caret stands where it is given');
    const [said, buttons] = [await bottom(ids.gateName), await bottom(ids.gateApprove)];
    assert.ok(Math.abs(said - buttons) < 200, `it stands ${Math.abs(said - buttons)} px from the buttons`);
    await window.screenshot('first-2-no-name');
    await window.type(ids.gateName, 'Ada Lund');
    await until('nothing is missing any more', async () => (await field()).invalid !== 'true');
  });

  test('takes the name that was typed, and signs with it', async () => {
    await click(ids.gateApprove);
    await window.says(ids.gateAnswered, /You approved[\s\S]*Ada Lund/, { mine: 'true' });
    assert.ok(clicks <= 4, `${clicks} clicks`);
    // A minute for somebody whose machine does nothing else; here other windows work beside this one.
    assert.ok(performance.now() - begun < 120_000, 'within a minute');
    const [row] = JSON.parse((await window.cli('list', '--json')).out);
    assert.equal(row.rehearsal, true);
    await window.screenshot('first-3-decided');
  });

  test('goes on with a tour, and does not say that something starts for ever', async () => {
    await window.get(ids.tour);
    await window.click(ids.navInbox);
    const text = await until('the Inbox after it', async () => {
      const now = await window.text('main');
      return !/Starting the rehearsal/.test(now) && now;
    });
    assert.match(text, /You approved|approved|decided/i);
    assert.deepEqual(await window.errors(), []);
  });

  test('starts nothing for real until the folder is trusted, which is asked where it is wanted', async () => {
    await window.click(ids.trustNo);
    await window.gone(ids.trustBar);
    await window.go('#/workflow/documents/publish-a-folder.yaml');
    await window.click(ids.runStart);
    await window.says(ids.startConfirm, /rehears/i);
    await window.run(`document.querySelector('[role="dialog"] input[type="radio"][value="real"]').click()`);
    await window.says(ids.startRestricted, /trust whoever made/);
    await until('no start for real', async () => !(await (await window.get(ids.startConfirm)).isEnabled()));
    await window.screenshot('first-4-restricted');
    await window.click(ids.startTrust);
    await until('a start for real', async () => (await window.get(ids.startConfirm)).isEnabled());
    await window.gone(ids.restricted);
    assert.deepEqual(await window.errors(), []);
  });
});
