// A StepSpec workflow in the real window: its form is filled in, tools are called, a check fails and the step is tried again, the
// policy asks a person, who sends the requirements back and then approves them; what was checked is confirmed by people, and
// everything that the contract names is on disk and verified. The agents are real programs.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { By } from 'selenium-webdriver';
import { ids, selector } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const WORKFLOW = 'product/plan-a-product.yaml';
const PHASES = ['Phase 1 Analysis', 'Phase 2 Planning', 'Phase 3 Solutioning', 'Phase 4 Implementation'];
const WISH = 'Say until when an order can be changed.';
/** What seed 000 names, beside the run's own log. */
const FILES = [
  'approvals.json',
  'artifacts.json',
  'events.jsonl',
  'evidence.json',
  'gates.json',
  'manifest.json',
  'timeline.json',
  'tool_results.json',
];

describe('a StepSpec workflow', () => {
  let window;
  let run;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  const leg = journey('stepspec', () => window);

  const status = async () => (await window.data(ids.runStatus, 'status'))[0];
  /** Replaces what stands in a field. */
  const fill = async (name, text) => {
    const field = await window.get(`${ids.startInput}${name}`);
    await field.clear();
    await field.sendKeys(text);
  };
  /** A file of the run's folder, as JSON. */
  const file = async (name) => JSON.parse(await readFile(join(window.project, '.gatehouse/runs', run, name), 'utf8'));
  const atGate = (round) => window.says(ids.gateBrief, `Round ${round}`);

  leg('is drawn with a lane for each phase', async () => {
    await window.ready();
    await window.sign('Ada Product');
    await window.go(`#/workflow/${WORKFLOW}?step=architecture`);
    await window.get(ids.graphLane);
    assert.deepEqual(await window.data(ids.graphLane, 'lane'), PHASES);
    await window.says(ids.gatePolicy, /every step of the phase “Phase 3 Solutioning”/);
    await window.says(ids.gatePolicy, /It stops the run\./);
    await window.screenshot('stepspec-1-workflow');
  });

  leg('asks before it begins, and says where an answer is wrong', async () => {
    await window.click(ids.runStart);
    await window.get(ids.startQuestions);
    await window.says(ids.startTools, /readTextFile/);
    await fill('product', 'Bread by eight');
    await fill('orders_an_hour', 'many');
    await window.click(ids.startConfirm);
    await window.says(ids.startQuestions, 'is answered with a number');
    await window.screenshot('stepspec-2-start');
    await fill('orders_an_hour', '90');
    await window.click(ids.startConfirm);
    const address = await until('the run', async () => {
      const now = await window.address();
      return /^#\/run\//.test(now) && now;
    });
    run = decodeURIComponent(address.replace('#/run/', '').replace(/\?.*/, ''));
  });

  leg('calls its tools, fails a check, tries again and then waits for a person', async () => {
    await until('the gate', async () => (await status()) === 'blocked', { within: 60_000 });
    await window.go(`#/run/${run}?step=prd`);
    await window.choose(ids.inspectorAttempt, 1);
    await window.says(ids.inspectorValidation, 'failed');
    await window.says(ids.inspectorValidation, /Template: docs\/product\/prd\.md/);
    await window.says(ids.inspectorCalls, /getCurrentTime[\s\S]*answered/);
    await window.screenshot('stepspec-3-check-failed');
    await window.choose(ids.inspectorAttempt, 2);
    await window.says(ids.inspectorValidation, /^(?![\s\S]*failed)/);
    await window.says(ids.inspectorEvidence, /checked automatically/);
  });

  leg('says why it asks, and how strong what it shows is', async () => {
    await window.click(ids.openDecision);
    await window.get(ids.gateBrief);
    await window.says(ids.gateWhy, /policy asks for a person in every step of the phase “Phase 3 Solutioning”/);
    await window.says(ids.gateEvidence, /Weakest evidence: prd\.md, checked automatically, valid for 1\d\d days/);
    await window.says(ids.gateChecks, /Template: docs\/product\/prd\.md/);
    await window.says(ids.gateRaises, /then counts as confirmed by a person/);
    await window.says('artifact', /Bread by eight/);
    await window.screenshot('stepspec-4-gate');
  });

  leg('is sent back with a wish, and made again', async () => {
    await window.type(ids.gateComment, WISH);
    await window.answer(ids.gateChanges);
    await window.next({ within: 60_000 });
    await atGate(2);
    await window.says('artifact', /1 line added since round 1/);
    await window.says('artifact', WISH);
    await window.screenshot('stepspec-5-second-round');
  });

  leg('is approved, and what was checked is confirmed', async () => {
    await window.type(ids.gateComment, 'Read every line.');
    await window.answer(ids.gateApprove);
    await window.next({ within: 60_000 });
    await window.get(ids.gateBrief, { gate: 'plan-a-product:handover:hitl' });
    await window.answer(ids.gateApprove);
    await window.go(`#/run/${run}`);
    await until('the end', async () => (await status()) === 'done', { within: 60_000 });
    // What stands on the painted sheet has no text of its own for the driver.
    await until('the phases in the timeline', async () => {
      const names = await window.run('return document.querySelector(arguments[0]).textContent', selector(ids.timeline));
      return PHASES.every((phase) => names.includes(phase));
    });
    await window.screenshot('stepspec-6-done');
  });

  leg('keeps its evidence, which a person promotes', async () => {
    await window.click(ids.navEvidence);
    const of = async (level) => (await window.all(ids.evidence, { level })).length;
    await until('the evidence of four steps', async () => (await window.all(ids.evidence)).length === 4);
    const before = await of('L2');
    assert.ok(before >= 1, 'what was approved is confirmed');
    const first = await window.get(ids.evidence, { level: 'L1' });
    await (await first.findElement(By.css(selector(ids.evidencePromote)))).click();
    await window.click(ids.promoteConfirm);
    assert.ok(await (await window.get(ids.promoteReason)).getAttribute('aria-invalid'), 'a reason is needed');
    await window.type(ids.promoteReason, 'Three regulars confirm it.');
    await window.screenshot('stepspec-7-promote');
    await window.click(ids.promoteConfirm);
    await until('one more corroborated', async () => (await of('L2')) === before + 1);
    await window.screenshot('stepspec-8-evidence');
  });

  leg('left every file of the contract, and all of it verifies', async () => {
    const there = await readdir(join(window.project, '.gatehouse/runs', run));
    assert.deepEqual(
      FILES.filter((name) => !there.includes(name)),
      [],
    );
    const evidence = JSON.stringify(await file('evidence.json'));
    assert.ok(evidence.includes('Three regulars confirm it.'), 'the promotion is in evidence.json');
    assert.ok(JSON.stringify(await file('decisions.json')).includes(WISH), 'every decision is in decisions.json');
    assert.ok(!JSON.stringify(await file('approvals.json')).includes(WISH), 'a wish for changes is no approval');
    assert.ok(JSON.stringify(await file('tool_results.json')).includes('getCurrentTime'));
    const { code, out, err } = await window.cli('verify', run);
    assert.equal(code, 0, `${out}${err}`);
    assert.deepEqual(await window.errors(), []);
  });
});
