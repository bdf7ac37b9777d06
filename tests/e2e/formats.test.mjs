// A workflow of every format made in the window, by mouse and by keyboard, until it waits for a decision; nothing but the window writes
// its file, and what it wrote is what a person would have written by hand (fixtures/authored).
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { Key, openWindow } from './harness/window.mjs';

const AUTHORED = join(dirname(fileURLToPath(import.meta.url)), 'fixtures/authored');
const TITLE = 'Publish a report';

/**
 * What each format calls things, what is moved in it, and the step that is deleted: one that no condition leads to. `conditions`: what
 * is made of them, one by choosing and one typed as an expression where the format has any.
 * @type {Record<string, {file: string, ids: string[], conditions: ((leg: object) => Promise<void>) | null, back: RegExp | null,
 *   gate: RegExp | null, moves: boolean, gone: number}>}
 */
const FORMATS = {
  flow: {
    ids: ['first', 'write_it', 'check_it', 'decide', 'print_it', 'send_it'],
    conditions: async ({ window, written, choose }) => {
      await choose('check_it');
      await written(/kind: branch\n\s+when: \[\]/, () => window.choose('field-routing.kind', 'conditions'));
      // One is chosen with the mouse.
      await window.type(ids.conditionField, 'verdict');
      await window.choose(ids.conditionOperator, 'equals');
      await window.type(ids.conditionValue, 'unclear');
      await window.choose(ids.wayTo, 'write_it');
      await written(/value: unclear[\s\S]*next: write_it/, () => window.click(ids.wayAdd));
      // The other one is typed, by keyboard alone.
      await into(window, ids.conditionAsText, -1, Key.ENTER);
      await into(window, ids.conditionText, -1, "verdict == 'good' && pages < 3");
      await (await window.get(ids.wayTo)).sendKeys('Print it');
      await written(/pages < 3[\s\S]*next: print_it/, async () => (await window.get(ids.wayAdd)).sendKeys(Key.ENTER));
    },
    back: null,
    gate: /send_it[\s\S]*human_gate: required/,
    moves: true,
    gone: 0,
  },
  graph: {
    ids: ['first', 'write_it', 'check_it', 'decide', 'print_it', 'send_it'],
    conditions: async ({ window, written, choose, draw }) => {
      await draw('check_it', 'write_it');
      await window.get(ids.drawLine);
      await written(/from: check_it\n\s+to: write_it/, async () => (await window.get(ids.drawGo)).sendKeys(Key.ENTER));
      await choose('check_it');
      // The edge back comes behind the one that leads on.
      await until('both edges', async () => (await window.all(ids.conditionField)).length === 2);
      // It has the usual condition of a loop, in whose place another one comes.
      await written(/to: write_it(?![\s\S]*condition:)/, () => window.click(ids.conditionAlways));
      await window.gone(ids.conditionOperator);
      await into(window, ids.conditionField, -1, 'verdict');
      await window.choose(ids.conditionOperator, 'equals');
      await written(/value: unclear/, async () => {
        await into(window, ids.conditionValue, -1, 'unclear', Key.ENTER);
      });
      await until('the form again', async () => (await window.all(ids.conditionValue)).length === 1);
      await into(window, ids.conditionAsText, 0, Key.ENTER);
      await written(/condition: .*verdict != 'unclear'/, async () => {
        await into(window, ids.conditionText, 0, "verdict != 'unclear'", Key.TAB);
      });
    },
    back: null,
    gate: /send_it[\s\S]*human_gate: required/,
    moves: false,
    gone: 0,
  },
  runbook: {
    ids: ['1', '2', '3', '4', '5', '6'],
    // What a runbook decides by is whether a step went well.
    conditions: async ({ window, written, draw }) => {
      await draw('3', '2');
      await window.get(ids.drawLine);
      await (await window.all(ids.drawWay))[0].sendKeys(Key.ARROW_DOWN);
      await window.screenshot('formats-runbook-3-outcome');
      await written(/## 3 Check it[\s\S]*?- FAIL: GOTO 2/, async () =>
        (await window.get(ids.drawGo)).sendKeys(Key.ENTER),
      );
    },
    back: /## 3 Check it[\s\S]*?- PASS: GOTO 2/,
    gate: null,
    moves: true,
    gone: 2,
  },
  stepspec: {
    ids: ['first', 'write-it', 'check-it', 'decide', 'print-it', 'send-it'],
    conditions: null,
    back: null,
    gate: /send-it[\s\S]*human_gate: required/,
    moves: true,
    gone: 2,
  },
  'agent-workflow': {
    ids: ['first', 'write-it', 'check-it', 'decide', 'print-it', 'send-it'],
    // A condition says whether a step is done at all.
    conditions: async ({ window, written, choose }) => {
      await choose('send-it');
      await written(/id: send-it[\s\S]*?condition: .*pages > 3/, async () => {
        await (await window.get('field-condition')).sendKeys('pages > 3', Key.ENTER);
      });
    },
    back: null,
    gate: /send-it[\s\S]*human_gate: required/,
    moves: true,
    gone: 2,
  },
  pipeline: {
    ids: ['first', 'write-it', 'check-it', 'decide', 'print-it', 'send-it'],
    conditions: null,
    back: null,
    gate: /send-it[\s\S]*human_gate: required/,
    moves: true,
    gone: 2,
  },
};

/** Keys for one of several fields of a name, by its position (-1: the last one): it may be drawn anew between looking and typing. */
const into = (window, id, at, ...keys) =>
  until(`keys for ${id}`, async () => {
    const field = (await window.all(id)).at(at);
    if (!field || !(await field.isEnabled())) return false;
    await field.sendKeys(...keys);
    return true;
  });

for (const [format, means] of Object.entries(FORMATS).filter(
  ([name]) => !process.env.FORMAT || process.env.FORMAT === name,
)) {
  describe(`a workflow is authored: ${format}`, () => {
    let window;
    let path;
    before(async () => {
      window = await openWindow();
    });
    after(() => window?.close());
    const leg = journey(`formats-${format}`, () => window);
    const text = () => readFile(join(window.project, path), 'utf8');
    const changed = (what, before) => until(what, async () => (await text()) !== before);
    /** Keys and clicks meant for the next step wait until the last change is written, as a person does who sees it grey. */
    const settled = () =>
      until('what was changed to be written', async () => (await window.get(ids.barRemove)).isEnabled());
    /** Does what is asked about before it is done, where something is. */
    const agreed = async () => {
      const [ask] = await window.all(ids.consequenceGo);
      if (ask) await ask.click();
      return true;
    };
    const picture = (name) => window.screenshot(`formats-${format}-${name}`);

    leg('begins as a first step', async () => {
      await window.ready();
      await window.sign('Ada Lund');
      await window.go('#/library?new=workflow');
      await window.get(ids.newName);
      const radio = await until('the format', async () => (await window.all(ids.newFormat, { format }))[0]);
      await window.run('arguments[0].click()', radio);
      await window.type(ids.newName, TITLE);
      await picture('1-new');
      await window.click(ids.newMake);
      await window.says(ids.inspector, TITLE);
      path = await until('its address', async () => {
        const address = decodeURIComponent(await window.address());
        return /#\/workflow\/([^?]+)/.exec(address)?.[1];
      });
      assert.ok((await text()).length > 0);
    });

    leg('grows by keyboard alone, in the outline', async () => {
      await window.click(ids.tabOutline);
      await window.click(ids.outlineLine, { step: means.ids[0] });
      for (const name of ['Write it', 'Check it', 'Decide', 'Send it']) {
        const before = await text();
        await settled();
        const lines = await window.all(ids.outlineLine);
        await lines.at(-1).sendKeys(Key.INSERT);
        await window.type(ids.addStepName, name);
        await (await window.get(ids.addStepName)).sendKeys(Key.ENTER);
        await window.gone(ids.addStep);
        await changed(name, before);
        await window.says(ids.outline, format === 'pipeline' ? name.toLowerCase().replace(' ', '-') : name);
      }
      await picture('2-outline');
    });

    leg('takes a step on one of its lines, and a gate', async () => {
      await window.click('tab-graph');
      const before = await text();
      const at = means.ids.indexOf(means.ids.at(-2));
      const last = format === 'runbook' ? '5' : means.ids.at(-1);
      await window.click(ids.graphFit);
      // The picture glides to its place: a click may come to where the line was.
      const card = async () => (await window.all(ids.edgeInsert)).length > 0;
      await until('the card of the line', async () => {
        // A second click would close it.
        if (await card()) return true;
        await window.click(ids.graphEdge, { from: means.ids[at - 1], to: last });
        await sleep(500);
        return card();
      });
      await picture('3-line');
      await window.click(ids.edgeInsert);
      await window.type(ids.addStepName, 'Print it');
      await window.click(ids.addStepMake);
      await window.gone(ids.addStep);
      await changed('the step in the file', before);
      await window.get(ids.graphNode, { step: means.ids.at(-1) });
      if (means.gate) {
        await until('the last step to be chosen', async () => {
          await window.click(ids.graphNode, { step: means.ids.at(-1) });
          return /Step 6 · send.it/.test(await (await window.get(ids.inspector)).getText());
        });
        await settled();
        await window.click(ids.barGate);
        await until('the gate in the file', async () => means.gate.test(await text()));
        // What is called a decision has one already.
        assert.equal((await text()).match(/human_gate: required/g)?.length, 2);
      }
      await picture('3-graph');
    });

    if (means.conditions)
      leg('decides by conditions, one chosen and one typed', async () => {
        /** The step whose fields are shown. */
        const choose = (step) =>
          until(`${step} to be chosen`, async () => {
            await window.click(ids.graphNode, { step });
            const [id] = [...(await window.all('field-id')), ...(await window.all('field-node_id'))];
            return (await id?.getAttribute('value')) === step;
          });
        /** A line by keyboard from a step, and to the one that is clicked. */
        const draw = async (from, to) => {
          const node = await window.get(ids.graphNode, { step: from });
          await node.click();
          await node.sendKeys('c');
          await window.click(ids.graphNode, { step: to });
        };
        const written = async (what, act) => {
          await settled();
          await act();
          await until(`${what} in the file`, async () => (await agreed()) && what.test(await text()));
          await settled();
        };
        await means.conditions({ window, choose, draw, written });
        await picture('3-conditions');
      });

    leg('is the text that was looked at', async () => {
      const file = join(AUTHORED, `${format}.txt`);
      if (process.env.WRITE_AUTHORED) await writeFile(file, await text());
      const plain = (written) =>
        written.replaceAll(/PIPE-[\w-]+/g, 'PIPE').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'THEN');
      assert.equal(plain(await text()), plain(await readFile(file, 'utf8')));
    });

    if (means.back)
      leg('leads back where somebody draws it so', async () => {
        const before = await text();
        const node = await window.get(ids.graphNode, { step: means.ids[2] });
        await node.click();
        await node.sendKeys('c');
        await window.click(ids.graphNode, { step: means.ids[1] });
        await window.click(ids.drawGo);
        await until('what follows, or the file', async () => (await agreed()) && means.back.test(await text()));
        await picture('4-back');
        await window.click(ids.undo);
        await until('the text before', async () => (await text()) === before);
      });

    leg('gets other names, another order, and loses a step', async () => {
      await window.click(ids.tabOutline);
      const line = await window.get(ids.outlineLine, { step: means.ids[4] });
      await line.click();
      await window.get(format === 'runbook' ? 'field-title' : 'field-name');
      await (await window.get(ids.outlineLine, { step: means.ids[4] })).sendKeys(Key.F2);
      await (
        await window.get(ids.outlineRename)
      ).sendKeys(format === 'pipeline' ? 'print-and-bind-it' : 'Print and bind it', Key.ENTER);
      const called = format === 'pipeline' ? 'print-and-bind-it' : 'Print and bind it';
      await until(
        'the new name',
        async () => (await agreed()) && (await window.text('[data-testid="outline"]')).includes(called),
      );
      await settled();
      if (means.moves) {
        const before = await text();
        const moved = format === 'pipeline' ? 'print-and-bind-it' : means.ids[4];
        const at = await window.get(ids.outlineLine, { step: moved });
        await at.sendKeys(Key.chord(Key.ALT, Key.ARROW_UP));
        await until('another order, or why not', async () => (await agreed()) && (await text()) !== before);
        await settled();
      }
      const before = await text();
      const gone = means.ids[means.gone];
      const title = means.gone === 0 ? 'First step' : 'Check it';
      await window.click(ids.outlineLine, { step: gone });
      await window.says(ids.inspector, format === 'pipeline' ? 'check-it' : title);
      await settled();
      await (await window.get(ids.outlineLine, { step: gone })).sendKeys(Key.DELETE);
      await until('the step is gone', async () => (await agreed()) && (await text()) !== before);
      await picture('5-changed');
    });

    leg('is undone to its beginning and done again after the program was closed', async () => {
      const whole = await text();
      await window.driver.quit();
      await window.start({ address: `#/workflow/${encodeURIComponent(path)}` });
      await window.ready();
      let steps = 0;
      const can = async (id) => (await window.get(id)).isEnabled();
      while (await can(ids.undo)) {
        const before = await text();
        await window.click(ids.undo);
        await changed('the text before', before);
        await until('the window', async () => (await can(ids.redo)) && true);
        steps += 1;
      }
      assert.ok(steps >= 6, `${steps} changes were undone`);
      assert.ok(!(await text()).includes('Check it'));
      for (let n = 0; n < steps; n += 1) {
        const before = await text();
        await window.click(ids.redo);
        await changed('the text after', before);
      }
      assert.equal(await text(), whole);
    });

    leg('is started, and a person decides', async () => {
      await window.click(ids.runStart);
      // Work that nobody is there for is rehearsed; what people do by hand is done for real.
      await window.says(ids.startConfirm, format === 'runbook' ? 'Start' : 'Start the rehearsal');
      await window.click(ids.startConfirm);
      await window.get(ids.timeline);
      await picture('6-run');
      await window.go('#/inbox');
      await window.answer(format === 'runbook' ? ids.gatePass : ids.gateApprove);
      await window.get(ids.gateAnswered);
      await picture('7-decided');
      assert.deepEqual(await window.errors(), []);
    });
  });
}
