// The past of a workflow in the real window: its versions side by side, the way back; the gates before a step; what a person who carries steps
// out reports; a run kept as a scenario, which is changed as a table.
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOW = `key: letter
title: Letter
steps:
  - id: draft
    name: Draft it
    role: Write it from the template.
    agents: [author]
    routing: {kind: linear, next: check}
  - id: check
    name: Check it
    agents: [author]
    routing: {kind: microloop, loop_target: draft, loop_condition_field: verdict, loop_success_values: [GOOD], next: send}
  - id: send
    name: Send it
    agents: [author]
    routing: {kind: linear}
`;

describe('the past of a workflow', () => {
  let window;
  let run;
  before(async () => {
    window = await openWindow({
      prepare: async ({ project }) => {
        await writeFile(join(project, 'letter.yaml'), FLOW);
        await writeFile(join(project, 'gatehouse.yaml'), 'agents:\n  author: {engine: person}\n');
      },
    });
  });
  after(() => window?.close());
  const leg = journey('history', () => window);
  const text = () => readFile(join(window.box.project, 'letter.yaml'), 'utf8');

  leg('is listed with what each change was, and two versions stand beside each other', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go('#/workflow/letter.yaml');
    await window.click(ids.graphNode, { step: 'draft' });
    await window.click(ids.barGate);
    await until('the gate in the file', async () => (await text()).includes('human_gate: required'));
    await window.click('tab-history');
    await until('two versions', async () => (await window.all('history-version')).length === 2);
    await window.get('history-earlier');
    await window.says('history-differences', 'Draft it');
    await window.screenshot('history-1-compared');
  });

  leg('is gone back to, and that is undone', async () => {
    const gated = await text();
    await window.click('history-back');
    await window.says('history-differences', 'Draft it');
    await window.click('history-back-go');
    await until('the text before', async () => (await text()) === FLOW);
    await window.screenshot('history-2-back');
    await window.click(ids.undo);
    await until('the text with the gate', async () => (await text()) === gated);
  });

  leg('begins with what stands before a step', async () => {
    await window.click('tab-graph');
    await window.click(ids.graphNode, { step: 'send' });
    await window.says('step-gates-before', 'Every way here passes the gate at “Draft it”.');
    await window.click(ids.undo);
    await window.click(ids.graphNode, { step: 'send' });
    await window.says('step-gates-before', 'No gate stands before this step');
    await window.click('step-way');
    await window.screenshot('history-3-way');
  });

  leg('is made by people who say what is so', async () => {
    const { code, out, err } = await window.cli('run', 'letter.yaml', '--until-blocked');
    assert.equal(code, 0, out + err);
    run = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(out)?.[0];
    await window.go('#/inbox');
    await window.says(ids.gateAnswers, 'FAIL');
    await window.says('gate-instructions', 'Write it from the template.');
    await window.answer('gate-pass');
    await window.next();
    // Nothing is chosen for anybody.
    const pass = await window.get('gate-pass');
    assert.equal(await pass.isEnabled(), false);
    await window.run('document.querySelector("[data-testid=gate-reports] input").click()');
    await window.says('gate-reports', '“Send it” comes next.');
    await window.screenshot('history-4-report');
    await window.answer('gate-pass');
    await window.next();
    await window.answer('gate-pass');
    await until('the end', async () => (await window.cli('status', run)).out.includes('done'));
  });

  leg('is kept as a scenario, and its table is changed', async () => {
    await window.go(`#/run/${run}`);
    await window.click('run-menu');
    await window.click('run-keep');
    await window.type('keep-name', ' as it was');
    await window.click('keep-go');
    const folder = join(window.box.project, 'letter.scenarios');
    // While it is written it has another name, which begins with a dot.
    const whole = async () => (await readdir(folder).catch(() => [])).find((file) => !file.startsWith('.'));
    const name = await until('the scenario', whole);
    assert.match(await readFile(join(folder, name), 'utf8'), /verdict: GOOD/);
    await window.go('#/workflow/letter.yaml?tab=tests');
    await window.says('tests', 'passed');
    await window.click('scenario-edit');
    await window.get('scenario-row');
    await window.screenshot('history-5-table');
    await window.click('scenario-row-remove');
    await until('a visit less', async () => !(await readFile(join(folder, name), 'utf8')).includes('verdict: GOOD'));
    await window.click('scenario-undo');
    await until('it is back', async () => (await readFile(join(folder, name), 'utf8')).includes('verdict: GOOD'));
  });
});
