// A pipeline in the real window: created from a template, run, aborted mid-way, resumed without one of its stages; and how
// it ended, explained. The stages are carried out by a real program, a slow one.
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { By } from 'selenium-webdriver';
import { ids, selector } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { Key, openWindow } from './harness/window.mjs';

/** test_design, then test_impl, then security and trace. */
const TEMPLATE = 'test_suite';
const STAGES = ['test_design', 'test_impl', 'security', 'trace'];
const NAME = 'Portal tests, spring';

const ENGINES = `version: 1
agents:
  "*": { engine: shell, run: "sh agent.sh" }
`;
/** Notes what it begins, leaves a file behind, and in the last two stages takes longer than anybody waits, until told to go on. */
const AGENT = `echo "$GATEHOUSE_STEP" >> begun.txt
mkdir -p "$GATEHOUSE_OUTPUT_FOLDER"
echo "# What $GATEHOUSE_STEP found" > "$GATEHOUSE_OUTPUT_FOLDER/notes.md"
case "$GATEHOUSE_STEP" in
  security | trace) [ -e go-on.txt ] || sleep 600 ;;
esac
`;

describe('a pipeline', () => {
  let window;
  let folder;
  let path;
  let run;
  before(async () => {
    window = await openWindow({
      prepare: async (box) => {
        await writeFile(join(box.project, 'gatehouse.yaml'), ENGINES);
        await writeFile(join(box.project, 'agent.sh'), AGENT);
      },
    });
    folder = join(window.project, 'pipelines');
  });
  after(() => window?.close());

  const leg = journey('pipeline', () => window);

  const status = async () => (await window.data(ids.runStatus, 'status'))[0];
  /** The status of each stage in the graph. */
  const statuses = async () => {
    const [steps, now] = [await window.data(ids.graphNode, 'step'), await window.data(ids.graphNode, 'status')];
    return Object.fromEntries(steps.map((step, i) => [step, now[i]]));
  };
  const pipelineFile = () => readFile(join(window.project, path), 'utf8');
  const begun = async () => (await readFile(join(window.project, 'begun.txt'), 'utf8')).trim().split('\n');
  /** What is said inside an element of the page. */
  const said = async (id, data) => (await window.get(id, data)).getText();
  /** The drawing of what was typed last. */
  const drawn = () => window.get(ids.draftPreview, { stale: 'false' });

  leg('is begun with a template', async () => {
    await window.ready();
    await window.sign('Ada Operator');
    await window.click(ids.navLibrary);
    await window.click(ids.newPipeline);
    await window.click(ids.template, { template: TEMPLATE });
    await window.type(ids.draftName, NAME);
    await drawn();
    await until('every stage in the graph', async () => {
      const steps = await window.data(ids.graphNode, 'step');
      return STAGES.every((stage) => steps.includes(stage));
    });
    await window.screenshot('pipeline-1-typed');
  });

  leg('is changed in the dialog, and drawn as it is typed', async () => {
    await window.click(ids.draftHandling, { handling: 'skip_dependents' });
    for (const stage of ['security', 'trace']) {
      const row = await window.get(ids.stage, { stage });
      await (await row.findElement(By.css(selector(ids.stageOpen)))).click();
      await window.click(ids.stageParallel);
    }
    await drawn();
    path = await until(
      'the path it will have',
      async () => /pipelines\/PIPE-\d{8}-portal-tests-spring-\d{6}\.yaml/.exec(await said(ids.draftPath))?.[0],
    );
    await window.click(ids.draftTextTab);
    await window.says(ids.source, /error_handling: skip_dependents/);
    await window.screenshot('pipeline-2-text');
  });

  leg('gets a file of its own, and is opened', async () => {
    const before = await readdir(folder).catch(() => []);
    await window.click(ids.draftCreate);
    const address = await until('its page', async () => {
      const now = decodeURIComponent(await window.address());
      return now.startsWith('#/workflow/pipelines/PIPE-') && now;
    });
    // The time in the id is that of creation, so it may be later than the one that was shown.
    path = address.replace('#/workflow/', '').replace(/\?.*/, '');
    const made = (await readdir(folder)).filter((name) => !before.includes(name));
    assert.deepEqual(made, [path.replace('pipelines/', '')]);
    const text = await pipelineFile();
    assert.match(text, /^name: Portal tests, spring$/m);
    assert.match(text, /^status: pending$/m);
    assert.match(text, /error_handling: skip_dependents/);
    assert.equal(text.match(/parallel: true/g)?.length, 2, text);
  });

  leg('runs, two stages beside each other', async () => {
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    const address = await until('the run', async () => {
      const now = await window.address();
      return /^#\/run\//.test(now) && now;
    });
    run = address.replace(/\?.*/, '');
    await until('both of the last stages at work', async () => {
      const now = await statuses();
      return now.security === 'running' && now.trace === 'running';
    });
    assert.equal((await statuses()).test_impl, 'done');
    await window.says(ids.pipelineProgress, /^2 of 4 completed/);
    await until('its file', async () => /^status: running$/m.test(await pipelineFile()));
    await window.screenshot('pipeline-3-running');
  });

  leg('shows what its stages made', async () => {
    await window.click(ids.tabOutputs);
    await window.click(ids.outputsFile);
    await window.says('artifact', /What test_design found/);
    await window.screenshot('pipeline-4-output');
    await window.press(Key.ESCAPE);
    await window.gone('artifact');
  });

  leg('is aborted mid-way, after it was said what is cut off', async () => {
    await window.click(ids.runAbort);
    let cut;
    for (const stage of ['security', 'trace']) cut = await window.says(ids.abortCut, stage);
    assert.ok(!cut.includes('test_impl'), cut);
    await window.type(ids.stopReason, 'The wrong branch.');
    await window.screenshot('pipeline-5-abort');
    await window.click(ids.stopConfirm);
    await until('the end', async () => (await status()) === 'aborted');
    for (const words of [/The wrong branch\./, 'security', 'trace'])
      await window.says(ids.pipelineEnding, words, { status: 'aborted' });
    await until('the file to say so', async () => /^status: aborted$/m.test(await pipelineFile()));
    await window.screenshot('pipeline-6-aborted');
  });

  leg('is resumed from its card, without one of its stages', async () => {
    await writeFile(join(window.project, 'go-on.txt'), '');
    await window.click(ids.navLibrary);
    await window.click(ids.cardResume, { path });
    const choose = async (stage, choice) => {
      const row = await window.get(ids.resumeStage, { stage });
      await (await row.findElement(By.css(selector(choice)))).click();
      await window.get(ids.resumeStage, { stage });
    };
    assert.equal(await (await window.get(ids.resumeApply)).isEnabled(), false, 'nothing was decided yet');
    await choose('security', ids.resumeSkip);
    await choose('trace', ids.resumeRetry);
    for (const words of [/Tried again: trace/, /Left out: security/, /2 completed stages stay as they are/])
      await window.says(ids.resumeSummary, words);
    await window.screenshot('pipeline-7-resume');
    await window.click(ids.resumeApply);
    await until('the end', async () => (await status()) === 'partly', { within: 60_000 });
    assert.ok((await window.address()).startsWith(run), 'it is the same run');
  });

  leg('explains how it ended', async () => {
    await window.says(ids.runStatus, /completed with failures/i);
    for (const words of [/Completed with failures/, /3 of 4 stages/, /security/])
      await window.says(ids.pipelineEnding, words, { status: 'partly' });
    const now = await statuses();
    assert.deepEqual([now.test_design, now.test_impl, now.security, now.trace], ['done', 'done', 'skipped', 'done']);
    await window.screenshot('pipeline-8-ended');
  });

  leg('did nothing twice that was completed', async () => {
    const all = await begun();
    const count = (stage) => all.filter((one) => one === stage).length;
    assert.deepEqual(STAGES.map(count), [1, 1, 1, 2], all.join(' '));
  });

  leg('is the same on the command line and in its file', async () => {
    const text = await pipelineFile();
    assert.match(text, /^status: completed_with_failures$/m);
    const verified = await window.cli('verify', run.replace('#/run/', ''));
    assert.equal(verified.code, 0, verified.out + verified.err);
    const { out } = await window.cli('pipeline', 'status', path.replace(/^pipelines\/|\.yaml$/g, ''));
    assert.match(out, /completed with failures|completed_with_failures/);
  });

  leg('had no errors in the page on the way', async () => {
    assert.deepEqual(await window.errors(), []);
  });
});
