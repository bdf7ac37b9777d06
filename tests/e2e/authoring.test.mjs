// A workflow made in the window alone: from an empty folder to a decision, without seeing YAML. Nothing but the window writes its file.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { Key, openWindow } from './harness/window.mjs';

const FILE = 'approve-a-contract.yaml';
/** What somebody would have written by hand. */
const WRITTEN = join(dirname(fileURLToPath(import.meta.url)), 'fixtures/authored', FILE);

describe('a flow is authored', () => {
  let window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());
  const leg = journey('authoring', () => window);
  const text = () => readFile(join(window.box.project, FILE), 'utf8');
  const step = (id) => window.get(ids.graphNode, { step: id });

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
    await window.says(ids.inspector, 'Ask the lawyer');
    await window.screenshot('authoring-4-inserted');
  });

  leg('asks a person where the shield is put', async () => {
    await window.click(ids.graphNode, { step: 'send-the-contract' });
    await window.click(ids.barGate);
    await window.says(ids.inspector, 'Asks');
  });

  leg('is undone and done again, also when the window was closed meanwhile', async () => {
    const whole = await text();
    for (let n = 0; n < 3; n += 1) {
      const before = await text();
      await window.click(ids.undo);
      await window.until('the text before', async () => (await text()) !== before);
    }
    const less = await text();
    assert.notEqual(less, whole);
    for (let n = 0; n < 3; n += 1) {
      const before = await text();
      await window.click(ids.redo);
      await window.until('the text after', async () => (await text()) !== before);
    }
    assert.equal(await text(), whole);
  });

  leg('is a text as a person writes it', async () => {
    assert.equal(await text(), await readFile(WRITTEN, 'utf8'));
  });

  leg('can be told and changed by keyboard alone, as an outline', async () => {
    await window.click(ids.tabOutline);
    const lines = await window.all(ids.outlineLine);
    assert.ok(lines.length >= 5);
    await lines[0].click();
    await lines[0].sendKeys(Key.F2);
    const name = await window.get(ids.outlineRename);
    await name.clear();
    await name.sendKeys('Read the draft', Key.ENTER);
    await window.says(ids.outline, 'Read the draft');
    await window.screenshot('authoring-5-outline');
    assert.match(await text(), /Read the draft/);
  });

  leg('is typed in as well', async () => {
    await window.click('tab-source');
    await window.get(ids.source);
    await window.screenshot('authoring-6-source');
    assert.deepEqual(await window.errors(), []);
  });
});
