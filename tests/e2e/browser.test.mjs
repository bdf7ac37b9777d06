// The pages in a browser, on the real backend through `gatehouse serve`: every screen for accessibility, the keyboard
// alone, and what happens when several programs work on one project.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ids, selector } from './harness/ids.mjs';
import { addLong, beyond, long } from './harness/long.mjs';
import { addMaking, making } from './harness/making.mjs';
import { addSample, sample } from './harness/sample.mjs';
import { until } from './harness/sandbox.mjs';
import { addScan, ink, scan } from './harness/scan.mjs';
import { alive, atRest, by, serve, shot } from './harness/serve.mjs';

const axe = await readFile(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** The accessibility faults of the page, one line each. */
async function faults(page) {
  // An answer that has just come alive is still changing its colour.
  await page.waitForFunction(() => !document.querySelector('[data-testid="gate-answers"][data-live="false"]'));
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished)));
  // Not as a script element: the page's own policy would refuse it.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      // The report is a document of its own in a sandbox without scripts; nothing can look inside from here.
      iframes: false,
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help} — ${node.html.slice(0, 160)}`),
    );
  });
}

/** Screens that have been judged. */
let judged = 0;

/**
 * Judges a screen in both themes: it has no accessibility faults in either. Every other one is opened in the dark theme, and from the one
 * that it was opened in it changes to the other as it does when a person's system does.
 * @returns {Promise<string[]>} what went wrong in the page
 */
async function judge(served, { at, landmark, act }) {
  const themes = judged % 2 === 0 ? ['light', 'dark'] : ['dark', 'light'];
  judged += 1;
  const page = await served.page({ at, theme: themes[0] });
  await by(page, landmark).first().waitFor();
  await act?.(page);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForFunction((name) => document.documentElement.dataset.theme === name, theme);
    await atRest(page);
    assert.deepEqual(await faults(page), [], `in ${theme}`);
  }
  await page.context().close();
  return page.problems;
}

/** @type {[string, () => void][]} */
const suites = [];
const suite = (name, tests) => suites.push([name, tests]);

/** Somebody says who they are. */
async function named(served) {
  const page = await served.page({ at: '#/settings' });
  await by(page, ids.settingsName).fill('Ada Reviewer');
  await by(page, ids.settingsSave).click();
  await until('the name to be kept', async () => (await page.locator('nav').innerText()).includes('Ada Reviewer'));
  await page.context().close();
}

suite('the pages', () => {
  let served;
  let run;
  let waits;
  before(async () => {
    served = await serve({ prepare: addSample });
    await named(served);
    // One run that ended well, one that waits.
    const play = (...words) => served.cli('run', sample.path, '--scenario', sample.scenario, '--fast', ...words);
    const ended = await play('--yes');
    assert.equal(ended.code, 0, ended.err);
    await play('--until-blocked');
    const listed = JSON.parse((await served.cli('list', '--json')).out);
    assert.deepEqual(
      listed.map(({ status }) => status),
      ['blocked', 'done'],
    );
    run = listed.at(-1).run_id;
    waits = listed[0].run_id;
  });
  after(() => served?.close());

  const screens = {
    inbox: () => '#/inbox',
    library: () => '#/library',
    workflow: () => `#/workflow/${sample.path}`,
    source: () => `#/workflow/${sample.path}?tab=source`,
    run: () => `#/run/${run}`,
    runs: () => '#/runs',
    choosing: () => `#/compare/${run}`,
    compare: () => `#/compare/${run}/${waits}`,
    report: () => `#/report/${run}`,
    settings: () => '#/settings',
  };
  /** What must be there before a screen is judged: an empty page has no faults either. */
  const landmarks = {
    inbox: ids.gateApprove,
    library: ids.workflowCard,
    workflow: ids.graphNode,
    source: ids.source,
    run: ids.timeline,
    runs: 'run-row',
    choosing: 'run-row',
    compare: 'compare-row',
    report: ids.reportFrame,
    settings: ids.settingsName,
  };
  for (const [name, address] of Object.entries(screens)) {
    test(`${name} has no accessibility faults and no errors`, async () => {
      assert.deepEqual(await judge(served, { at: address(), landmark: landmarks[name] }), []);
    });
  }

  test('in a low and narrow window a question and its answers are seen together', async () => {
    const page = await served.page({ at: '#/inbox', width: 853, height: 533 });
    await alive(page);
    await atRest(page);
    const question = await page.locator('#gate-question').boundingBox();
    const answers = await page.locator(`${selector(ids.gateAnswers)} .answers button`).all();
    assert.ok(answers.length > 1);
    const buttons = await Promise.all(answers.map((one) => one.boundingBox()));
    assert.ok(question.y >= 0, `the question stands at ${question.y}`);
    for (const { y, height } of buttons) {
      assert.ok(y > question.y + question.height && y + height <= 533, `an answer stands at ${y}`);
    }
    await page.context().close();
  });

  test('a run is handed over as one file, which is checked as somebody else would', async () => {
    const page = await served.page({ at: `#/report/${run}` });
    await by(page, ids.reportFrame).waitFor();
    await by(page, 'report-hand-over').click();
    await by(page, 'hand-over-write').click();
    const said = by(page, 'hand-over-written');
    await said.waitFor();
    const path = await said.locator('.path').innerText();
    assert.match(path, /\.zip$/);
    await page.goto(`${page.url().split('#')[0]}#/runs`);
    await by(page, 'runs-check-bundle').click();
    await by(page, 'bundle-path').fill(path);
    await by(page, 'bundle-check').click();
    const found = by(page, 'bundle-found');
    await found.waitFor();
    assert.equal(await found.getAttribute('data-ok'), 'true', await found.innerText());
    assert.match(await found.innerText(), /word for word/);
    await atRest(page);
    assert.deepEqual(await faults(page), []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('two runs are put beside each other, and what the one does meanwhile is told', async () => {
    const page = await served.page({ at: '#/runs' });
    await by(page, 'runs-compare').click();
    await page.locator(selector('run-row', { run })).getByRole('link').click();
    await page.getByRole('heading', { name: 'Choose the run to compare it with' }).waitFor();
    await page
      .locator(selector('run-row', { run: waits }))
      .getByRole('link')
      .click();
    const words = by(page, 'compare-words');
    await words.waitFor();
    assert.match(
      await words.innerText(),
      /people decided otherwise\. First run: approved by .*\. Second run: nobody answered\./,
    );
    const parted = page.locator('tr', { hasText: 'Here they part' });
    assert.match(await parted.innerText(), /other answers[\s\S]*waits for a person/);
    // What it did is a press away, on its own page.
    await parted.getByRole('link', { name: /^Second run/ }).click();
    await page.waitForURL(new RegExp(`#/run/${waits}`));
    await by(page, 'run-menu').click();
    await by(page, 'run-compare').click();
    await page.waitForURL(new RegExp(`#/compare/${waits}$`));
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('what is told over everything has the whole width of the navigation, and covers nothing of it', async () => {
    const page = await served.page({ at: '#/settings' });
    await by(page, 'settings-roles').fill('legal');
    await by(page, ids.navLibrary).click();
    const toast = by(page, ids.toast);
    await toast.waitFor();
    const [told, words, last] = await Promise.all(
      [toast, toast.locator('p').first(), by(page, ids.navSettings)].map((one) => one.boundingBox()),
    );
    assert.ok(words.width > 0.8 * told.width, `the words take ${words.width} px of ${told.width}`);
    assert.ok(told.y > last.y + last.height, 'what leads elsewhere is not covered');
    // What is told leads back to what was typed.
    await toast.getByRole('link').click();
    assert.equal(await by(page, 'settings-roles').inputValue(), 'legal');
    await page.context().close();
  });

  test('a log opens at its end', async () => {
    const page = await served.page({ at: `#/run/${run}` });
    await by(page, ids.tabLog).click();
    const frame = page.getByRole('log');
    const below = () => frame.evaluate((one) => one.scrollHeight - one.clientHeight - one.scrollTop);
    await until('a log that is longer than its place', () =>
      frame.evaluate((one) => one.scrollHeight > one.clientHeight),
    );
    await atRest(page);
    // A border of its last line may.
    assert.ok((await below()) < 4, `${await below()} px of it stand below what is seen`);
    await page.context().close();
  });

  test('needs its token, and answers only to its own name', async () => {
    const url = new URL(served.address);
    const call = (headers) =>
      fetch(new URL('/rpc', url), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ method: 'inbox.list', params: {} }),
      });
    assert.equal((await call({})).status, 401);
    assert.equal((await call({ Authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await call({ Authorization: `Bearer ${url.searchParams.get('token')}` })).status, 200);
    assert.equal((await call({ Origin: 'https://elsewhere.example' })).status, 403);
    const page = await served.page({ at: '#/settings' });
    assert.equal(new URL(page.url()).search, '', 'the token has left the address');
    assert.equal(new URL(page.url()).hash, '#/settings');
    assert.equal(await page.evaluate(() => document.cookie), '', 'no script reads the cookie');
    await page.reload();
    await page.waitForSelector('html[data-ui-ready="ready"]', { state: 'attached' });
    await page.context().clearCookies();
    await page.reload();
    await page.getByText('open the address it printed').first().waitFor();
    await page.context().close();
  });
});

suite('pipelines', () => {
  let served;
  let runs;
  /** One that ends with a failure, and one that waits for a person while another stage is at work. */
  const FILES = {
    'PIPE-20260201-mixed-100000': `name: A release with a failure
error_handling: skip_dependents
stages:
  - { name: plan, agents: [quick], parallel: false, depends_on: [], outputs: [] }
  - { name: build, agents: [broken], parallel: true, depends_on: [plan], outputs: [] }
  - { name: words, agents: [quick], parallel: true, depends_on: [plan], outputs: [] }
  - { name: ship, agents: [quick], parallel: false, depends_on: [build], outputs: [] }
`,
    'PIPE-20260201-asks-100001': `name: A release that asks
stages:
  - { name: plan, agents: [quick], parallel: true, depends_on: [], outputs: [], human_gate: required }
  - { name: slow, agents: [slow], parallel: true, depends_on: [], outputs: [] }
  - { name: ship, agents: [quick], parallel: false, depends_on: [plan, slow], outputs: [] }
`,
  };
  before(async () => {
    served = await serve({
      prepare: async (box) => {
        await writeFile(
          join(box.project, 'gatehouse.yaml'),
          `agents:
  quick: { engine: shell, run: "echo done" }
  slow: { engine: shell, run: "sleep 600" }
  broken: { engine: shell, run: "echo no compiler >&2; exit 3" }
`,
        );
        await mkdir(join(box.project, 'pipelines'), { recursive: true });
        for (const [id, text] of Object.entries(FILES)) {
          await writeFile(join(box.project, `pipelines/${id}.yaml`), `pipeline_id: ${id}\n${text}`);
        }
      },
    });
    const page = await served.page();
    const started = {};
    for (const id of Object.keys(FILES)) {
      await page.goto(`${served.address}#/workflow/pipelines/${id}.yaml`);
      await by(page, ids.runStart).click();
      await by(page, ids.startConfirm).click();
      await page.waitForURL(/#\/run\//);
      started[id] = new URL(page.url()).hash.replace(/\?.*/, '');
      const wanted = id.includes('mixed') ? 'partly' : 'running';
      await until(`${id} to be ${wanted}`, async () => {
        const now = await by(page, ids.runStatus).getAttribute('data-status');
        return (
          now === wanted && (wanted === 'partly' || (await by(page, ids.graphNode, { status: 'blocked' }).count()))
        );
      });
    }
    await page.context().close();
    const [mixed, asks] = Object.values(started);
    runs = { mixed, asks };
  });
  after(() => served?.close());

  const screens = {
    'the templates': { at: () => '#/library?new=pipeline', landmark: ids.template },
    'what is typed': {
      at: () => '#/library?new=pipeline',
      landmark: ids.template,
      act: async (page) => {
        await by(page, ids.template, { template: 'full_sdlc' }).click();
        await by(page, ids.draftName).fill('Spring');
        await by(page, ids.stageOpen).nth(1).click();
        await by(page, ids.draftPath).waitFor();
      },
    },
    'its text': {
      at: () => '#/library?new=pipeline',
      landmark: ids.template,
      act: async (page) => {
        await by(page, ids.template, { template: 'quick_flow' }).click();
        await by(page, ids.draftTextTab).click();
        await by(page, ids.source).waitFor();
      },
    },
    'a run that asks': { at: () => runs.asks, landmark: ids.timeline },
    aborting: {
      at: () => runs.asks,
      landmark: ids.timeline,
      act: (page) => by(page, ids.runAbort).click(),
    },
    'a run that ended': {
      at: () => runs.mixed,
      landmark: ids.timeline,
      act: (page) => by(page, 'ending-details').click(),
    },
    outputs: { at: () => runs.mixed, landmark: ids.timeline, act: (page) => by(page, ids.tabOutputs).click() },
    resuming: { at: () => `${runs.mixed}?ask=resume`, landmark: ids.resumeStage },
    'the list of runs': { at: () => '#/runs', landmark: 'run-row' },
  };
  for (const [name, { at, landmark, act }] of Object.entries(screens)) {
    test(`${name}: no accessibility faults and no errors`, async () => {
      assert.deepEqual(await judge(served, { at: at(), landmark, act }), []);
    });
  }

  test('say while they ask what waits for the answer, and that the rest goes on', async () => {
    const page = await served.page({ at: runs.asks });
    await by(page, ids.openDecision).first().click();
    await by(page, 'gate-meanwhile').waitFor();
    const brief = await by(page, ids.gateBrief).innerText();
    assert.match(brief, /“plan” is completed\. “ship” waits for it\./);
    await page.context().close();
  });

  test('are made with the keyboard alone', async () => {
    const page = await served.page({ at: '#/library?new=pipeline' });
    const focused = (id) =>
      until(`the focus on ${id}`, () => page.evaluate((name) => document.activeElement?.dataset.testid === name, id));
    await focused(ids.template);
    await page.keyboard.press('Enter');
    await focused(ids.draftName);
    await page.keyboard.type('By keyboard');
    for (let press = 0; press < 20; press += 1) {
      if (await page.evaluate((name) => document.activeElement?.dataset.testid === name, ids.stageName)) break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.type('build');
    await page.keyboard.press('Enter');
    await until('the second stage', async () => (await by(page, ids.stage).count()) === 2);
    await focused(ids.stageName);
    await page.keyboard.type('ship');
    await until('both of them drawn', async () => (await by(page, ids.graphNode).count()) === 2);
    await by(page, ids.draftPreview, { stale: 'false' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/#\/workflow\/pipelines\/PIPE-\d{8}-by-keyboard-\d{6}\.yaml/);
    await by(page, ids.graphNode, { step: 'ship' }).waitFor();
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
});

suite('where a workflow is made', () => {
  let served;
  before(async () => {
    served = await serve({
      prepare: async (box) => {
        await addSample(box);
        await addMaking(box);
      },
    });
  });
  after(() => served?.close());

  for (const name of Object.keys(making({ project: '' }))) {
    test(`${name} has no accessibility faults and no errors`, async () => {
      const [at, landmark, act, refusal] = making(served)[name];
      const problems = await judge(served, { at, landmark, act });
      const [refused, others] = [true, false].map((is) =>
        problems.filter((problem) => is === Boolean(refusal?.test(problem))),
      );
      assert.deepEqual(others, []);
      assert.equal(refused.length > 0, refusal !== undefined);
    });
  }

  test('a step of the picture is given another name by a double click, and by its menu', async () => {
    const page = await served.page({ at: '#/workflow/workshops/approve-a-contract.yaml' });
    const step = by(page, ids.graphNode, { step: 'ask_the_lawyer' });
    const chosen = () =>
      page.evaluate(() => {
        const { activeElement: field } = document;
        return field?.dataset.testid === 'field-name' && field.selectionEnd - field.selectionStart;
      });
    // What can be done with a step is known a moment after it is drawn; who sees nothing come of a double click makes it again.
    await until('the name to be chosen', async () => {
      await step.dblclick();
      await page.waitForTimeout(500);
      return chosen();
    });
    await page.keyboard.type('Write it down');
    await page.keyboard.press('Enter');
    await until('the other name', async () => (await step.innerText()).includes('Write it down'));
    await step.click({ button: 'right' });
    await by(page, 'menu-rename').click();
    assert.equal(await until('the name to be chosen', chosen), 'Write it down'.length);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
});

suite('names of any length', () => {
  const LOW = { width: 960, height: 600 };
  const USUAL = { width: 1280, height: 800 };
  const workflow = `#/workflow/${long.path}`;
  let served;
  let runs;
  before(async () => {
    served = await serve({
      prepare: async (box) => {
        await addSample(box);
        await addLong(box);
      },
    });
    await named(served);
    for (const { path, scenario } of [sample, long]) {
      for (const how of ['--yes', '--until-blocked']) {
        const { code, err } = await served.cli('run', path, '--scenario', scenario, '--fast', how);
        assert.equal(code, 0, err);
      }
    }
    const listed = JSON.parse((await served.cli('list', '--json')).out);
    const [waits, ended, other] = ['blocked', 'done', 'blocked'].map((status, i) =>
      listed.filter((run) => run.status === status).at(i === 2 ? -1 : 0),
    );
    runs = { waits: waits.run_id, ended: ended.run_id, other: other.run_id };
  });
  after(() => served?.close());

  const click = (id) => (page) => by(page, id).first().click();
  /** Address, what must be there, and what is done then. */
  const screens = {
    library: () => ['#/library', ids.workflowCard],
    workflow: () => [workflow, ids.graphNode],
    'a step of it': () => [`${workflow}?step=${long.step}`, 'field-name'],
    'its outline': () => [`${workflow}?tab=outline&step=${long.step}`, ids.outlineLine],
    'its tests': () => [`${workflow}?tab=tests`, ids.tests],
    'the start of a run': () => [workflow, ids.runStart, click(ids.runStart)],
    'the list of runs': () => ['#/runs', 'run-row'],
    'a run that waits': () => [`#/run/${runs.waits}?step=${long.step}`, ids.timeline],
    'a run that ended': () => [`#/run/${runs.ended}?step=write`, ids.timeline],
    'its log': () => [`#/run/${runs.ended}`, ids.timeline, click('tab-log')],
    inbox: () => ['#/inbox', ids.gateApprove],
    gate: () => [
      '#/inbox',
      ids.gateCard,
      async (page) => {
        await by(page, ids.gateCard, { run: runs.waits }).click();
        await by(page, ids.gateApprove).waitFor();
      },
    ],
    'what is not there': () => [
      `#/inbox/${runs.waits}/${long.step}x`,
      ids.navInbox,
      (page) => page.getByText('Try again').waitFor(),
    ],
  };
  for (const [n, [name, screen]] of Object.entries(screens).entries()) {
    test(`${name}: nothing reaches out of its place`, async () => {
      const [at, landmark, act] = screen();
      // Every other one is opened in the low window, and then gets the room.
      const sizes = n % 2 === 0 ? [USUAL, LOW] : [LOW, USUAL];
      const page = await served.page({ at, ...sizes[0] });
      await by(page, landmark).first().waitFor();
      await act?.(page);
      for (const size of sizes) {
        await page.setViewportSize(size);
        await atRest(page);
        assert.deepEqual(await page.evaluate(beyond), [], `${size.width} pixels wide`);
      }
      await page.context().close();
    });
  }

  test('the title of a rehearsal that waits has the room that there is', async () => {
    const page = await served.page({ at: `#/run/${runs.other}` });
    await by(page, ids.runStatus).waitFor();
    const [wide, shown] = await page.locator('h1').evaluate((title) => [title.scrollWidth, title.clientWidth]);
    assert.equal(wide, shown);
    await page.context().close();
  });
});

suite('StepSpec workflows', () => {
  const PLAN = 'product/plan-a-product.yaml';
  const PAY = 'compliance/payments-new-supplier.yaml';
  let served;
  let runs;
  before(async () => {
    served = await serve();
    await named(served);
    const play = async (path) => {
      const begun = await served.cli('run', path, '--until-blocked');
      assert.equal(begun.code, 0, begun.err);
      return JSON.parse((await served.cli('list', '--json')).out)[0].run_id;
    };
    const plan = await play(PLAN);
    // Up to the tool that asks.
    const pay = await play(PAY);
    for (const step of ['screening', 'assessment', 'payment']) {
      const gate = `payments-new-supplier:${step}:hitl`;
      await served.cli('answer', pay, gate, 'approve', '--by', 'Ada Reviewer', '--comment', 'looked at');
      await served.cli('resume', pay, '--until-blocked');
    }
    // And one that a person has refused.
    const refused = await play(PLAN);
    const no = ['reject', '--by', 'Ada Reviewer', '--comment', 'not this'];
    await served.cli('answer', refused, 'plan-a-product:architecture:hitl', ...no);
    runs = { plan, pay, refused };
  });
  after(() => served?.close());

  const screens = {
    'a workflow with phases': { at: () => `#/workflow/${PLAN}?step=architecture`, landmark: ids.graphLane },
    'what is asked before': {
      at: () => `#/workflow/${PLAN}`,
      landmark: ids.runStart,
      act: async (page) => {
        await by(page, ids.runStart).click();
        await by(page, `${ids.startInput}product`).fill('');
        await by(page, ids.startConfirm).click();
        await page.locator('[aria-invalid="true"]').first().waitFor();
      },
    },
    'a run in phases': { at: () => `#/run/${runs.plan}?step=prd`, landmark: ids.inspectorCalls },
    'a gate of the policy': {
      at: () => `#/inbox/${runs.plan}/${encodeURIComponent('plan-a-product:architecture:hitl')}`,
      landmark: ids.gateEvidence,
      act: async (page) => {
        for (const summary of await page.locator('details > summary').all()) await summary.click();
      },
    },
    'a tool that asks': {
      at: () => `#/inbox/${runs.pay}/${encodeURIComponent('tool:schedulePayment:payment')}`,
      landmark: ids.gateTool,
    },
    evidence: { at: () => '#/evidence', landmark: ids.evidence },
    'evidence of a run': { at: () => `#/evidence/${runs.pay}`, landmark: ids.evidence },
    promoting: {
      at: () => '#/evidence',
      landmark: ids.evidence,
      act: (page) => by(page, ids.evidencePromote).first().click(),
    },
    'going on': {
      at: () => `#/run/${runs.refused}`,
      landmark: 'run-reopen',
      act: (page) => by(page, 'run-reopen').click(),
    },
  };
  for (const [name, { at, landmark, act }] of Object.entries(screens)) {
    test(`${name}: no accessibility faults and no errors`, async () => {
      const problems = await judge(served, { at: at(), landmark, act });
      // An answer that cannot be taken is refused, and the browser says so.
      assert.deepEqual(
        problems.filter((one) => !/status of 422/.test(one)),
        [],
      );
    });
  }

  test('evidence is promoted with the keyboard alone', async () => {
    const page = await served.page({ at: `#/evidence/${runs.plan}` });
    await by(page, ids.evidence).first().waitFor();
    const before = await by(page, ids.evidence, { level: 'L2' }).count();
    const focused = () => page.evaluate(() => document.activeElement?.dataset.testid ?? '');
    const tabTo = async (id) => {
      for (let press = 0; press < 60 && (await focused()) !== id; press += 1) await page.keyboard.press('Tab');
      assert.equal(await focused(), id);
    };
    await tabTo(ids.evidencePromote);
    await page.keyboard.press('Enter');
    await by(page, ids.promoteReason).waitFor();
    await tabTo(ids.promoteReason);
    await page.keyboard.type('Read every line.');
    await tabTo(ids.promoteConfirm);
    await page.keyboard.press('Enter');
    await until('one more corroborated', async () => (await by(page, ids.evidence, { level: 'L2' }).count()) > before);
    await page.context().close();
  });
});

suite('with the keyboard alone', () => {
  let served;
  before(async () => {
    served = await serve({ prepare: addSample });
  });
  after(() => served?.close());

  test('a run is started, its gate is approved, and its time is walked through', async () => {
    const page = await served.page();
    const focused = () => page.evaluate(() => document.activeElement?.closest('[data-testid]')?.dataset.testid ?? '');
    /** Presses Tab until the focus is on the element, at most as often as a person would bear. */
    const tabTo = async (id, data) => {
      const wanted = page.locator(selector(id, data)).first();
      await wanted.waitFor();
      for (let press = 0; press < 80; press += 1) {
        const here = await wanted.evaluate(
          (element) => element === document.activeElement || element.contains(document.activeElement),
        );
        if (here) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`Tab never reached ${id}; the focus is on “${await focused()}”`);
    };
    const press = async (id, data) => {
      await tabTo(id, data);
      await page.keyboard.press('Enter');
    };

    await press(ids.navSettings);
    await tabTo(ids.settingsName);
    await page.keyboard.type('Ada Reviewer');
    await page.keyboard.press('Enter');

    await press(ids.navLibrary);
    await press(ids.workflowCard, { path: sample.path });
    await press(ids.runStart);
    await press(ids.startConfirm);
    await page.waitForURL(/#\/run\//);
    await until(
      'the run to wait',
      async () => (await by(page, ids.runStatus).getAttribute('data-status')) === 'blocked',
    );

    await press(ids.openDecision);
    await alive(page);
    await press(ids.gateApprove);
    await page.locator(selector(ids.gateApprove)).waitFor({ state: 'detached' });

    await press(ids.navRuns);
    await press('run-row');
    await until(
      'the end of the run',
      async () => (await by(page, ids.runStatus).getAttribute('data-status')) === 'done',
    );
    const last = by(page, ids.graphNode, { step: sample.last });
    assert.equal(await last.getAttribute('data-status'), 'done');
    await tabTo(ids.playhead);
    await page.keyboard.press('Home');
    await until('the graph as of the beginning', async () => (await last.getAttribute('data-status')) !== 'done');
    await page.keyboard.press('End');
    await until('the graph as it is now', async () => (await last.getAttribute('data-status')) === 'done');
    assert.deepEqual(page.problems, []);
  });
});

suite('several programs on one project', () => {
  let served;
  before(async () => {
    served = await serve({ prepare: addSample });
    await named(served);
  });
  after(() => served?.close());
  const newest = async () => JSON.parse((await served.cli('list', '--json')).out)[0];

  test('a run of the command line appears live, and goes on after the answer given in the page', async () => {
    const page = await served.page({ at: '#/inbox' });
    const running = served.cli('run', sample.path, '--scenario', sample.scenario);
    await by(page, ids.gateCard).first().click();
    const { run_id: run } = await newest();
    await alive(page);
    await by(page, ids.gateApprove).click();
    const { code, out, err } = await running;
    assert.equal(code, 0, `${out}\n${err}`);
    await page.goto(`${served.address}#/run/${run}`);
    await until(
      'the end, in the page',
      async () => (await by(page, ids.runStatus).getAttribute('data-status')) === 'done',
    );
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('a run of the page goes on after the answer given on the command line', async () => {
    const page = await served.page({ at: `#/workflow/${sample.path}` });
    await by(page, ids.runStart).click();
    await by(page, ids.startConfirm).click();
    await page.waitForURL(/#\/run\//);
    await until(
      'the run to wait',
      async () => (await by(page, ids.runStatus).getAttribute('data-status')) === 'blocked',
    );
    const { run_id: run } = await newest();
    const { code, err } = await served.cli(
      'answer',
      run,
      sample.loop.from,
      'approve',
      '--by',
      'Grace',
      '--comment',
      'Fine.',
    );
    assert.equal(code, 0, err);
    await until(
      'the end, in the page',
      async () => (await by(page, ids.runStatus).getAttribute('data-status')) === 'done',
    );
    await page.context().close();
  });

  test('of two windows that answer one gate the first wins, and the second is told who did', async () => {
    await served.cli('run', sample.path, '--scenario', sample.scenario, '--fast', '--until-blocked');
    const { run_id: run } = await newest();
    const [first, second] = [await served.page({ at: '#/inbox' }), await served.page({ at: '#/inbox' })];
    for (const page of [first, second]) await by(page, ids.gateCard, { run }).first().click();
    for (const page of [first, second]) await alive(page);
    await by(second, ids.gateComment).fill('I say no.');
    await by(first, ids.gateApprove).click();
    await by(second, ids.gateReject)
      .click({ timeout: 2000 })
      .catch(() => {}); // it may be gone or disabled already, which tells as much
    await until('the second to be told', async () => /Ada Reviewer/.test(await second.locator('main').innerText()));
    await shot(second, 'screenshots', 'second-answer');
    const { out } = await served.cli('events', run, '--vocabulary', 'native');
    const answers = out.split('\n').filter((line) => /gate_answered|GateAnswered/.test(line));
    assert.equal(answers.length, 1, out);
    for (const page of [first, second]) await page.context().close();
  });
});

suite('a PDF document and a picture', () => {
  let served;
  before(async () => {
    served = await serve({ prepare: addScan });
    await named(served);
  });
  after(() => served?.close());

  /** A new run that waits for a decision about both, on the page of its gate. */
  async function atGate() {
    const page = await served.page({ at: `#/workflow/${scan.path}` });
    await by(page, ids.runStart).click();
    await by(page, ids.startConfirm).click();
    await by(page, ids.openDecision).first().click();
    await until('the first page, and the picture', async () => {
      const { pages, picture } = await page.evaluate(ink);
      return pages[0] > 100 && picture === 800;
    });
    return page;
  }
  /** What the record holds of the answer to the newest run. */
  async function answered() {
    const [{ run_id: run }] = JSON.parse((await served.cli('list', '--json')).out);
    return (await served.cli('events', run, '--vocabulary', 'native')).out;
  }

  test('are drawn at the gate, and recorded as shown once all of them is drawn', async () => {
    const page = await atGate();
    assert.match(await by(page, ids.gateUndrawn).innerText(), /contract\.pdf/);
    assert.equal((await page.evaluate(ink)).pages.at(-1), 0, 'the last page is far away');
    for (const sheet of await by(page, ids.pdfPage).all()) {
      await sheet.evaluate((page) => page.scrollIntoView());
      await sheet.locator('canvas').waitFor();
      await sheet.evaluate((page) => page.scrollIntoView(false));
      await until('its end to be shown', async () => (await sheet.getAttribute('data-shown')) === 'true');
    }
    assert.ok((await page.evaluate(ink)).pages.at(-1) > 100, 'the last page is drawn');
    assert.ok((await by(page, ids.pdfPage).last().innerText()).includes(scan.last));
    await by(page, ids.picture).evaluate((picture) => picture.scrollIntoView(false));
    await until('all to be shown', async () => (await by(page, ids.gateUndrawn).count()) === 0);
    assert.deepEqual(await faults(page), []);
    await shot(page, 'screenshots', 'pdf-at-a-gate');
    await alive(page);
    await by(page, ids.gateApprove).click();
    await by(page, ids.gateAnswered).waitFor();
    assert.ok(!(await answered()).includes('undrawn'));
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test('of which a page was never drawn are recorded as named', async () => {
    const page = await atGate();
    await alive(page);
    await by(page, ids.gateApprove).click();
    await by(page, ids.gateAnswered).waitFor();
    assert.match(await answered(), /undrawn/);
    await page.context().close();
  });
});

// Each has a project, a server and a browser of its own: while one of them waits, another one goes on.
describe('in a browser', { concurrency: 2 }, () => {
  for (const [name, tests] of suites) describe(name, { concurrency: 1 }, tests);
});
