// A failed run is taken up in the real window: at the step that failed, and from an earlier one, with what that means said before. The agents
// are real programs.
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { Key } from 'selenium-webdriver';
import { ids, selector } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOW = `id: ship-it
name: Ship it
steps:
  - { id: plan, name: Plan, agents: [taken-up], routing: { kind: linear, next: build } }
  - { id: build, name: Build, agents: [taken-up], routing: { kind: linear, next: ship } }
  - { id: ship, name: Ship, agents: [taken-up], routing: { kind: linear } }
`;
/** It does every step; the build fails as long as a file is there. */
const AGENT = 'echo $GATEHOUSE_STEP >> did.txt; test ! -e broken -o $GATEHOUSE_STEP != build';
const SLOW = { within: 60_000 };

describe('a run that failed', () => {
  let window;
  before(async () => {
    window = await openWindow({
      prepare: async ({ project }) => {
        const config = join(project, 'gatehouse.yaml');
        const text = await readFile(config, 'utf8');
        const bound = `\nagents:\n  taken-up: { engine: shell, run: "${AGENT}" }\n`;
        await writeFile(config, text.replace('\nagents:\n', bound));
        await writeFile(join(project, 'ship-it.yaml'), FLOW);
        await writeFile(join(project, 'broken'), '');
      },
    });
  });
  after(() => window?.close());

  const leg = journey('resume', () => window);
  const did = async () => (await readFile(join(window.project, 'did.txt'), 'utf8')).trim().split('\n');
  const become = (status) =>
    until(`the run is ${status}`, async () => (await window.data(ids.runStatus, 'status'))[0] === status, SLOW);

  const withTheFileAsItIs = async () => {
    await window.get(ids.goOnVersion);
    await window.run(`document.querySelector('${selector(ids.goOnVersion)} input[value="mended"]').click()`);
  };

  leg('is taken up at the step that failed', async () => {
    await window.ready();
    await window.go('#/workflow/ship-it.yaml');
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await become('failed');
    assert.deepEqual(await did(), ['plan', 'build']);
    await window.says(ids.runReopen, 'Resume…');
    await window.click(ids.runReopen);
    await window.says(ids.goOn, /Done first[\s\S]*Build[\s\S]*Not done again[\s\S]*Plan/);
    await window.screenshot('resume-1-what-runs-again');
    await rm(join(window.project, 'broken'));
    await window.click(ids.goOnConfirm);
    await become('done');
    assert.deepEqual(await did(), ['plan', 'build', 'build', 'ship']);
    await window.screenshot('resume-2-done');
    assert.deepEqual(await window.errors(), []);
  });

  leg('is taken up at a step before it, when a person says so', async () => {
    await writeFile(join(window.project, 'broken'), '');
    await rm(join(window.project, 'did.txt'));
    await window.go('#/workflow/ship-it.yaml');
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await become('failed');
    await window.click(ids.runReopen);
    await window.choose(ids.goOnAt, 'plan');
    await window.says(ids.goOn, /Done first[\s\S]*Plan[\s\S]*May come after it[\s\S]*Build/);
    await window.screenshot('resume-3-a-step-before');
    await rm(join(window.project, 'broken'));
    await window.click(ids.goOnConfirm);
    await become('done');
    assert.deepEqual(await did(), ['plan', 'build', 'plan', 'build', 'ship']);
  });

  leg('goes on with the mended file, in a new run that begins with what it has done', async () => {
    await writeFile(join(window.project, 'broken'), '');
    await rm(join(window.project, 'did.txt'));
    await window.go('#/workflow/ship-it.yaml');
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await become('failed');
    const old = await window.address();
    // What is completed was changed: it would have to run again.
    const changed = FLOW.replace('name: Plan', 'name: Plan it well');
    await writeFile(join(window.project, 'ship-it.yaml'), changed);
    await window.click(ids.runReopen);
    await window.says(ids.goOnChanged, /goes on with the workflow as it was then/, {}, SLOW);
    await withTheFileAsItIs();
    await window.says(ids.goOnRefused, /“Plan it well” is completed in this run and was changed in the file/);
    assert.equal(await (await window.get(ids.goOnConfirm)).isEnabled(), false);
    await window.screenshot('resume-4-refused');
    await window.press(Key.ESCAPE);
    await window.gone(ids.goOnConfirm);
    // The step that failed was mended, and another one put in.
    const pack = '  - { id: pack, name: Pack, agents: [taken-up], routing: { kind: linear, next: ship } }\n';
    const mended = FLOW.replace('name: Build,', 'name: Build it anew,')
      .replace('next: ship', 'next: pack')
      .replace('  - { id: ship', `${pack}  - { id: ship`);
    await writeFile(join(window.project, 'ship-it.yaml'), mended);
    await window.click(ids.runReopen);
    await withTheFileAsItIs();
    await window.says(
      ids.goOn,
      /Done first[\s\S]*Build it anew[\s\S]*Not done again[\s\S]*Plan[\s\S]*Changed in the file[\s\S]*Build it anew[\s\S]*New in the file[\s\S]*Pack/,
    );
    await window.screenshot('resume-5-mended');
    await rm(join(window.project, 'broken'));
    await window.click(ids.goOnConfirm);
    await until(
      'another run',
      async () => /^#\/run\//.test(await window.address()) && (await window.address()) !== old,
    );
    await become('done');
    assert.deepEqual(await did(), ['plan', 'build', 'build', 'pack', 'ship']);
    await window.says(ids.runContinues, /goes on from/);
    await window.screenshot('resume-6-went-on');
    assert.deepEqual(await window.errors(), []);
  });
});
