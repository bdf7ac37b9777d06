// What a run was and how it ended, as the real window says it: a rehearsal is marked wherever it is shown, what nobody can do is not
// started, and what a person refused is refused.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { By, Key } from 'selenium-webdriver';
import { ids, selector } from './harness/ids.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

/** Nobody is set up to do the work of this sample; three people are asked in it. */
const FLOW = 'contracts/supplier-contract.yaml';
const REFUSED_AT = 'check_playbook';
/** A runbook whose one step is another, in which a person is asked. */
const FAMILY = {
  'around.runbook.md': '# Around\n\n## 1 Inside\n\n- child.runbook.md\n\n- PASS: COMPLETE\n- FAIL: STOP\n',
  'child.runbook.md': '# Child\n\n## 1 Is it well?\n\nLook.\n\n- YES: COMPLETE\n- NO: STOP\n',
};
const WORDS = 'Their liability ends at one month of fees.';

describe('what the window says', () => {
  let window;
  before(async () => {
    window = await openWindow({
      prepare: async (box) => {
        for (const [name, text] of Object.entries(FAMILY)) await writeFile(join(box.project, name), text);
      },
    });
    await window.ready();
    await window.sign('Ada Lund');
  });
  after(() => window?.close());

  const choose = (value) =>
    window.run('document.querySelector(`[role="dialog"] input[type="radio"][value="${arguments[0]}"]`).click()', value);
  /** The same, as soon as the dialog says what there is to choose. */
  const real = async () => {
    await until('the choice', () =>
      window.run(`return !!document.querySelector('[role="dialog"] input[value="real"]')`),
    );
    await choose('real');
  };
  const run = async () => JSON.parse((await window.cli('list', '--json')).out)[0];
  /** Whether the mark of a rehearsal stands in an element. */
  const marked = (id, data) =>
    until(`the mark of a rehearsal in ${selector(id, data)}`, async () =>
      window.run(
        'return [...document.querySelectorAll(arguments[0])].some((e) => e.querySelector(arguments[1]))',
        selector(id, data),
        selector(ids.rehearsal),
      ),
    );

  test('before a start: nobody is bound, so nothing real begins, and it says who is missing', async () => {
    await window.go(`#/workflow/${FLOW}`);
    await window.click(ids.runStart);
    await window.says(ids.startConfirm, /rehears/i);
    await choose('real');
    await window.says(ids.startUnbound, /contract-reader/);
    await until('no start for real', async () => !(await (await window.get(ids.startConfirm)).isEnabled()));
    await window.screenshot('outcome-1-nobody-is-bound');

    // On the command line the same.
    const { code, err } = await window.cli('run', FLOW);
    assert.notEqual(code, 0);
    assert.match(err, /contract-reader[\s\S]*--rehearse/);
    assert.deepEqual(JSON.parse((await window.cli('list', '--json')).out), [], 'no run was created');
  });

  test('a rehearsal carries its mark in the run, on the card, in the brief and in every list', async () => {
    await choose('rehearsal');
    const confirm = await window.get(ids.startConfirm);
    await until('a rehearsal that can be started', () => confirm.isEnabled());
    await confirm.click();
    await until('the gate of a person', async () => (await run())?.status === 'blocked');
    await window.get(ids.runStatus);
    await marked('run', {});
    const { run_id } = await run();

    await window.go('#/inbox');
    await marked(ids.gateCard, { run: run_id });
    await window.click(ids.gateCard, { run: run_id });
    await marked(ids.gateBrief, { run: run_id });
    await window.says('gate-rehearsal', /rehears/i); // what a signature is worth here
    await window.go('#/runs');
    await marked('run-row', {});
    await window.go('#/library');
    await marked(ids.workflowCard, { path: FLOW });
    const now = await run();
    assert.equal(now.rehearsal, true);
  });

  test('a refusal is an outcome of its own, with who and in what words', async () => {
    const { run_id } = await run();
    await window.go('#/inbox');
    await window.click(ids.gateCard, { run: run_id });
    await window.type(ids.gateComment, WORDS);
    await window.answer(ids.gateReject);
    // What is final is asked for twice, and a press that follows at once is a double click.
    await window.get(ids.gateSure);
    await until('the rejection for good', async () => {
      const [again] = await window.all(ids.gateReject);
      await again?.click();
      return (await window.all(ids.gateAnswered, { mine: 'true' })).length > 0;
    });
    await until('the end of the run', async () => (await run()).status === 'refused');

    await window.go(`#/run/${run_id}`);
    await window.get(ids.runStatus, { status: 'refused' });
    const head = await until('who refused it, and where', async () => {
      const text = await window.text('main');
      return /rejected by Ada Lund/i.test(text) && text;
    });
    assert.match(head, new RegExp(WORDS));
    assert.doesNotMatch(head, /has not been reached|not needed/);
    await window.get(ids.graphNode, { step: REFUSED_AT, status: 'refused' });
    await window.click(ids.graphNode, { step: REFUSED_AT });
    await until('the decision in the inspector', async () => {
      const text = await (await window.get(ids.inspector)).getText();
      return text.includes(WORDS) && text.includes('Ada Lund');
    });
    await window.screenshot('outcome-2-refused');

    // In the list and its filter, which is not that of what failed.
    await window.go('#/runs');
    const rows = async (key) => {
      await window.run('document.querySelector(`input[type="radio"][value="${arguments[0]}"]`).click()', key);
      return until(`the rows of ${key}`, async () => [(await window.all('run-row')).length]);
    };
    await window.get('run-row');
    assert.deepEqual(await rows('refused'), [1]);
    // What would show nothing is not offered.
    const offered = await window.run(
      'return [...document.querySelectorAll(`input[type="radio"]`)].map((one) => one.value)',
    );
    assert.ok(offered.includes('ended') && !offered.includes('failed'), offered.join(' '));
    assert.deepEqual(await rows('all'), [1]);

    // The first lines of the report.
    await window.go(`#/report/${run_id}`);
    await window.driver.switchTo().frame(await window.get(ids.reportFrame));
    const report = await window.driver.findElement(By.css('body')).getText();
    await window.driver.switchTo().defaultContent();
    const first = report.slice(0, 900);
    assert.match(first, /rehearsal/i);
    assert.match(first, /rejected by Ada Lund/i);
    assert.match(first, new RegExp(WORDS));
    await window.screenshot('outcome-3-report');
  });

  test('a run that waits for the person of a run inside it says so, and leads there', async () => {
    const { out } = await window.cli('run', 'around.runbook.md', '--until-blocked', '--json');
    const { run_id, waiting } = JSON.parse(out.trim().split('\n').at(-1));
    assert.notEqual(waiting.run_id, run_id);
    await window.go(`#/run/${run_id}`);
    await window.says('run-inside', /Child.*Is it well\?/);
    await window.screenshot('outcome-4-waits-inside');
    await window.click(ids.openDecision);
    await window.get(ids.gateBrief, { run: waiting.run_id });
    await window.answer(ids.gatePass);
    await window.get(ids.gateAnswered, { mine: 'true' });
    await window.go(`#/run/${run_id}`);
    await window.gone('run-inside');
  });

  test('who does the work is chosen in the settings, and then a run for real can begin', async () => {
    await window.go(`#/workflow/${FLOW}`);
    await window.click(ids.runStart);
    await real();
    await window.says(ids.startUnbound, /contract-reader/);
    await window.click('start-agents');
    await (await (await window.get('agents-all')).findElement(By.css('summary'))).click();
    const every = await window.get('agent', { agent: '*' });
    await window.run('arguments[0].scrollIntoView({ block: "center" })', every);
    await (await every.findElement(By.css('option[value="person"]'))).click();
    await (await until('a button to save', () => every.findElement(By.css(selector('agent-save'))))).click();
    const file = join(window.box.project, 'gatehouse.yaml');
    const written = async () => /^ {2}"\*": person$/m.test(await readFile(file, 'utf8'));
    await until('what was chosen, in the file', written);
    await window.screenshot('outcome-5-who-does-the-work');

    await window.go(`#/workflow/${FLOW}`);
    await window.click(ids.runStart);
    await real();
    const confirm = await window.get(ids.startConfirm);
    await until('a start for real', () => confirm.isEnabled());
    assert.deepEqual(await window.all(ids.startUnbound), []);
    await window.press(Key.ESCAPE);
  });

  test('another folder opens in a window of its own', async () => {
    const other = await mkdtemp(join(tmpdir(), 'gatehouse-other-'));
    try {
      const open = (folder) =>
        window.driver.executeAsyncScript(
          `const [folder, done] = arguments;
           window.__TAURI_INTERNALS__.invoke('open_folder', { folder }).then(() => done('opened'), (e) => done(e.code));`,
          folder,
        );
      assert.equal(await open(join(other, 'none')), 'not_found');
      assert.equal(await open(other), 'opened');
      // The programs that run, by their command lines.
      const program = await until('the other window', async () => {
        const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
        const lines = await Promise.all(
          all.map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')]),
        );
        const found = lines.filter(([, line]) => line.includes('gatehouse-desktop') && line.includes(other));
        return found.length > 0 && found.map(([pid]) => Number(pid));
      });
      for (const pid of program) process.kill(pid);
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  });

  test('had no errors in the page on the way', async () => {
    assert.deepEqual(await window.errors(), []);
  });
});
