// A workflow of every format, from an empty folder to its end, once with the mouse alone and once with the keyboard alone: it is made,
// changed, undone and done again, rehearsed, and run until people have decided at both of its gates. Nothing but the window writes its
// file, both hands leave the same text, and that is what a person would have written (fixtures/authored). Which formats are tried together
// say the two files of tests, formats.test.mjs and formats-waiting.test.mjs: they take longest of all, and work beside each other.
import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ByKeyboard, ByMouse } from './authors.mjs';
import { ids } from './ids.mjs';
import { journey } from './journey.mjs';
import { until } from './sandbox.mjs';
import { openWindow } from './window.mjs';

const AUTHORED = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/authored');
const named = (joint) => (name) => (name === 'First step' ? 'first' : name.toLowerCase().replaceAll(' ', joint));
const pass = { answer: 'pass' };
const approve = { answer: 'approve' };
/** A person has checked it: that leads back, and this leads on. */
const unclear = { answer: 'pass', reports: { verdict: 'unclear' } };
const clear = { answer: 'pass', reports: { verdict: 'something else' } };
/** The same where a condition reads how many pages it has besides. */
const withPages = ({ answer, reports }) => ({ answer, reports: { ...reports, pages: '12' } });

const leaveOut = { answer: 'choose', way: 'leave_out' };

/** Writing and checking beside each other, before somebody decides. */
async function beside(author) {
  await author.draw('First step', 'Check it', /check-it[^]*?depends_on:[^:]*\bfirst\b/);
  await author.cut('Write it', 'Check it');
  await author.draw('Write it', 'Decide', /decide[^]*?depends_on:[^:]*\bwrite-it\b/);
}

/** A script of its own for each step that has one. */
async function scripts(author, field, steps) {
  for (const [step, script] of Object.entries(steps)) {
    await author.select(step);
    await author.written(new RegExp(script), () => author.fill(field, script));
  }
}

/**
 * What is made of each format. `step` is how it calls a step, by its name and its place; `kinds` says what does a step, where it is not
 * the first kind that is offered. `lead` says what leads where, and by which conditions. `id` is the field of a step's id, where it has one
 * beside its name or number; `moved` the step that comes one earlier, where order means something. `rehearsed` and `real` are answers in
 * their order; `beside` are steps at which the real run asks at the same time, `left` one that it leaves out, and
 * `taken` the lines that it must have gone.
 */
const FORMATS = {
  flow: {
    step: named('_'),
    kinds: { Decide: 'decision' },
    gated: 'Send it',
    id: 'field-id',
    moved: 'Print it',
    lead: async (author) => {
      const { hand } = author;
      await author.select('Check it');
      await author.written(/kind: branch\n\s+when: \[\]/, () => hand.choose('field-routing.kind', 'conditions'));
      await author.written(/value: unclear[\s\S]*next: write_it/, async () => {
        await hand.fill(ids.conditionField, 'verdict');
        await hand.choose(ids.conditionOperator, 'equals');
        await hand.fill(ids.conditionValue, 'unclear');
        await hand.choose(ids.wayTo, 'write_it');
        await hand.press(ids.wayAdd);
      });
      await author.written(/verdict == 'good'[\s\S]*next: print_it/, async () => {
        // The row for another one begins anew when the one before it is written: what was pressed just before that is gone.
        await until('the expression', async () => {
          if ((await author.window.all(ids.conditionText)).length > 0) return true;
          await hand.press(ids.conditionAsText, {}, -1);
          return false;
        });
        await hand.fill(ids.conditionText, "verdict == 'good' && pages < 3", -1);
        await hand.choose(ids.wayTo, 'print_it');
        await hand.press(ids.wayAdd);
      });
    },
    rehearsed: [approve, approve],
    real: [pass, withPages(unclear), pass, withPages(clear), pass, approve, pass, approve],
    taken: [['Check it', 'Draft it']],
  },
  graph: {
    step: named('_'),
    kinds: { Decide: 'decision' },
    gated: 'Send it',
    id: 'field-node_id',
    lead: async (author) => {
      const { hand } = author;
      await author.draw('Check it', 'Write it', /from: check_it\n\s+to: write_it/, async ({ hand }) => {
        await hand.press(ids.drawGo);
      });
      await author.select('Check it');
      // It has the usual condition of a loop, in whose place another one comes.
      await author.written(/to: write_it(?![\s\S]*condition:)/, () => hand.press(ids.conditionAlways));
      await author.written(/value: unclear/, async () => {
        await hand.fill(ids.conditionField, 'verdict', -1);
        await hand.choose(ids.conditionOperator, 'equals');
        await author.fill(ids.conditionValue, 'unclear');
      });
      await author.written(/condition: .*verdict != 'unclear'/, async () => {
        await hand.press(ids.conditionAsText);
        await author.fill(ids.conditionText, "verdict != 'unclear'");
      });
    },
    rehearsed: [approve, approve],
    real: [pass, unclear, pass, clear, pass, approve, pass, pass, approve],
    taken: [['Check it', 'Draft it']],
  },
  runbook: {
    step: (name, at) => String(at + 1),
    kinds: { 'Write it': 'command', 'Print it': 'command' },
    kind: 'prompt',
    moved: 'Print it',
    lead: async (author) => {
      await scripts(author, 'field-command', { 'Write it': 'echo written', 'Print it': 'echo printed' });
      await author.draw('Check it', 'Write it', /## 3 Check it[\s\S]*?- FAIL: GOTO 2/, async ({ hand }) => {
        await hand.mark('[data-testid="draw-way"][value="1"]');
        await hand.press(ids.drawGo);
      });
    },
    rehearsed: [pass, pass, pass],
    real: [{ answer: 'fail' }, pass, pass, pass],
    taken: [['Check it', 'Draft it']],
  },
  stepspec: {
    step: named('-'),
    kinds: { Decide: 'decision' },
    kind: 'script',
    gated: 'Send it',
    id: 'field-id',
    moved: 'Print it',
    lead: async (author) => {
      await scripts(author, 'field-run', { 'Write it': 'echo written', 'Check it': 'echo checked' });
      await scripts(author, 'field-run', { 'Print it': 'echo printed', 'Send it': 'echo sent' });
      await author.select('Decide');
      await author.written(/on_reject: write-it/, () => author.hand.choose('field-on_reject', 'write-it'));
    },
    rehearsed: [approve, approve],
    real: [pass, { answer: 'reject', comment: 'Say who pays.' }, pass, approve, approve],
    taken: [['Decide', 'Draft it']],
  },
  'agent-workflow': {
    step: named('-'),
    kinds: { Decide: 'decision', 'Print it': 'optional' },
    gated: 'Send it',
    id: 'field-id',
    moved: 'Print it',
    lead: async (author) => {
      await beside(author);
      await author.select('Print it');
      await author.written(/condition: .*pages > 3/, () => author.fill('field-condition', 'pages > 3'));
    },
    // Nobody has said how many pages there are: a person says whether it holds.
    rehearsed: [approve, leaveOut, approve],
    real: [pass, pass, leaveOut, pass, approve, pass, approve],
    beside: ['Draft it', 'Check it'],
    left: 'Print it',
  },
  pipeline: {
    step: named('-'),
    kinds: { Decide: 'decision', 'Print it': 'script', 'Send it': 'script' },
    gated: 'Send it',
    moved: 'Print it',
    lead: async (author) => {
      await beside(author);
      for (const step of ['Write it', 'Check it']) {
        await author.select(step);
        await author.written(/parallel: true/, () => author.hand.mark('[data-testid="field-parallel"]'));
      }
      await scripts(author, 'field-run', { 'Print it': 'echo printed', 'Send it': 'echo sent' });
    },
    rehearsed: [approve, approve],
    real: [pass, pass, pass, approve, approve],
    beside: ['Draft it', 'Check it'],
  },
};

/**
 * Declares the tests of some formats, those of one beside those of another. `FORMAT=flow` tries one of them alone, `WRITE_AUTHORED=1` writes
 * its files anew to be looked at.
 * @param {string} title
 * @param {string[]} formats
 */
export function authored(title, formats) {
  const wanted = formats.filter((name) => !process.env.FORMAT || process.env.FORMAT === name);
  // Each journey has a window and a display of its own: while some wait for a person to have read, others go on.
  describe(title, { concurrency: 2 }, () => {
    for (const format of wanted) for (const By of [ByMouse, ByKeyboard]) journeyOf(By, format, FORMATS[format]);
  });
}

function journeyOf(By, format, means) {
  const name = By === ByMouse ? 'mouse' : 'keyboard';
  describe(`${format}, by ${name} alone`, { concurrency: 1 }, () => {
    let window;
    let author;
    before(async () => {
      window = await openWindow({ empty: true });
      const kinds = (step) => means.kinds[step] ?? means.kind ?? 'work';
      author = new By(window, { format, title: 'Publish a report', step: means.step, kinds });
    });
    after(() => window?.close());
    const leg = journey(`formats-${format}-${name}`, () => window);

    /** The file is what a person would have written. */
    const isAuthored = async (stage) => {
      const file = join(AUTHORED, `${format}-${stage}.txt`);
      if (process.env.WRITE_AUTHORED) await writeFile(file, await author.text());
      const plain = (text) => text.replaceAll(/PIPE-[\w-]+/g, 'PIPE').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'THEN');
      assert.equal(plain(await author.text()), plain(await readFile(file, 'utf8')));
    };

    leg('begins in an empty folder', async () => {
      const { project } = window;
      assert.deepEqual(
        (await readdir(project)).filter((one) => one !== '.gatehouse'),
        [],
      );
      await window.ready();
      await author.make();
    });

    leg('grows', async () => {
      for (const step of ['Write it', 'Check it', 'Decide', 'Send it']) await author.add(step);
      await author.insert('Print it', 'Decide', 'Send it');
      if (means.gated) await author.shield(means.gated, /human_gate: required[\s\S]*human_gate: required/);
      await author.picture('3-steps');
    });

    leg('is told what leads where', async () => {
      await means.lead(author);
      await author.picture('4-led');
      await isAuthored('made');
    });

    leg('gets other names and another order, and loses a step', async () => {
      await author.rename('Write it', 'Draft it');
      if (means.id) await author.identify('Draft it', means.id);
      if (means.moved) await author.earlier(means.moved);
      await author.remove('First step');
      await author.picture('5-changed');
      await isAuthored('changed');
    });

    leg('is undone to its beginning and done again after the program was closed', async () => {
      const whole = await author.text();
      assert.deepEqual(await window.errors(), []);
      await window.driver.quit();
      await window.start({ address: `#/workflow/${encodeURIComponent(author.path)}` });
      await window.ready();
      await author.settled();
      let steps = 0;
      for (; await author.can(ids.undo); steps += 1) await author.back(ids.undo);
      assert.ok(steps >= 9, `${steps} changes were undone`);
      assert.doesNotMatch(await author.text(), /Check it|check.it/);
      for (let n = 0; n < steps; n += 1) await author.back(ids.redo);
      assert.equal(await author.text(), whole);
    });

    leg('is rehearsed', async () => {
      await author.run('rehearsal');
      await author.decide(means.rehearsed);
      await author.ended();
    });

    leg('is run, and people decide', async () => {
      await author.reopen();
      await author.run('real');
      if (means.beside) await author.asks(means.beside);
      await author.decide(means.real);
      await author.ended();
      await author.picture('7-ended');
      if (means.left) await window.get(ids.graphNode, { step: author.id(means.left), status: 'skipped' });
      for (const [from, to] of means.taken ?? [])
        await window.get(ids.graphEdge, { from: author.id(from), to: author.id(to), taken: 'true' });
      assert.deepEqual(await window.errors(), []);
    });
  });
}
