// Where nothing else decides the way on, a person chooses it in the real window; a navigator that was asked before has its answer and its
// reasons kept. The agents are real programs.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOW = 'support/warranty-claim.yaml';
const REPORT = { examine: { fault: 'unclear', repair_cost: 60, output: 'Water got in.' } };
/** It reports what its step is to report. */
const WORKSHOP = `python3 -c 'import json,os; all=json.loads(open("reports.json").read()); open(os.environ["GATEHOUSE_REPORT"],"w").write(json.dumps(all.get(os.environ["GATEHOUSE_STEP"], {})))'`;
/** It names a way that is not on the list. */
const PILOT = `printf '{"way": "advance:moon", "reasons": "It is far away."}' > "$GATEHOUSE_REPORT"`;
const SLOW = { within: 60_000 };

describe('a way that nothing else decides', () => {
  let window;
  before(async () => {
    window = await openWindow({
      prepare: async ({ project }) => {
        const config = join(project, 'gatehouse.yaml');
        const text = await readFile(config, 'utf8');
        const shell = (run) => `{ engine: shell, run: ${JSON.stringify(run)} }`;
        const agents = ['workshop', 'warehouse', 'letter-writer'].map((name) => `  ${name}: ${shell(WORKSHOP)}\n`);
        const bound = `\nagents:\n${agents.join('')}  pilot: ${shell(PILOT)}\n`;
        await writeFile(config, `${text.replace('\nagents:\n', bound)}\nrouting: { mode: assist, navigator: pilot }\n`);
        await writeFile(join(project, 'reports.json'), JSON.stringify(REPORT));
      },
    });
  });
  after(() => window?.close());

  const leg = journey('escalation', () => window);
  const become = (status) =>
    until(`the run is ${status}`, async () => (await window.data(ids.runStatus, 'status'))[0] === status, SLOW);

  leg('asks a person, who is offered the ways and chooses none by accident', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go(`#/workflow/${FLOW}`);
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await become('blocked');
    await window.click(ids.openDecision);
    await window.says(ids.gateBrief, /Where shall it go on after “Examine the appliance”/);
    await window.says(ids.gateBrief, /Nothing else decides where it goes on/);
    await window.says(ids.gateBrief, /Water got in[\s\S]*unclear/);
    await window.says(ids.gateBrief, /answer about “Examine the appliance” does not count[\s\S]*far away/);
    await window.says(ids.gateBrief, /it is taken only where fault is “customer”/);
    await window.says(ids.gateWays, /Repair it[\s\S]*Send a new one[\s\S]*Send it back as it is[\s\S]*End here/);
    await window.says('gate-answers', /Choose where it goes on/);
    await window.screenshot('escalation-1-asked');
    const choose = await window.get(ids.gateChoose);
    assert.equal(await choose.isEnabled(), false);
  });

  leg('goes where the person chose, and says who decided and who was asked before', async () => {
    await window.run(
      `document.querySelector('[data-testid="${ids.gateWays}"] input[value="advance:replace"]').click()`,
    );
    await window.says(ids.gateChoose, /Send a new one/);
    await window.screenshot('escalation-2-chosen');
    await window.answer(ids.gateChoose);
    await until('the run is done', async () => {
      const [latest] = JSON.parse((await window.cli('list', '--json')).out);
      return latest?.status === 'done';
    });
    const [{ run_id }] = JSON.parse((await window.cli('list', '--json')).out);
    const events = (await window.cli('events', run_id, '--vocabulary', 'stepwise')).out
      .trim()
      .split('\n')
      .map(JSON.parse);
    const [first] = events.filter((event) => event.kind === 'route_decision');
    assert.equal(first.payload.routing_source, 'escalate');
    assert.equal(first.payload.to_step, 'replace');
    const verified = await window.cli('verify', run_id);
    assert.equal(verified.code, 0, verified.out + verified.err);
    await window.go(`#/run/${run_id}`);
    await become('done');
    const lanes = `return [...document.querySelectorAll('[data-testid="${ids.timeline}"] .name')].map((e) => e.innerText.trim())`;
    await until('the lanes of the navigator and of who decided', async () => {
      const names = await window.run(lanes);
      return names.includes('Navigator') && names.includes('Way on decided by');
    });
    await window.click(ids.graphEdge, { from: 'examine', to: 'replace' });
    await window.says(ids.whyCard, /A person was asked where to go on: Ada Lund chose “Send a new one”/);
    await window.screenshot('escalation-3-why');
    assert.deepEqual(await window.errors(), []);
  });
});
