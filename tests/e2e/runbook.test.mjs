// Runbooks in the real window: a deployment that takes itself back, and a step that grows an instance for each customer.
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids, selector } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { By } from 'selenium-webdriver';
import { openWindow } from './harness/window.mjs';

const DEPLOY = 'releases/deploy.runbook.md';
const LETTERS = 'documents/each-customer.runbook.md';
const ALARM = 'The till of the shop does not answer.';

/** What a person does with runbooks. */
const acts = (window) => ({
  /** Opens a runbook from its card in the library. */
  async open(path, step) {
    await window.click(ids.navLibrary);
    await window.click(ids.workflowCard, { path });
    // What lies outside of the picture is not drawn: all of it is shown.
    await window.click(ids.graphFit);
    await window.get(ids.graphNode, { step });
  },
  /** Starts it for real, which is what the dialog offers first: permits what is shown, and starts it; returns the address of the run. */
  async start(picture) {
    await window.click(ids.runStart);
    await window.get(ids.startPermit);
    const uses = await window.says(ids.startUses, /\S/);
    await window.click(ids.startPermit);
    await window.screenshot(picture);
    await window.click(ids.startConfirm);
    const address = await until('the run', async () => {
      const now = await window.address();
      return /^#\/run\//.test(now) && now;
    });
    return { address: address.replace(/\?.*/, ''), uses };
  },
  /** Goes to what waits in the inbox, and answers it. */
  async answer(question, button, picture, leaveFor) {
    await window.click(ids.navInbox);
    await until(`“${question}” in the inbox`, async () =>
      (await window.text(selector(ids.gateCard))).includes(question),
    );
    await until(`the brief of “${question}” with its answers`, async () => {
      const shown = async () => {
        const [brief] = await window.all(ids.gateBrief, { purpose: 'outcome' });
        const [offered] = await window.all(button);
        return offered && brief && (await brief.getText()).includes(question);
      };
      if (await shown()) return true;
      // Until the list is read anew a card may be that of the decision made a moment ago: it is chosen again then.
      const [card] = await window.all(ids.gateCard);
      await card?.click();
      return shown();
    });
    if (picture) await window.screenshot(picture);
    await window.answer(button);
    if (leaveFor) return window.go(leaveFor);
    await window.get(ids.gateAnswered, { mine: 'true' });
  },
  /** Goes to a run and shows all of it. */
  async look(run, what, question) {
    await until(what, async () => {
      if (!(await window.address()).startsWith(run)) await window.go(run);
      const [fit] = await window.all(ids.graphFit);
      await fit?.click();
      return question();
    });
  },
  async status() {
    return (await window.data(ids.runStatus, 'status'))[0];
  },
  /** The status of each step in the graph. */
  async statuses() {
    const [steps, now] = [await window.data(ids.graphNode, 'step'), await window.data(ids.graphNode, 'status')];
    return Object.fromEntries(steps.map((step, i) => [step, now[i]]));
  },
});

describe('a deployment that goes wrong', () => {
  let window;
  let act;
  let run;
  before(async () => {
    // What the smoke tests look for: whoever watches the shop has seen something.
    const alarm = (box) => writeFile(join(box.project, 'releases/shop/alarm.txt'), `${ALARM}\n`);
    window = await openWindow({ prepare: alarm });
    act = acts(window);
  });
  after(() => window?.close());
  const leg = journey('deployment', () => window);

  leg('is opened from its card', async () => {
    await window.ready();
    await window.sign('Ada Releaser');
    await act.open(DEPLOY, '3.2');
    await window.screenshot('runbook-1-opened');
    const steps = await window.data(ids.graphNode, 'step');
    for (const step of ['1', '1.1', '2', '4', 'Rollback', 'Rollback.Tell']) assert.ok(steps.includes(step), step);
  });

  leg('says what it may do before it starts', async () => {
    const { address, uses } = await act.start('runbook-2-start');
    run = address;
    for (const said of ['Copy the new one over it', 'Keep the old version', 'smoke-tests.runbook.md']) {
      assert.ok(uses.includes(said), `“${said}” in: ${uses}`);
    }
  });

  leg('asks a person, in the words of its author', async () => {
    await act.answer('Shall this go to all customers?', ids.gatePass, 'runbook-3-question');
  });

  leg('goes back by itself, and the way is bold and numbered', async () => {
    await act.look(run, 'the way to the rollback', async () => {
      const edges = await window.all(ids.graphEdge, { from: '4', taken: 'true' });
      for (const edge of edges) if (/^Rollback/.test(await edge.getAttribute('data-to'))) return true;
      return false;
    });
    await until('the old version to be back', async () => (await act.statuses())['Rollback.Check'] === 'done');
    await window.screenshot('runbook-4-rolled-back');
    const now = await act.statuses();
    assert.equal(now['4'], 'failed', JSON.stringify(now));
    assert.equal(now['5'], 'not_started', JSON.stringify(now));
    const numbers = await window.data(ids.graphEdge, 'numbers');
    assert.ok(
      numbers.some((n) => n && n.split(',').length > 0),
      `numbered: ${numbers}`,
    );
  });

  leg('explains why', async () => {
    const edges = await window.all(ids.graphEdge, { from: '4', taken: 'true' });
    assert.equal(edges.length, 1, 'one way was taken from the smoke tests');
    assert.match(await edges[0].getAttribute('data-numbers'), /^\d+$/);
    await edges[0].click();
    await window.says(ids.whyCard, /Does it work\?/);
    await window.says(ids.whyCard, /fail/i);
    await window.screenshot('runbook-5-why');
  });

  leg('stops with its message when the team was told', async () => {
    // And nobody who looks at the run at once is called back to the inbox when the answer has arrived.
    await act.answer('Does the team know?', ids.gatePass, null, run);
    await until('the end of the run', async () => ['failed', 'stopped'].includes(await act.status()));
    await until('its message', async () => /Rolled back: the shop is as it was\./.test(await window.text('body')));
    await window.screenshot('runbook-6-stopped');
    assert.ok((await window.address()).startsWith(run), await window.address());
    const live = await readdir(join(window.project, 'releases/shop/live'));
    assert.deepEqual(live, [], 'there was no shop before, and there is none now');
  });

  leg('is the same run on the command line', async () => {
    const id = run.replace('#/run/', '');
    const verified = await window.cli('verify', id);
    assert.equal(verified.code, 0, verified.out + verified.err);
    const status = await window.cli('status', id);
    assert.match(status.out, /Rolled back/);
  });

  leg('had no errors in the page on the way', async () => {
    assert.deepEqual(await window.errors(), []);
  });
});

describe('a letter to each customer', () => {
  let window;
  let act;
  let run;
  before(async () => {
    window = await openWindow();
    act = acts(window);
  });
  after(() => window?.close());
  const leg = journey('letters', () => window);
  /** The sign at a step of the graph that says how often it has begun. */
  const count = async (step) =>
    window.run(
      'return document.querySelector(arguments[0])?.querySelector(".count")?.textContent ?? ""',
      selector(ids.graphNode, { step }),
    );

  leg('is begun', async () => {
    await window.ready();
    await window.sign('Ada Writer');
    await act.open(LETTERS, '{N}.2');
    assert.equal(await count('{N}'), '×N', 'how many there will be is not known yet');
    run = (await act.start('runbook-7-letters')).address;
    await until('the first letter', async () => (await count('{N}')) === '×1');
    await window.screenshot('runbook-8-first');
  });

  leg('grows an instance for each customer', async () => {
    for (let customer = 1; customer <= 3; customer += 1) {
      await act.answer('May this letter go out?', ids.gatePass, customer === 1 ? 'runbook-9-letter' : null);
      await act.look(run, `instance ${customer + 1}`, async () => (await count('{N}')) === `×${customer + 1}`);
    }
    await until('the end of the run', async () => ['done', 'succeeded'].includes(await act.status()));
    assert.equal(await count('{N}.2'), '×3');
    await window.screenshot('runbook-10-grown');
    const letters = await readdir(join(window.project, 'documents/letters'));
    assert.equal(letters.length, 3);
    const letter = await readFile(join(window.project, 'documents/letters/cafe-amrum.txt'), 'utf8');
    assert.match(letter, /Dear people of Café Amrum,/);
  });

  leg('shows each of them', async () => {
    await window.click(ids.graphNode, { step: '{N}.2' });
    const options = async () => (await window.get(ids.inspectorInstance)).findElements(By.css('option'));
    await until('one entry for each customer', async () => (await options()).length === 3);
    for (const [index, name] of ['Bakery Lind', 'Café Amrum', 'School kitchen'].entries()) {
      await until(`a click on ${name}`, async () => {
        await (await options())[index].click();
        return true;
      });
      await window.says(ids.inspectorSaid, name);
    }
    await window.screenshot('runbook-11-instance');
  });

  leg('had no errors in the page on the way', async () => {
    assert.deepEqual(await window.errors(), []);
  });
});
