// Four audits beside each other in the real window: they are drawn between two bars, run at the same time, one of them breaks off, the join
// counts the others, and everything that was counted can be read. The agents are real programs that wait for the test's word, so that
// nothing here depends on how quick the machine is.
import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { root } from '../../.ci/lib/programs.mjs';
import { ids, selector } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const WORKFLOW = 'releases/release-audit.yaml';
const AUDITS = ['contract', 'security', 'coverage', 'policy'];
const AGENTS = ['release-clerk', 'contract-auditor', 'security-auditor', 'test-auditor', 'policy-auditor'];
/** Programs have to start, and the machine may be busy. */
const SLOW = { within: 60_000 };

/** Gives the audits agents that are programs. */
async function prepare({ project }) {
  await mkdir(join(project, 'releases/bin'));
  await mkdir(join(project, 'releases/verdicts'));
  await copyFile(join(root, 'tests/e2e/fixtures/audits/agent.sh'), join(project, 'releases/bin/agent.sh'));
  const config = join(project, 'gatehouse.yaml');
  const bound = AGENTS.map((agent) => `  ${agent}: { engine: shell, run: "sh releases/bin/agent.sh" }\n`);
  const text = await readFile(config, 'utf8');
  await writeFile(config, text.replace('\nagents:\n', `\nagents:\n${bound.join('')}`));
}

describe('four audits', () => {
  let window;
  let run;
  before(async () => {
    window = await openWindow({ prepare });
  });
  after(() => window?.close());

  const leg = journey('audits', () => window);

  /** Puts a verdict down at once: whoever waits for it never reads half of it. */
  const verdict = async (step, word) => {
    const file = join(window.project, 'releases/verdicts', step);
    await writeFile(`${file}.new`, word);
    await rename(`${file}.new`, file);
  };
  /** The status of each audit in the graph, by step. */
  const audits = async () => {
    const [steps, now] = [await window.data(ids.graphNode, 'step'), await window.data(ids.graphNode, 'status')];
    return Object.fromEntries(steps.map((step, i) => [step, now[i]]).filter(([step]) => AUDITS.includes(step)));
  };
  const become = (wanted) =>
    until(
      JSON.stringify(wanted),
      async () => {
        const now = await audits();
        return Object.entries(wanted).every(([step, status]) => now[step] === status);
      },
      SLOW,
    );
  const badge = (words) => window.says(ids.graphMeeting, words, { to: 'decide' }, SLOW);
  /** Where a box of the graph lies on the screen. */
  const place = async (id, data) => (await window.get(id, data)).getRect();
  const start = async () => {
    await window.go(`#/workflow/${WORKFLOW}`);
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    const address = await until('the run', async () => {
      const now = await window.address();
      return /^#\/run\//.test(now) && now;
    });
    return address.replace(/\?.*/, '');
  };

  leg('are drawn between two bars, and the file’s rules are said in words', async () => {
    await window.ready();
    await window.sign('Ada Release');
    await window.go(`#/workflow/${WORKFLOW}?step=collect`);
    await until('two bars', async () => (await window.all(ids.graphFork)).length === 2);
    await window.says(ids.inspectorNext, /beside each other: “Audit the interfaces”, “Audit the security”/);
    await window.says(ids.inspectorNext, /they meet at “Sum up the audits”, which asks for 3 of 4 verified/);
    await window.says(ids.inspectorNext, /a branch that fails stops no other/);
    await window.go(`#/workflow/${WORKFLOW}?step=decide`);
    await window.says(ids.inspectorMeets, /the 4 branches of “Put the release together”; asked for: 3 of 4 verified/);
    await window.screenshot('audits-1-workflow');
  });

  leg('run at the same time, and the window says so', async () => {
    await verdict('collect', 'DONE');
    run = await start();
    await become(Object.fromEntries(AUDITS.map((step) => [step, 'running'])));
    await window.says(ids.runWords, '0 of 4 branches have ended; running 4 steps', {}, SLOW);
    await badge(/^0\/4$/m);
    // Beside each other, in the order of the file, after the step that forks and before the one where they meet.
    const boxes = await Promise.all(AUDITS.map((step) => place(ids.graphNode, { step })));
    const [first, last] = [
      await place(ids.graphNode, { step: 'collect' }),
      await place(ids.graphNode, { step: 'decide' }),
    ];
    for (const [i, box] of boxes.entries()) {
      if (i > 0) assert.ok(box.y >= boxes[i - 1].y + boxes[i - 1].height, `${AUDITS[i]} stands below the one before`);
      assert.ok(box.x < boxes[0].x + boxes[0].width && boxes[0].x < box.x + box.width, `${AUDITS[i]} stands beside`);
      assert.ok(box.x > first.x && box.x < last.x + last.width, `${AUDITS[i]} stands between fork and join`);
    }
    const lanes = () => window.run('return document.querySelector(arguments[0]).textContent', selector(ids.timeline));
    const names = ['Audit the interfaces', 'Audit the security', 'Audit the tests', 'Audit the rules'];
    for (const name of ['4 branches of “Put the release together”', ...names])
      await until(`a lane of ${name}`, async () => (await lanes()).includes(name), SLOW);
    await window.screenshot('audits-2-running');
  });

  leg('go on when one of them breaks off', async () => {
    await verdict('coverage', 'FAIL');
    await verdict('security', 'VERIFIED');
    await become({ contract: 'running', security: 'done', coverage: 'failed', policy: 'running' });
    await window.says(
      ids.runWords,
      /2 of 4 branches have ended; running .*“Audit the interfaces”.* and .*“Audit the rules”/,
      {},
      SLOW,
    );
    await badge(/^2\/4$/m);
    await window.click(ids.graphMeeting, { to: 'decide' });
    await window.says(ids.forkWords, '2 of 4 branches have ended. They meet at “Sum up the audits”.');
    await window.says(ids.forkAsks, '3 of 4 verified');
    await window.says(ids.forkBranch, /cannot be reached/, { step: 'coverage' });
    await window.screenshot('audits-3-one-failed');
  });

  leg('are counted where they meet, and the card says how', async () => {
    await verdict('contract', 'VERIFIED');
    await verdict('policy', 'VERIFIED');
    await window.get(ids.graphMeeting, { to: 'decide', met: 'true' }, SLOW);
    await badge(/^3\/4$/m);
    await window.says(ids.forkWords, '3 of 4 verified, quorum 3: the run goes on to “Sum up the audits”.', {}, SLOW);
    await window.says(ids.forkFound, '3 of 4 verified, quorum 3');
    assert.deepEqual(await window.data(ids.forkBranch, 'step'), AUDITS);
    assert.deepEqual(await window.data(ids.forkBranch, 'counts'), ['true', 'true', 'false', 'true']);
    await window.says(ids.forkBranch, /failed: .*cannot be reached/, { step: 'coverage' });
    await window.screenshot('audits-4-counted');
  });

  leg('are replayed as they were', async () => {
    await verdict('decide', 'DONE');
    await window.get(ids.openDecision, {}, SLOW);
    const seen = [];
    await until(
      'the fork’s beginning',
      async () => {
        await window.click(ids.playheadPrev);
        const all = await window.all(ids.graphMeeting);
        const open = all.length > 0 && (await all[0].getAttribute('data-met')) === null;
        const words = open ? (await all[0].getText()).match(/\d\/4/)?.[0] : null;
        if (words && seen.at(-1) !== words) seen.push(words);
        return words === '0/4';
      },
      SLOW,
    );
    // Steps of the past may be passed before they are drawn, so not every count need be seen; none comes out of order.
    assert.deepEqual(
      seen,
      [...seen]
        .sort()
        .reverse()
        .filter((one, i, all) => all.indexOf(one) === i),
    );
    await window.says(ids.runWords, /0 of 4 branches have ended/);
    await window.click(ids.playheadLive);
    await badge(/^3\/4$/m);
  });

  leg('do not meet when too few are verified, and the run says why it failed', async () => {
    for (const step of ['contract', 'security', 'decide']) await rm(join(window.project, 'releases/verdicts', step));
    const failed = await start();
    assert.notEqual(failed, run);
    await become({ contract: 'running', security: 'running', coverage: 'failed', policy: 'done' });
    await verdict('contract', 'UNVERIFIED');
    await verdict('security', 'VERIFIED');
    await window.get(ids.graphMeeting, { to: 'decide', met: 'false' }, SLOW);
    await window.click(ids.graphMeeting, { to: 'decide' });
    await window.says(ids.forkWords, '2 of 4 verified, quorum 3: not met, so “Sum up the audits” does not follow.');
    assert.deepEqual(await window.data(ids.forkBranch, 'counts'), ['false', 'true', 'false', 'true']);
    await window.says(ids.forkBranch, /UNVERIFIED/, { step: 'contract' });
    await window.screenshot('audits-5-not-met');
    // Here the failed run is taken up again, and an escalation answered, where the program can do both.
    assert.deepEqual(await window.errors(), []);
  });
});
