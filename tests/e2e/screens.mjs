// Pictures of every screen at two sizes and in both themes, in target/screens, to be looked at by a person:
// `node tests/e2e/screens.mjs [NAME…]`. The runs in them are real: scripted, on a copy of the sample workflows.
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { main, say } from '../../.ci/lib/say.mjs';
import { ids } from './harness/ids.mjs';
import { addMaking, making } from './harness/making.mjs';
import { addSample, sample } from './harness/sample.mjs';
import { by, serve, shot } from './harness/serve.mjs';

const SIZES = [
  [1280, 800],
  [1920, 1080],
];
const THEMES = ['light', 'dark'];

await main(async () => {
  const wanted = process.argv.slice(2);
  const served = await serve({
    prepare: async (box) => {
      await addSample(box);
      await addMaking(box);
    },
  });
  try {
    const empty = { 'inbox-empty': ['#/inbox'], 'runs-empty': ['#/runs'] };
    await take(served, empty, wanted);
    const runs = await prepare(served);
    const flows = (await library(served)).slice(0, 4);
    await take(
      served,
      {
        inbox: ['#/inbox', ids.gateApprove],
        'inbox-decided': ['#/inbox', ids.gateApprove, decided],
        library: ['#/library', ids.workflowCard],
        ...Object.fromEntries(flows.map((path, i) => [`workflow-${i + 1}`, [`#/workflow/${path}`, ids.graphNode]])),
        'workflow-step': [`#/workflow/${sample.path}?step=${sample.loop.from}`, ids.inspector],
        source: [`#/workflow/${sample.path}?tab=source`, ids.source],
        ...making(served),
        start: [`#/workflow/${sample.path}`, ids.runStart, (page) => by(page, ids.runStart).click()],
        'run-waiting': [`#/run/${runs.waiting}`, ids.timeline],
        'run-ended': [`#/run/${runs.ended}?step=${sample.loop.from}`, ids.timeline],
        'run-past': [`#/run/${runs.ended}?at=9&step=${sample.loop.to}`, ids.timeline],
        'run-why': [
          `#/run/${runs.ended}`,
          ids.timeline,
          (page) => by(page, ids.graphEdge, { from: sample.loop.from, to: sample.loop.to }).click(),
        ],
        'run-log': [`#/run/${runs.ended}`, ids.timeline, (page) => by(page, 'tab-log').click()],
        palette: ['#/inbox', ids.navInbox, (page) => page.keyboard.press('Control+k')],
        runs: ['#/runs', 'run-row'],
        session: ['#/session/file/session.json', 'session-agent'],
        'session-of-run': [`#/session/run/${runs.waiting}`, 'session-agent'],
        report: [`#/report/${runs.ended}`, ids.reportFrame],
        settings: ['#/settings', ids.settingsName],
        agents: [
          '#/settings',
          'agents-all',
          async (page) => {
            await by(page, 'agents-all').locator('summary').click();
            await by(page, 'agent').first().scrollIntoViewIfNeeded();
          },
        ],
        'run-unknown': ['#/run/no-such-run'],
      },
      wanted,
    );
  } catch (error) {
    say(served.log);
    throw error;
  } finally {
    await served.close();
  }
  return 0;
});

/** A name, a run that ended and one that waits. */
async function prepare(served) {
  const page = await served.page({ at: '#/settings' });
  await by(page, ids.settingsName).fill('Ada Reviewer');
  await by(page, ids.settingsSave).click();
  await page.locator('nav', { hasText: 'Ada Reviewer' }).waitFor();
  await page.context().close();
  await copyFile(join(import.meta.dirname, 'fixtures/session.json'), join(served.project, 'session.json'));
  const play = (...words) => served.cli('run', sample.path, '--scenario', sample.scenario, ...words);
  await play('--yes');
  await play('--until-blocked');
  const [waiting, ended] = JSON.parse((await served.cli('list', '--json')).out);
  return { waiting: waiting.run_id, ended: ended.run_id };
}

/** Looks at what was answered, all of it in rehearsals: the latest decision opens beside its list. */
async function decided(page) {
  await page.locator('label', { hasText: 'Answered' }).click();
  await by(page, ids.decisionsShowRehearsals).click();
  await by(page, ids.gateAnswered).waitFor();
}

/** The workflow files of the project, samples first. */
async function library(served) {
  const all = await readdir(served.project, { recursive: true });
  const flows = all.filter(
    (path) => /\.ya?ml$/.test(path) && !/scenario|gatehouse\.yaml|(^|\/)(\.|reports\/)/.test(path),
  );
  const known = [];
  for (const path of flows) {
    const { code } = await served.cli('check', join(served.project, path));
    if (code === 0) known.push(path);
  }
  return known.sort((a, b) => Number(a === sample.path) - Number(b === sample.path) || a.localeCompare(b));
}

/** @param {Record<string, [string, string?, ((page: object) => Promise<void>)?]>} screens address, what must be there, what to do */
async function take(served, screens, wanted) {
  for (const [name, [at, landmark, act]] of Object.entries(screens)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const theme of THEMES) {
      for (const [width, height] of SIZES) {
        const page = await served.page({ at, theme, width, height });
        if (landmark) await by(page, landmark).first().waitFor();
        await act?.(page);
        await page.waitForTimeout(400);
        await shot(page, 'screens', `${name}-${theme}-${width}`);
        for (const problem of page.problems) say(`${name} (${theme}, ${width}): ${problem}`);
        await page.context().close();
      }
    }
    say(`target/screens/${name}-*.png`);
  }
}
