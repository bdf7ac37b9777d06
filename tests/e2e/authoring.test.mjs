// A workflow made in the window alone: from an empty folder to a decision, without seeing YAML. Nothing but the window writes its file.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { Key, openWindow } from './harness/window.mjs';

const FILE = 'approve-a-contract.yaml';
/** What the gestures have written, looked at by a person. */
const WRITTEN = join(dirname(fileURLToPath(import.meta.url)), 'fixtures/authored', FILE);

describe('a flow is authored', () => {
  let window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());
  const leg = journey('authoring', () => window);
  const text = () => readFile(join(window.box.project, FILE), 'utf8');

  /** Names a new step in the dialog that is open, and chooses its kind. */
  async function describeStep(name, kind = 0) {
    await window.type(ids.addStepName, name);
    if (kind > 0) await (await window.all(ids.addStepKind))[kind].click();
    await window.click(ids.addStepMake);
    await window.gone(ids.addStep);
  }

  leg('begins with three questions', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go('#/library?new=workflow');
    await window.type(ids.newName, 'Approve a contract');
    await window.screenshot('authoring-1-new');
    await window.click(ids.newMake);
    await window.says(ids.inspector, 'Approve a contract');
    assert.ok((await readdir(window.box.project)).includes(FILE));
    await window.screenshot('authoring-2-first');
  });

  leg('grows by steps that are described in words', async () => {
    for (const [name, kind] of [
      ['Check the terms', 0],
      ['Decide on the contract', 1],
      ['Send the contract', 0],
    ]) {
      await window.click(ids.addOpen);
      await describeStep(name, kind);
      await window.says(ids.inspector, name);
    }
    await window.screenshot('authoring-3-steps');
    assert.match(await text(), /Decide on the contract/);
  });

  leg('takes a step on one of its lines', async () => {
    const [from, to] = await Promise.all(['from', 'to'].map(async (end) => (await window.data(ids.graphEdge, end))[1]));
    await window.click(ids.graphEdge, { from, to });
    await window.click(ids.edgeInsert);
    await describeStep('Ask the lawyer');
    await until('the step in the file', async () => (await text()).includes('ask_the_lawyer'));
    await window.get(ids.graphNode, { step: 'ask_the_lawyer' });
    await window.screenshot('authoring-4-inserted');
  });

  leg('asks a person where the shield is put', async () => {
    await window.click(ids.graphNode, { step: 'send_the_contract' });
    await window.click(ids.barGate);
    await until('the gate in the file', async () => /send_the_contract[^-]*human_gate: required/.test(await text()));
  });

  leg('is undone and done again', async () => {
    const whole = await text();
    for (let n = 0; n < 3; n += 1) {
      const before = await text();
      await window.click(ids.undo);
      await until('the text before', async () => (await text()) !== before);
    }
    const less = await text();
    assert.notEqual(less, whole);
    for (let n = 0; n < 3; n += 1) {
      const before = await text();
      await window.click(ids.redo);
      await until('the text after', async () => (await text()) !== before);
    }
    assert.equal(await text(), whole);
  });

  leg('is the text that was looked at', async () => {
    assert.equal(await text(), await readFile(WRITTEN, 'utf8'));
  });

  leg('leads back where somebody draws it so, and that is taken out again', async () => {
    const before = await text();
    const node = await window.get(ids.graphNode, { step: 'decide_on_the_contract' });
    await node.click();
    await node.sendKeys('c');
    await window.click(ids.graphNode, { step: 'check_the_terms' });
    // Of what a line back can mean the usual comes first.
    await window.get(ids.drawLine);
    await window.screenshot('authoring-6-draw');
    await window.click(ids.drawGo);
    await until('the loop in the file', async () => (await text()).includes('loop_target: check_the_terms'));
    await window.screenshot('authoring-7-loop');
    await window.click(ids.undo);
    await until('the text before', async () => (await text()) === before);
  });

  leg('says what follows before a step is deleted, and does it', async () => {
    const before = await text();
    await window.click(ids.graphNode, { step: 'ask_the_lawyer' });
    await window.click(ids.barRemove);
    await window.says(ids.consequence, '“Decide on the contract”');
    await window.screenshot('authoring-8-consequence');
    await window.click(ids.consequenceGo);
    await until('the step is gone', async () => !(await text()).includes('ask_the_lawyer'));
    await window.click(ids.undo);
    await until('the text before', async () => (await text()) === before);
  });

  leg('can be told and changed by keyboard alone, as an outline', async () => {
    await window.click(ids.tabOutline);
    await window.get(ids.outlineLine, { step: 'send_the_contract' });
    await window.click(ids.outlineLine, { step: 'first' });
    // The form of the step has to be there: its name is a field of it.
    await window.get('field-name');
    await (await window.get(ids.outlineLine, { step: 'first' })).sendKeys(Key.F2);
    const name = await window.get(ids.outlineRename);
    await name.sendKeys('Read the draft', Key.ENTER);
    await window.says(ids.outline, 'Read the draft');
    await window.screenshot('authoring-5-outline');
    assert.match(await text(), /Read the draft/);
  });

  leg('is typed in as well', async () => {
    await window.click('tab-source');
    await window.get(ids.source);
    await window.run('document.querySelector(".cm-content").focus()');
    await window.press('# Ours.', Key.ENTER);
    await window.get('source-save');
    await window.screenshot('authoring-6-source');
    await window.click('source-save');
    await until('the comment in the file', async () => (await text()).includes('# Ours.'));
  });

  leg('is told what can stand where somebody types', async () => {
    await window.gone('source-save');
    await (await window.driver.findElement({ css: '.cm-line:last-child' })).click();
    await window.press('desc');
    const offered = () => window.run('return document.querySelector(".cm-tooltip-autocomplete")?.textContent ?? ""');
    await until('what can be written', async () => (await offered()).includes('description'));
    await window.screenshot('authoring-7-offered');
    await window.press(Key.ENTER, 'By two people.', Key.ENTER);
    await window.click('source-save');
    await until('the field in the file', async () => (await text()).includes('description: By two people.\n'));
  });

  leg('is rehearsed from a step in its middle', async () => {
    await window.click('tab-graph');
    await window.click(ids.graphNode, { step: 'send_the_contract' });
    await window.click('step-rehearse');
    await window.says('start-from', 'Send the contract');
    await window.screenshot('authoring-8-from-here');
    await window.click('start-confirm');
    await window.says('run-begins', 'The rehearsal began at “Send the contract”');
    await window.screenshot('authoring-9-rehearsed');
    assert.deepEqual(await window.errors(), []);
  });
});
