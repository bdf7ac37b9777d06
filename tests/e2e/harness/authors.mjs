// Somebody who makes a workflow in the window, with the mouse alone or with the keyboard alone: one function for each thing that is done.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Key } from 'selenium-webdriver';
import { AT_ONCE, Keyboard, Mouse } from './hands.mjs';
import { ids, selector } from './ids.mjs';
import { until } from './sandbox.mjs';

/** Who answers. */
const PERSON = 'Ada Lund';
const radio = (id, value) => `${selector(id)}[value="${value}"]`;
/** Long enough for a card to open after a click, ms. */
const OPENS = { within: 700 };

/** What does not depend on the hand. `step` tells the id of a step by its name and its place. */
class Author {
  /** The steps by their names, as they stand in the file. */
  names = ['First step'];
  /** Where the file is, in the project. */
  path = null;

  /** Ids that were not made of the name that a step has now. */
  #kept = new Map();

  constructor(window, hand, { format, title, step, kinds }) {
    Object.assign(this, { window, hand, format, title, kinds });
    this.name = hand.name;
    this.id = (name) => this.#kept.get(name) ?? step(name, this.names.indexOf(name));
  }

  /** A step has another name; its id stays, where it has one of its own. */
  called(name, next) {
    const [was, at] = [this.id(name), this.names.indexOf(name)];
    this.names[at] = next;
    if (!['pipeline', 'runbook'].includes(this.format)) this.#kept.set(next, was);
  }

  /** Gives a step an id that is made of its name; what leads to it follows. */
  async identify(name, field) {
    const was = this.id(name);
    await this.select(name);
    this.#kept.delete(name);
    const now = (id) => `[\\s[]${id}[\\s,\\]]`;
    await this.written(new RegExp(`^(?![^]*${now(was)})[^]*${now(this.id(name))}`), () =>
      this.fill(field, this.id(name)),
    );
  }

  text = () => readFile(join(this.window.project, this.path), 'utf8');

  picture = (name) => this.window.screenshot(`formats-${this.format}-${this.name}-${name}`);

  /** What was changed last is written: until then nothing can be done, and whoever looks sees it grey. */
  settled = () => until('the window to be at rest', () => this.window.run(AT_REST));

  /** Does something, agrees to what is asked before it is done, and waits until the file is another one that fits. */
  async written(what, act) {
    await this.settled();
    const before = await this.text();
    await act();
    await until(`${what} in the file`, async () => {
      if ((await this.window.all(ids.consequenceGo)).length > 0) await this.hand.press(ids.consequenceGo);
      const now = await this.text();
      return now !== before && what.test(now);
    });
    await this.settled();
  }

  async opened() {
    await this.window.says(ids.inspector, this.title);
    this.path = await until(
      'its address',
      async () => /#\/workflow\/([^?]+)/.exec(decodeURIComponent(await this.window.address()))?.[1],
    );
  }

  /** What the window calls a step: a pipeline has no names beside its ids. */
  spoken = (name) => (this.format === 'pipeline' ? this.id(name) : name);

  /** How the file spells a name. */
  spelt(name) {
    return new RegExp(this.format === 'pipeline' ? `name: ${this.id(name)}\n` : name);
  }

  /** Something is done to the steps: the names here follow. */
  added(name, at) {
    this.names.splice(at, 0, name);
  }

  moved(name, to) {
    this.names.splice(this.names.indexOf(name), 1);
    this.names.splice(to, 0, name);
  }

  /** Takes back, or does again, one thing. */
  async back(which) {
    await this.written(/./, () => this.turn(which));
  }

  /** Starts a run of it: for real, with a person for everybody who is nowhere to be had; or as a rehearsal. */
  async run(way) {
    const { window, hand } = this;
    await this.start();
    await window.get(ids.startConfirm);
    const choice = `[role="dialog"] input[type="radio"][value="${way}"]`;
    await hand.mark(choice);
    // A person does what nobody is there for.
    const people = () => window.all(ids.startPerson);
    await until('what it needs', async () => (await this.can(ids.startConfirm)) || (await people()).length > 0);
    const nobody = way === 'real' ? await people() : [];
    for (const one of nobody)
      await hand.mark(`${selector(ids.startPerson)}[value="${await one.getAttribute('value')}"]`);
    await this.picture(`6-${way}`);
    await hand.press(ids.startConfirm);
    await window.get(ids.timeline);
  }

  /** The run asks at these steps at the same time. */
  async asks(names) {
    for (const name of names) await this.window.get(ids.graphNode, { step: this.id(name), status: 'blocked' });
  }

  /** Gives answers to what the run asks, one after the other: to each question the first that it can be answered with. */
  async decide(answers) {
    const { window, hand } = this;
    const left = [...answers];
    for (let n = 0; n < answers.length; n += 1) {
      await hand.press(n === 0 ? ids.openDecision : ids.gateNext);
      await window.alive();
      // The next question may not be there yet: then none of them is an answer.
      const [{ answer, reports = {}, comment, way }] = await until(
        `an answer out of ${JSON.stringify(left)}`,
        async () => {
          const at = await window.run(
            FIRST_THERE,
            left.map((one) => selector(`gate-${one.answer}`)),
          );
          return at >= 0 && left.splice(at, 1);
        },
      );
      if ((await window.all(ids.gateName)).length > 0) await hand.fill(ids.gateName, PERSON);
      for (const [field, value] of Object.entries(reports)) await this.report(field, value);
      if (comment) await hand.fill(ids.gateComment, comment);
      if (way) await hand.mark(`${selector(ids.gateWays)} input[value="${way}"]`);
      await hand.press(`gate-${answer}`);
      await window.get(ids.gateAnswered);
    }
  }

  /** Says what is so, of a step that a person has carried out: one of the values that decide, or another one. */
  async report(field, value) {
    const input = await until(`the question for ${field}`, () => this.window.run(REPORT, field, value));
    if (input.name) await this.hand.mark(`[name="${input.name}"][value="${input.value}"]`);
    // What else it is, is typed; so is what is offered no values.
    if (!input.name || value === 'something else') await this.hand.fill(`gate-report-${field}`, value);
  }

  /** The run that was decided about, at its end. */
  async ended() {
    await this.hand.press(ids.gateRun);
    let status;
    await until('the end of the run', async () => {
      [status] = await this.window.data(ids.runStatus, 'status');
      return status === 'done';
    }).catch(async (late) => {
      const log = await this.window.run('return document.body.innerText');
      throw new Error(`${late.message}; it is ${status}, and the page says: ${log}`);
    });
  }

  /** Back to the workflow. */
  async reopen() {
    const { window, hand } = this;
    await hand.press(ids.navLibrary);
    await hand.press(ids.workflowCard, { path: this.path });
    await window.says(ids.inspector, this.title);
  }

  can = async (which) => (await this.window.get(which)).isEnabled();
}

export class ByMouse extends Author {
  constructor(window, means) {
    super(window, new Mouse(window), means);
  }

  async make() {
    const { hand } = this;
    await hand.press(ids.navLibrary);
    await hand.press('new-workflow-open');
    await hand.fill(ids.newName, this.title);
    await hand.mark(selector(ids.newFormat, { format: this.format }));
    // An empty project begins with questions; here everything is made by hand.
    await hand.mark(selector(ids.newTemplate, { template: '' }));
    await this.picture('1-new');
    await hand.press(ids.newMake);
    await this.opened();
    await hand.press('step-palette-open');
  }

  /** A step of its kind, from beside the picture. */
  async add(name) {
    const { hand } = this;
    await hand.press('step-palette-kind', { kind: this.kinds(name) });
    this.added(name, this.names.length);
    await this.written(this.spelt(name), async () => {
      await hand.fill(ids.addStepName, name);
      await hand.press(ids.addStepMake);
      await this.window.gone(ids.addStep);
    });
  }

  /** A step on a line. */
  async insert(name, from, to) {
    const { hand } = this;
    await this.line(from, to);
    await this.picture('2-line');
    await hand.press(ids.edgeInsert);
    this.added(name, this.names.indexOf(to));
    await this.written(this.spelt(name), async () => {
      await hand.fill(ids.addStepName, name);
      await hand.mark(radio(ids.addStepKind, this.kinds(name)));
      await hand.press(ids.addStepMake);
      await this.window.gone(ids.addStep);
    });
  }

  /** All of the picture, with nothing chosen in it: what can be done with a step stands on the lines beside it. */
  async looked() {
    const { hand } = this;
    await hand.press('tab-graph');
    await hand.press(ids.graphFit);
    const ground = await hand.find(ids.graph);
    const { width } = await ground.getRect();
    await until('nothing chosen', async () => {
      // A step that was just added is chosen when its picture has come, which may be after a click beside it.
      await hand.pointer((way) =>
        way.move({ origin: ground, x: 12 - Math.round(width / 2), y: 0, ...AT_ONCE }).click(),
      );
      return this.window.gone('step-bar', {}, OPENS).then(
        () => true,
        () => false,
      );
    });
  }

  /** Opens what can be done with a line. */
  async line(from, to) {
    await this.looked();
    await until('the card of the line', async () => {
      // The picture glides to its place: a click may come to where the line was; a second one on the line would close it.
      await this.hand.press(ids.graphEdge, { from: this.id(from), to: this.id(to) });
      return this.window.get('edge-card', {}, OPENS);
    });
  }

  /** A line goes. */
  async cut(from, to) {
    await this.line(from, to);
    await this.written(/./, () => this.hand.press('edge-remove'));
  }

  /** A line is drawn from the handle of one step onto another one. */
  async draw(from, to, what, mean = async () => {}) {
    const { hand } = this;
    await this.looked();
    await this.written(what, async () => {
      const [a, b] = [this.id(from), this.id(to)];
      const node = await hand.middle(ids.graphNode, { step: a });
      await hand.pointer((way) => way.move({ x: node.x, y: node.y, ...AT_ONCE }));
      await hand.drag(await hand.middle('graph-connect', { of: a }), await hand.middle(ids.graphNode, { step: b }));
      await mean(this);
    });
  }

  /** Chooses a step, in the picture. */
  async select(name) {
    await this.hand.press('tab-graph');
    await until(`${name} to be chosen`, async () => {
      await this.hand.press(ids.graphNode, { step: this.id(name) });
      return this.window.says(ids.inspector, this.spoken(name), {}, OPENS);
    });
    await this.settled();
  }

  async shield(name, what) {
    await this.select(name);
    await this.written(what, () => this.hand.press(ids.barGate));
  }

  /** Fills in a field and leaves it. */
  async fill(id, text, at) {
    await this.hand.fill(id, text, at);
    await this.leave();
  }

  async leave() {
    await (await this.window.driver.findElement({ css: `${selector(ids.inspector)} h2` })).click();
  }

  async rename(name, next) {
    const { hand } = this;
    await hand.press(ids.tabOutline);
    const step = this.id(name);
    this.called(name, next);
    await this.written(this.spelt(next), async () => {
      await hand.twice(ids.outlineLine, { step });
      await hand.fill(ids.outlineRename, this.spoken(next));
      await this.leave();
    });
  }

  /** One place earlier: its line is dragged above the one before it. */
  async earlier(name) {
    const { hand } = this;
    const at = this.names.indexOf(name);
    await hand.press(ids.tabOutline);
    const [own, before] = await Promise.all(
      [name, this.names[at - 1]].map((one) => hand.middle(ids.outlineLine, { step: this.id(one) })),
    );
    await this.written(/./, () => hand.drag(own, { x: own.x, y: Math.round(before.y - before.height / 2 + 3) }));
    this.moved(name, at - 1);
  }

  async remove(name) {
    const { hand } = this;
    await hand.press(ids.tabOutline);
    await this.written(/./, async () => {
      await hand.other(ids.outlineLine, { step: this.id(name) });
      await hand.press('menu-remove');
    });
    this.names.splice(this.names.indexOf(name), 1);
  }

  turn = (which) => this.hand.press(which);

  start = () => this.hand.press(ids.runStart);
}

export class ByKeyboard extends Author {
  constructor(window, means) {
    super(window, new Keyboard(window), means);
  }

  keys = (...keys) => this.hand.keys(...keys);

  async make() {
    const { hand } = this;
    await this.keys('g', 'w');
    await hand.press('new-workflow-open');
    await hand.fill(ids.newName, this.title);
    await hand.mark(selector(ids.newFormat, { format: this.format }));
    // An empty project begins with questions; here everything is made by hand.
    await hand.mark(selector(ids.newTemplate, { template: '' }));
    await this.picture('1-new');
    await this.keys(Key.ENTER);
    await this.opened();
  }

  /** The tabs of the page are one stop of Tab, and arrows lead from one to the next. */
  async tab(id) {
    if (await this.window.run('return document.querySelector(arguments[0])?.dataset.state === "active"', selector(id)))
      return;
    await this.hand.tabTo('[role="tab"][data-state="active"]');
    await until(`the tab ${id}`, async () => {
      if (await this.window.run('return document.activeElement.matches(arguments[0])', selector(id))) return true;
      await this.keys(id === 'tab-graph' ? Key.ARROW_LEFT : Key.ARROW_RIGHT);
      return false;
    });
  }

  /** Chooses a step: arrows in the outline. */
  async select(name) {
    const css = selector(ids.outlineLine, { step: this.id(name) });
    await this.tab(ids.tabOutline);
    // Where the focus comes to may be a phase.
    await this.hand.tabTo('[data-testid="outline"] [role="treeitem"][tabindex="0"]');
    await this.hand.walk(css);
    await this.keys(Key.ENTER);
    await this.window.says(ids.inspector, this.spoken(name));
    await this.settled();
  }

  async describe(name) {
    await this.hand.fill(ids.addStepName, name);
    await this.hand.mark(radio(ids.addStepKind, this.kinds(name)));
    await this.keys(Key.ENTER);
    await this.window.gone(ids.addStep);
  }

  /** A step behind the last line of the outline. */
  async add(name) {
    await this.select(this.names.at(-1));
    this.added(name, this.names.length);
    await this.written(this.spelt(name), async () => {
      await this.keys(Key.INSERT);
      await this.describe(name);
    });
  }

  async insert(name, from, to) {
    await this.line(from, to);
    await this.keys(Key.ENTER);
    await this.picture('2-line');
    await this.hand.press(ids.edgeInsert);
    this.added(name, this.names.indexOf(to));
    await this.written(this.spelt(name), () => this.describe(name));
  }

  /** Goes to a step in the picture. */
  async node(name) {
    const step = selector(ids.graphNode, { step: this.id(name) });
    await this.tab('tab-graph');
    await this.hand.find(ids.graphNode, { step: this.id(name) });
    await this.hand.tabTo(`${selector(ids.graphNode)}[tabindex="0"]`);
    await this.hand.walk(step);
  }

  /** Goes to a line in the picture. */
  async line(from, to) {
    await this.node(from);
    await this.hand.to(ids.graphEdge, { from: this.id(from), to: this.id(to) });
  }

  async cut(from, to) {
    await this.line(from, to);
    await this.written(/./, () => this.keys(Key.DELETE));
  }

  async draw(from, to, what, mean = async () => {}) {
    await this.node(from);
    await this.written(what, async () => {
      await this.keys('c');
      await this.hand.walk(selector(ids.graphNode, { step: this.id(to) }));
      await this.keys(Key.ENTER);
      await mean(this);
    });
  }

  /** From the menu of its line. */
  async shield(name, what) {
    await this.select(name);
    await this.written(what, async () => {
      await this.keys([Key.SHIFT, Key.F10]);
      await this.window.get('menu-gate');
      await this.hand.walk(selector('menu-gate'));
      await this.keys(Key.ENTER);
    });
  }

  async fill(id, text, at) {
    await this.hand.fill(id, text, at);
    await this.keys([Key.CONTROL, Key.ENTER]);
  }

  async rename(name, next) {
    await this.select(name);
    await this.window.get('form');
    this.called(name, next);
    await this.written(this.spelt(next), async () => {
      await this.keys(Key.F2);
      await this.hand.fill(ids.outlineRename, this.spoken(next));
      await this.keys(Key.ENTER);
    });
  }

  async earlier(name) {
    const at = this.names.indexOf(name);
    await this.select(name);
    await this.written(/./, () => this.keys([Key.ALT, Key.ARROW_UP]));
    this.moved(name, at - 1);
  }

  async remove(name) {
    await this.select(name);
    await this.written(/./, () => this.keys(Key.DELETE));
    this.names.splice(this.names.indexOf(name), 1);
  }

  turn = (which) => this.keys([Key.CONTROL, ...(which === ids.undo ? [] : [Key.SHIFT]), 'z']);

  start = () => this.keys([Key.CONTROL, Key.ENTER]);
}

/** While something is written every button that would change more is grey. */
const AT_REST = `
  return ['bar-remove', 'add-open', 'undo', 'redo'].some((id) => {
    const one = document.querySelector('[data-testid="' + id + '"]');
    return one && !one.disabled;
  });
`;

/** Which is the first of several that is there. */
const FIRST_THERE = `return arguments[0].findIndex((css) => document.querySelector(css))`;

/** Of what is asked about a reported field, the radio button beside a value. */
const REPORT = `
  const [field, value] = arguments;
  if (document.querySelector('[data-testid="gate-report-' + field + '"]')) return {};
  const group = [...document.querySelectorAll('[data-testid="gate-reports"] fieldset')].find((one) => one.querySelector('legend').textContent.includes(field));
  const label = [...(group?.querySelectorAll('label') ?? [])].find((one) => one.textContent.trim() === value);
  const { name, value: at } = label?.querySelector('input') ?? {};
  return name ? { name, value: at } : null;
`;
