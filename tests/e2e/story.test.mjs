// The story of a session in one go, in the real window (seed 003): a result below a quality standard goes on because a person says why, an agent's
// feedback sends an earlier step back, a moment is named and gone back to, the new run ends, and its session tells all of it, as its report does. The
// agents are real programs.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOW = `key: library
title: A reading room
feedback: { rounds: 2, seconds: 3600, escalate_to: ada }
steps:
  - { id: design, name: Design it, agents: [architect], outputs: [design.md] }
  - { id: build, name: Build it, agents: [builder], outputs: [build.md] }
  - { id: open, name: Open it, agents: [keeper], outputs: [open.md], human_gate: required, gate_at: before, gate_question: Shall it open? }
`;
const SETTINGS = `permissions: { mode: allow }
agents:
  architect: { engine: shell, run: sh design.sh }
  builder: { engine: shell, run: sh build.sh }
  keeper: { engine: shell, run: echo open >> did.txt && echo Open. > open.md }
  ada: person
context:
  quality_standards: { code_quality_threshold: 8 }
`;
/** Good enough in its second visit only, which it has because of what the builder reports. */
const DESIGN = `echo design >> did.txt
echo "Design $GATEHOUSE_VISIT" > design.md
test "$GATEHOUSE_VISIT" = 1 && quality=6.5 || quality=8.5
printf '{"code_quality": %s, "overall_score": %s}' "$quality" "$quality" > "$GATEHOUSE_REPORT"
`;
const FEEDBACK = {
  feedback: { to: 'architect', type: 'constraint', severity: 'error', message: 'The shelves do not bear it.' },
};
const BUILD = `echo build >> did.txt
echo "Build $GATEHOUSE_VISIT" > build.md
test "$GATEHOUSE_VISIT" = 1 && cp feedback.json "$GATEHOUSE_REPORT" || echo '{"code_quality": 9}' > "$GATEHOUSE_REPORT"
`;
const WHY = 'It is a draft, and the builder looks at it.';
const SLOW = { within: 60_000 };

describe('the story of a session', () => {
  let window;
  let first;
  let second;
  before(async () => {
    window = await openWindow({
      prepare: async ({ project }) => {
        const files = {
          'gatehouse.yaml': SETTINGS,
          'library.yaml': FLOW,
          'design.sh': DESIGN,
          'build.sh': BUILD,
          'feedback.json': JSON.stringify(FEEDBACK),
        };
        for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
      },
    });
  });
  after(() => window?.close());

  const leg = journey('story', () => window);
  const did = async () => (await readFile(join(window.project, 'did.txt'), 'utf8')).trim().split('\n');
  const become = (status) =>
    until(`the run is ${status}`, async () => (await window.data(ids.runStatus, 'status'))[0] === status, SLOW);

  leg('the workflow says how far feedback goes, and with whom it ends', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go('#/workflow/library.yaml');
    await window.says('workflow-feedback', /at most 2 times[\s\S]*at most 1 h[\s\S]*ada decides/);
    await window.screenshot('story-1-bounds');
  });

  leg('a result below a standard goes on, because a person says why', async () => {
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await become('blocked');
    first = (await window.address()).match(/run\/([^?]+)/)[1];
    await window.click(ids.openDecision);
    await window.says(ids.gateBrief, 'code quality is 6.5');
    await window.type(ids.gateComment, WHY);
    await window.answer(ids.gateApprove);
    await window.says(ids.gateAnswered, "approved below the project's standard");
    await window.screenshot('story-2-overridden');
  });

  leg('what the builder reports sends the design back, and it comes to the gate', async () => {
    await window.go(`#/run/${first}`);
    await until('both have worked twice', async () => (await did()).length === 4, SLOW);
    assert.deepEqual(await did(), ['design', 'build', 'design', 'build']);
    await become('blocked');
    await window.click(ids.graphEdge, { from: 'build', to: 'design' });
    await window.says(ids.whyCard, /The shelves do not bear it[\s\S]*resolved/);
    await window.screenshot('story-3-sent-back');
  });

  leg('the moment is named, the run ends, and it is gone back to', async () => {
    await window.click(ids.tabCheckpoints);
    await window.type(ids.checkpointName, 'before it opens');
    await window.click(ids.checkpointAdd);
    await window.says(ids.checkpoint, /before it opens[\s\S]*named by Ada Lund/);
    await window.click(ids.openDecision);
    await window.answer(ids.gateApprove);
    await until('it has opened', async () => (await did()).length === 5, SLOW);
    await window.go(`#/run/${first}`);
    await become('done');
    await window.click(ids.tabCheckpoints);
    await window.says(ids.checkpoint, '1 step, 1 file since');
    await window.click(ids.checkpointBack);
    await window.click(ids.backConfirm);
    await until('another run', async () => !(await window.address()).includes(first));
    await become('blocked');
    second = (await window.address()).match(/run\/([^?]+)/)[1];
    await window.says(ids.runContinues, 'goes back to “before it opens” of');
  });

  leg('the new run ends, and nothing that was completed is done again', async () => {
    await window.click(ids.openDecision);
    await window.answer(ids.gateApprove);
    await until('it has opened again', async () => (await did()).length === 6, SLOW);
    assert.deepEqual((await did()).slice(4), ['open', 'open']);
    await window.go(`#/run/${second}`);
    await become('done');
  });

  leg('its session tells the story to somebody who has never seen its document', async () => {
    await window.click('run-menu');
    await window.click(ids.runSession);
    for (const words of [
      'design:code_quality_threshold',
      WHY,
      'The shelves do not bear it.',
      'not reported any more',
      'before it opens',
      'resolved',
    ]) {
      await window.says(ids.sessionView, words);
    }
    await window.screenshot('story-4-session');
    const { out } = await window.cli('session', 'export', second);
    const session = JSON.parse(out);
    const kinds = session.decision_log.map((one) => one.decision_type);
    assert.ok(kinds.includes('quality_gate_override'), `${kinds}`);
    assert.deepEqual(
      session.feedback_loops.map((one) => [one.source_agent, one.target_agents, one.status]),
      [['builder', ['architect'], 'resolved']],
    );
    assert.deepEqual(session.workflow_state.completed_steps, [1, 2, 3]);
    assert.equal(session.metadata.continues.run_id, first);
  });

  leg('its report has it, and the record holds', async () => {
    const report = join(window.box.project, 'report.html');
    const { code, out, err } = await window.cli('report', second, '--output', report);
    assert.equal(code, 0, out + err);
    const text = await readFile(report, 'utf8');
    for (const words of [WHY, 'The shelves do not bear it.', 'before it opens', 'code quality is 6.5']) {
      assert.ok(text.includes(words), `“${words}” is in the report`);
    }
    const verified = await window.cli('verify', second);
    assert.equal(verified.code, 0, verified.out + verified.err);
    assert.deepEqual(await window.errors(), []);
  });
});
