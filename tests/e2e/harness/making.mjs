// The screens on which a workflow is made and changed, as somebody meets them: looked at by eye (screens.mjs) and by axe (browser.test.mjs).
import { copyFile, readFile, rename as renameFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ids } from './ids.mjs';
import { sample } from './sample.mjs';
import { until } from './sandbox.mjs';
import { by } from './serve.mjs';

/** A flow that is changed here, one in which something is wrong, and a runbook. */
const CONTRACT = 'workshops/approve-a-contract.yaml';
const UNSOUND = 'workshops/unsound.yaml';
const RUNBOOK = 'operations/stocktaking.runbook.md';
const WRONG = `key: unsound
title: "Ask around"

steps:
  - id: ask
    agents: [author]
    role: "Ask around."
    rout: { kind: linear }
    routing: { kind: linear, next: nowhere }
  - id: answer
    agents: [author]
    role: "Say what was found."
    human_gate: perhaps
`;

let written = 0;
/** Whatever is written is something new: of two that write the same nothing is to be seen. */
const next = () => (written += 1);

/** Puts what is changed here into a sandbox's project. */
export async function addMaking(box) {
  const made = fileURLToPath(new URL('../fixtures/authored/approve-a-contract.yaml', import.meta.url));
  await copyFile(made, join(box.project, CONTRACT));
  await writeFile(join(box.project, UNSOUND), WRONG);
}

/** Gives a step another name, in the outline. */
async function rename(page, step, name) {
  await by(page, ids.outlineLine, { step }).click();
  await by(page, 'field-name').waitFor();
  await by(page, ids.outlineLine, { step }).press('F2');
  await by(page, ids.outlineRename).fill(name);
  await by(page, ids.outlineRename).press('Enter');
  await by(page, ids.outline).getByText(name).waitFor();
  // The line has the focus again: until then the outline is about to take it.
  await page.waitForFunction(() => document.activeElement?.dataset.testid === 'outline-line');
}

/** Somebody types in the source of every step, and another program writes the same lines. */
async function meanwhile(page, project, word) {
  const file = join(project, CONTRACT);
  const text = await readFile(file, 'utf8');
  const said = (by) => text.replace(/^( +role: ).*$/gm, `$1"As ${by} says, ${word} ${next()}."`);
  await page.locator('.cm-content').first().click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(said('the author'));
  await by(page, 'source-save').waitFor();
  // As editors write: nobody finds half of it.
  await writeFile(`${file}.new`, said('the other'));
  await renameFile(`${file}.new`, file);
  await by(page, 'unsaved').waitFor();
}

/**
 * Address, what must be there, and what to do until it is as it is looked at.
 * @param {{project: string}} served
 * @returns {Record<string, [string, string, ((page: object) => Promise<void>)?]>}
 */
export const making = ({ project }) => ({
  'new-workflow': ['#/library?new=workflow', ids.newName, (page) => by(page, ids.newName).fill('Approve a contract')],
  'new-questions': [
    '#/library?new=workflow',
    ids.newName,
    async (page) => {
      await by(page, ids.newName).fill('Send an offer');
      await page.locator('label', { has: page.locator('[data-template="?"]') }).click();
      await by(page, ids.newAsked).fill('May the offer go out?');
      await by(page, ids.newBefore).fill('Write the offer\nCheck the numbers');
      await by(page, ids.newAfter).fill('Send the offer');
      await by(page, ids.newSteps).getByText('Send the offer').waitFor();
      await by(page, ids.newSteps).scrollIntoViewIfNeeded();
    },
  ],
  'new-questions-refused': [
    '#/library?new=workflow',
    ids.newName,
    async (page) => {
      await by(page, ids.newName).fill('Send an offer');
      await page.locator('label', { has: page.locator('[data-template="?"]') }).click();
      await by(page, ids.newBefore).fill(Array.from({ length: 200 }, (_, n) => `Step ${n}`).join('\n'));
      await page.locator('[data-testid="new-make"]:disabled').waitFor();
    },
    // The core refuses, which the browser writes down as an error of its own.
    /status of 422/,
  ],
  outline: [`#/workflow/${sample.path}?tab=outline&step=${sample.loop.from}`, ids.outlineLine],
  'add-step': [
    `#/workflow/${CONTRACT}?step=check_the_terms`,
    ids.addOpen,
    async (page) => {
      await by(page, ids.addOpen).click();
      await by(page, ids.addStepName).fill('Decide on the price');
    },
  ],
  'draw-line': [
    `#/workflow/${RUNBOOK}`,
    ids.graphNode,
    async (page) => {
      await until('what the line can mean', async () => {
        // The picture may be drawn once more while it is pressed, for the room that it has got.
        await page.keyboard.press('Escape');
        await by(page, ids.graphNode).nth(1).focus();
        await page.keyboard.press('c');
        await by(page, ids.graphNode).nth(0).click();
        await by(page, ids.drawWay).first().waitFor({ timeout: 2_000 });
        return true;
      });
    },
  ],
  consequence: [
    `#/workflow/${sample.path}?step=${sample.loop.to}`,
    ids.barRemove,
    async (page) => {
      await by(page, ids.barRemove).click();
      await by(page, ids.consequence).waitFor();
    },
  ],
  problems: [`#/workflow/${UNSOUND}?tab=problems`, ids.problems],
  history: [
    `#/workflow/${CONTRACT}?tab=outline`,
    ids.outlineLine,
    async (page) => {
      await rename(page, 'first', `Read the draft ${next()}`);
      await by(page, 'tab-history').click();
      await by(page, 'history-what').waitFor();
    },
  ],
  tests: [`#/workflow/${sample.path}?tab=tests`, ids.tests],
  conflict: [
    `#/workflow/${CONTRACT}?tab=source`,
    ids.source,
    async (page) => {
      await page.locator('.cm-line', { hasText: 'title:' }).first().click();
      await page.keyboard.press('End');
      await page.keyboard.type(' # Ours.');
      await by(page, 'source-save').waitFor();
      // Another program writes the same line meanwhile.
      const file = join(project, CONTRACT);
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace(/^title: .*$/m, `title: "A contract, version ${next()}"`));
      await by(page, 'source-save').click();
      await by(page, 'conflict-save').waitFor();
    },
  ],
  'typed-behind': [`#/workflow/${CONTRACT}?tab=source`, ids.source, (page) => meanwhile(page, project, 'kept')],
  'conflict-parts': [
    `#/workflow/${CONTRACT}?tab=source`,
    ids.source,
    async (page) => {
      await meanwhile(page, project, 'chosen');
      await by(page, 'source-save').click();
      await by(page, 'conflict-keep').first().click();
    },
  ],
});
