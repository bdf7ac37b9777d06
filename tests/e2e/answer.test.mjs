// Answers that nobody gave: a second click, a second Enter, a click in the frame in which the brief changes. In the real window, on
// runs of one workflow that ask the same question.
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ids, selector } from './harness/ids.mjs';
import { until } from './harness/sandbox.mjs';
import { Key, openWindow } from './harness/window.mjs';

const FLOW = 'offer.yaml';
const SCENARIO = 'offer.scenario.yaml';
const [FIRST, SECOND] = ['May the offer be sent?', 'Is the price right?'];

describe('an answer', () => {
  let window;
  before(async () => {
    const fixtures = fileURLToPath(new URL('./fixtures/', import.meta.url));
    const prepare = async (box) => {
      for (const name of [FLOW, SCENARIO]) await cp(join(fixtures, name), join(box.project, name));
    };
    window = await openWindow({ prepare });
    await window.ready();
    await window.sign('Ada Lund');
  });
  after(() => window?.close());

  /** A new run that waits at its first question; its id. */
  const ask = async () => {
    const { code, out, err } = await window.cli('run', FLOW, '--scenario', SCENARIO, '--fast', '--until-blocked');
    assert.notEqual(code, 70, `${out}\n${err}`);
    return JSON.parse((await window.cli('list', '--json')).out)[0].run_id;
  };
  /** How many answers a run has been given. */
  const answers = async (run) => {
    const { out } = await window.cli('events', run, '--vocabulary', 'native');
    return out.split('\n').filter((line) => /gate_answered|GateAnswered/.test(line)).length;
  };
  const open = async (run) => {
    await window.go(`#/inbox/${run}/${encodeURIComponent(await gateOf(run))}`);
    await window.get(ids.gateBrief, { run });
  };
  const gateOf = (run) =>
    until(`the card of ${run}`, async () => {
      await window.go('#/inbox');
      const cards = await window.run(
        'return [...document.querySelectorAll(arguments[0])].map((e) => [e.dataset.run, e.dataset.gate])',
        selector(ids.gateCard),
      );
      return cards.find(([of]) => of === run)?.[1];
    });
  const rect = (id) =>
    window.run('return document.querySelector(arguments[0])?.getBoundingClientRect().toJSON()', selector(id));

  test('clicked twice at one place signs one decision, and the window stays on it', async () => {
    const [older, newer] = [await ask(), await ask()];
    await open(newer);
    await window.alive();
    const approve = await window.get(ids.gateApprove);
    const before = await rect(ids.gateApprove);
    const place = { x: Math.round(before.x + before.width / 2), y: Math.round(before.y + before.height / 2) };
    await window.driver.actions().doubleClick(approve).perform();
    await window.says(ids.gateAnswered, /You approved/, { mine: 'true' });
    await window.screenshot('answer-1-stays');
    // A third and a fourth click where Approve was.
    for (let i = 0; i < 2; i += 1) {
      await window.driver
        .actions()
        .move({ ...place, origin: 'viewport' })
        .click()
        .perform();
    }
    const next = await rect(ids.gateNext);
    assert.ok(next, 'what waits next is offered');
    const apart =
      next.bottom < before.top || next.top > before.bottom || next.right < before.left || next.left > before.right;
    assert.ok(apart, `next to come stands apart from where the click was: ${JSON.stringify([before, next])}`);
    assert.match(await window.address(), new RegExp(newer), 'the window stays on what was decided');
    assert.deepEqual([await answers(newer), await answers(older)], [1, 0]);

    // Two gates of one workflow: the question of this run comes first, although another has waited longer.
    await window.says(ids.gateAnswered, SECOND);
    await window.click(ids.gateNext);
    await window.get(ids.gateBrief, { run: newer });
    await until('its question', async () => (await window.text('#gate-question')) === SECOND);
    await window.answer(ids.gateApprove);
    await window.get(ids.gateAnswered, { mine: 'true' });
    await until('the other run, offered', async () =>
      (await (await window.get(ids.gateAnswered)).getText()).includes(FIRST),
    );
    assert.equal(await answers(older), 0);
  });

  test('is given once by Enter pressed twice, and Enter leads nowhere after it', async () => {
    const [run, other] = [await ask(), await ask()];
    await open(run);
    await window.alive();
    await window.run('document.querySelector(arguments[0]).focus()', selector(ids.gateApprove));
    await window.press(Key.ENTER, Key.ENTER);
    await window.get(ids.gateAnswered, { mine: 'true' });
    const address = await window.address();
    await window.press(Key.ENTER, Key.ENTER, Key.SPACE);
    assert.equal(await window.address(), address);
    assert.deepEqual([await answers(run), await answers(other)], [1, 0]);
  });

  test('is not taken before the brief has been looked at', async () => {
    const run = await ask();
    await open(run);
    // In the page itself, so that no time passes: pressed as soon as the button is there, again and again.
    const pressed = await window.driver.executeAsyncScript(
      `const [answers, approve, done] = arguments;
       let pressed = 0;
       location.hash = '#/runs';
       setTimeout(() => history.back(), 100);
       const press = () => {
         const bar = document.querySelector(answers);
         if (bar?.dataset.live === 'true') return done(pressed);
         const button = bar?.querySelector(approve);
         if (button) { button.click(); pressed += 1; }
         setTimeout(press, 10);
       };
       setTimeout(press, 50);`,
      selector(ids.gateAnswers),
      selector(ids.gateApprove),
    );
    assert.ok(pressed > 3, `pressed ${pressed} times while asleep`);
    assert.equal(await answers(run), 0);
  });

  test('pressed in the frame in which the brief changes answers nothing, and what changed is said', async () => {
    const run = await ask();
    await open(run);
    await window.alive();
    await window.run(
      `window.__pressed = 0;
       new MutationObserver(() => {
         window.__pressed += 1;
         document.querySelector(arguments[1]).click();
       }).observe(document.querySelector(arguments[0]), { attributes: true, attributeFilter: ['data-round'] });`,
      selector(ids.gateBrief),
      selector(ids.gateApprove),
    );
    const { code, err } = await window.cli(
      'answer',
      run,
      'write',
      'changes',
      '--by',
      'Bo Berg',
      '--comment',
      'Twice as many.',
    );
    assert.equal(code, 0, err);
    // Nobody drives a run that was started until it asked: it is taken up again, as its person would.
    await window.cli('resume', run, '--fast', '--until-blocked');
    await window.get(ids.gateBrief, { round: 2 });
    await until('the press', async () => (await window.run('return window.__pressed')) > 0);
    await window.says(ids.gateChanged, /round 2 began/);
    await window.says(ids.gateChanged, /offer\.md changed/);
    await window.alive();
    await window.screenshot('answer-2-changed');
    assert.equal(await answers(run), 1, 'only what was asked for on the command line');
  });

  test('a comment that was begun is there again', async () => {
    const run = await ask();
    await open(run);
    await window.type(ids.gateComment, 'Keep an eye on § 3');
    await window.click(ids.navRuns);
    await open(run);
    const kept = async () => (await window.get(ids.gateComment)).getAttribute('value');
    await until('the comment that was begun', async () => (await kept()) === 'Keep an eye on § 3');
  });

  test('had no errors in the page on the way', async () => {
    assert.deepEqual(await window.errors(), []);
  });
});
