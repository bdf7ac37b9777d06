// Somebody who never saw a workflow: an empty folder, some answers, and a person is asked.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { Key, openWindow } from './harness/window.mjs';

const WRITTEN = `key: send-an-offer
title: "Send an offer"

steps:
  - id: write_the_offer
    name: "Write the offer"
    agents: [author]
    role: "Write the offer"

  - id: check_the_numbers
    name: "Check the numbers"
    agents: [author]
    role: "Check the numbers"
    human_gate: required
    gate_question: "May the offer go out?"
    on_reject: write_the_offer

  - id: send_the_offer
    name: "Send the offer"
    agents: [author]
    role: "Send the offer"
`;

describe('a first workflow is made of answers', () => {
  let window;
  before(async () => {
    window = await openWindow({ empty: true });
  });
  after(() => window?.close());
  const leg = journey('questions', () => window);

  leg('questions, and the picture of what they come to', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go('#/library?new=workflow');
    await window.type(ids.newName, 'Send an offer');
    await window.type(ids.newAsked, 'May the offer go out?');
    await window.type(ids.newBefore, `Write the offer${Key.ENTER}Check the numbers`);
    await window.type(ids.newAfter, 'Send the offer');
    await until('the last step in the picture', async () =>
      /then a person is asked[\s\d.]*Send the offer/.test(await (await window.get(ids.newSteps)).getText()),
    );
    await window.screenshot('questions-1-answered');
    await window.click(ids.newMake);
    await window.says(ids.inspector, 'Send an offer');
    assert.equal(await readFile(join(window.box.project, 'send-an-offer.yaml'), 'utf8'), WRITTEN);
    await window.screenshot('questions-2-made');
  });

  leg('it is rehearsed, and the person is asked what they said', async () => {
    await window.click(ids.runStart);
    await window.says(ids.startConfirm, /rehears/i);
    await window.click(ids.startConfirm);
    await window.says(ids.inspector, 'May the offer go out?');
    await window.screenshot('questions-3-asked');
  });
});
