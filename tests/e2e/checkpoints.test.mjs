// Checkpoints and imported sessions in the real window: a moment is named, gone back to, and the new run ends and says where it comes from; a session
// of elsewhere becomes a run to look at, and its workflow goes on from it. The agents are real programs.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids, selector } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOW = `key: ship-it
title: Ship it
steps:
  - { id: plan, role: Plan it, agents: [keeper], outputs: [plan.md] }
  - { id: build, role: Build it, agents: [keeper], outputs: [build.md], human_gate: required, gate_at: before, gate_question: Shall we build? }
  - { id: ship, role: Ship it, agents: [keeper], outputs: [ship.md] }
`;
const AGENT = 'echo $GATEHOUSE_STEP >> did.txt; date +%N > $GATEHOUSE_STEP.md';
const SESSION = {
  session_id: 'bmad-session-1731500000000-a1b2c3d4',
  project_metadata: {
    name: 'Elsewhere <b>began</b>',
    workflow_type: 'greenfield-ui',
    created_at: '2026-11-23T10:00:00Z',
  },
  workflow_state: { current_step: 3, completed_steps: [1, 2] },
  agent_contexts: { qa: { status: 'completed' } },
  global_context: {},
  decision_log: [{ decision: 'Take the short way', decision_maker: 'pm' }],
};
const SLOW = { within: 60_000 };

describe('checkpoints', () => {
  let window;
  before(async () => {
    window = await openWindow({
      prepare: async ({ project }) => {
        const config = join(project, 'gatehouse.yaml');
        const text = await readFile(config, 'utf8');
        const bound = `\nagents:\n  keeper: { engine: shell, run: "${AGENT}" }\n`;
        await writeFile(config, text.replace('\nagents:\n', bound));
        await writeFile(join(project, 'ship-it.yaml'), FLOW);
        await writeFile(join(project, 'elsewhere.json'), JSON.stringify(SESSION, null, 2));
      },
    });
  });
  after(() => window?.close());

  const leg = journey('checkpoints', () => window);
  const did = async () => (await readFile(join(window.project, 'did.txt'), 'utf8')).trim().split('\n');
  const become = (status) =>
    until(`the run is ${status}`, async () => (await window.data(ids.runStatus, 'status'))[0] === status, SLOW);
  let first;

  leg('a moment is named while the run waits', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go('#/workflow/ship-it.yaml');
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await become('blocked');
    first = (await window.address()).match(/run\/([^?]+)/)[1];
    await window.click(ids.tabCheckpoints);
    await window.says(ids.checkpoint, 'Shall we build?');
    await window.type(ids.checkpointName, 'before the build');
    await window.click(ids.checkpointAdd);
    await window.says(ids.checkpoint, /before the build[\s\S]*named by Ada Lund[\s\S]*nothing since/);
    const answered = await window.cli('answer', first, 'build', 'approve', '--by', 'Ada Lund');
    assert.equal(answered.code, 0, answered.out + answered.err);
    await become('done');
    await window.says(ids.checkpoint, '2 steps, 2 files since');
    await window.screenshot('checkpoints-1-listed');
    assert.deepEqual(await did(), ['plan', 'build', 'ship']);
  });

  leg('it is gone back to after all that follows has been shown', async () => {
    await window.click(ids.checkpointBack);
    await window.says(ids.back, /Since then[\s\S]*2 steps, 2 files[\s\S]*Not done again[\s\S]*Plan/);
    await window.says(
      ids.backChanges,
      /Would be deleted[\s\S]*build\.md[\s\S]*ship\.md[\s\S]*As it was then[\s\S]*plan\.md/,
    );
    await window.screenshot('checkpoints-2-going-back');
    await window.click(ids.backFiles);
    await window.screenshot('checkpoints-3-with-files');
    await window.click(ids.backConfirm);
    await until('another run', async () => !(await window.address()).includes(first));
    await become('blocked');
    await window.says(ids.runContinues, 'goes back to “before the build” of');
    await assert.rejects(readFile(join(window.project, 'build.md')), 'it was put back');
    assert.deepEqual(await did(), ['plan', 'build', 'ship']);
    await window.click(ids.openDecision);
    await window.answer(ids.gateApprove);
    await until('it has gone on', async () => (await did()).length === 5, SLOW);
    assert.deepEqual(await did(), ['plan', 'build', 'ship', 'build', 'ship']);
    await window.go('#/runs');
    // A driver finds no text in a line that is cut at its end.
    const from = () =>
      window.run('return document.querySelector(arguments[0])?.textContent ?? ""', selector(ids.runFrom));
    await until('where it comes from', async () => (await from()).includes('goes back to “before the build” of'));
    await window.screenshot('checkpoints-4-ancestry');
    const [{ run_id }] = JSON.parse((await window.cli('list', '--json')).out);
    const verified = await window.cli('verify', run_id);
    assert.equal(verified.code, 0, verified.out + verified.err);
    assert.deepEqual(await window.errors(), []);
  });

  leg('a session of elsewhere becomes a run, and its workflow goes on from it', async () => {
    await window.go('#/session/file/elsewhere.json');
    await window.says(ids.sessionView, 'Take the short way');
    await window.click(ids.sessionImport);
    await window.says(ids.runImported, 'nothing of it was executed here');
    await become('imported');
    await window.says('run', 'Take the short way');
    await window.screenshot('checkpoints-5-imported');
    await window.click(ids.sessionTakeOver);
    await window.choose(ids.takeOverWorkflow, 'ship-it.yaml');
    await window.says(ids.takeOver, /Counts as completed[\s\S]*Plan[\s\S]*Build[\s\S]*Runs now[\s\S]*Ship/);
    await window.choose(ids.takeOverAt, 'build');
    await window.says(
      ids.takeOver,
      /Counts as completed[\s\S]*Plan[\s\S]*Runs now[\s\S]*Build[\s\S]*May come after it[\s\S]*Ship/,
    );
    await window.screenshot('checkpoints-6-going-on');
    await window.choose(ids.takeOverAt, 'ship');
    await window.says(ids.takeOver, /Counts as completed[\s\S]*Plan[\s\S]*Build[\s\S]*Runs now[\s\S]*Ship/);
    await window.click(ids.takeOverConfirm);
    await become('done');
    assert.deepEqual((await did()).slice(5), ['ship'], 'what was done elsewhere is not done again');
    await window.screenshot('checkpoints-7-went-on');
    assert.deepEqual(await window.errors(), []);
  });

  leg('a session that is dropped on the window opens', async () => {
    await window.run(
      `const files = new DataTransfer();
       files.items.add(new File([arguments[0]], 'dropped.json', { type: 'application/json' }));
       window.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));`,
      JSON.stringify(SESSION),
    );
    await window.says(ids.sessionView, 'Take the short way');
    await window.get(ids.sessionImport);
  });
});
