// The mouse alone, and the keyboard alone, at the window. Names and texts are typed with both: there is no other way.
import { Key } from 'selenium-webdriver';
import { selector } from './ids.mjs';
import { until } from './sandbox.mjs';

const ALL = [Key.CONTROL, 'a'];
/** The pointer gets to where it is pressed in no time, as it does when an element is clicked; else a move takes 100 ms. */
export const AT_ONCE = { duration: 0 };

/** What both are. An element is meant by its name, by further `data-…` values, and by its place among those alike (-1: the last). */
class Hand {
  constructor(window) {
    this.window = window;
  }

  /** Presses keys wherever the focus is: those in a list together, the others one after the other. */
  keys(...keys) {
    const way = this.window.driver.actions();
    for (const key of keys) {
      if (!Array.isArray(key)) way.sendKeys(key);
      else {
        for (const one of key) way.keyDown(one);
        for (const one of key.toReversed()) way.keyUp(one);
      }
    }
    return way.perform();
  }

  /** The element, once it is there, visible, and can be used: asked of the page in one go, not one element after the other. */
  find(id, data, at = 0) {
    const css = selector(id, data);
    return until(`${css} to be usable`, () => this.window.run(USABLE, css, at));
  }
}

/** The pointer goes to what is meant and is pressed there. */
export class Mouse extends Hand {
  name = 'mouse';

  /** Presses a button, a link, a step. It may move while the pointer is on its way; who meets nothing presses again, as people do. */
  press(id, data, at) {
    return this.met(id, data, at, (on) => on.click());
  }

  met(id, data, at, press, twice = false) {
    return until(`a ${twice ? 'double ' : ''}click on ${selector(id, data)}`, async () => {
      const on = await this.find(id, data, at);
      await this.window.run(AWAIT_CLICK, on);
      await press(on);
      return this.window.run(WAS_CLICKED, twice);
    });
  }

  /** Chooses one of several by what stands beside its radio button, or ticks a box. */
  async mark(css) {
    const label = await until(`what stands beside ${css}`, () =>
      this.window.run(
        `const label = document.querySelector(arguments[0])?.closest('label');
         label?.scrollIntoView({ block: 'nearest' });
         return label`,
        css,
      ),
    );
    await this.pointer((on) => on.move({ origin: label, ...AT_ONCE }).click());
  }

  /** Types into a field in place of what stands there. */
  async fill(id, text, at) {
    await this.press(id, {}, at);
    await this.keys(ALL, text);
  }

  /** Chooses an entry of a list. */
  choose(id, value) {
    return until(`${value} in ${selector(id)}`, async () => {
      await (await (await this.find(id)).findElement({ css: `option[value="${value}"]` })).click();
      return true;
    });
  }

  /**
   * A double click. The driver sends the second press when the page is done with the first one; where that takes a busy machine longer than
   * the 400 ms that GTK grants, the page is told of two clicks, and who sees nothing come of them does it again, as people do.
   */
  twice(id, data) {
    return this.met(id, data, undefined, (on) => this.pointer((way) => way.doubleClick(on)), true);
  }

  /** Asks with the other button what can be done with it. */
  async other(id, data) {
    const on = await this.find(id, data);
    await this.pointer((way) => way.contextClick(on));
  }

  /** Where the middle of an element is now: it may be drawn anew while the pointer is on its way. */
  middle(id, data) {
    return until(`the place of ${selector(id, data)}`, async () => {
      const { x, y, width, height } = await (await this.find(id, data)).getRect();
      return { x: Math.round(x + width / 2), y: Math.round(y + height / 2), height };
    });
  }

  /** Takes hold at one place and lets go at another one. */
  async drag(from, to) {
    await this.pointer((way) =>
      way
        .move({ x: from.x, y: from.y })
        .press()
        .move({ x: from.x + 8, y: from.y - 8, duration: 60 })
        .move({ x: to.x, y: to.y, duration: 120 })
        .pause(250)
        .release(),
    );
  }

  pointer = (way) => way(this.window.driver.actions()).perform();
}

/** Keys go to wherever the focus is; nothing is touched. */
export class Keyboard extends Hand {
  name = 'keyboard';

  /**
   * Goes with Tab, or back with Shift+Tab, until the focus is on what is meant. How often it has to be pressed is told by the page, so that
   * it is pressed several times at once; where the focus has come to is looked at afterwards.
   */
  async to(id, data, at) {
    await this.find(id, data, at);
    await this.tabTo(selector(id, data), at);
  }

  async tabTo(css, at = 0) {
    await until(`Tab to reach ${css}`, async () => {
      const by = await this.window.run(TO_GO, css, at);
      if (by === 0) return true;
      if (by !== null) await this.keys(...Array(Math.abs(by)).fill(by > 0 ? Key.TAB : [Key.SHIFT, Key.TAB]));
      return false;
    });
  }

  async press(id, data, at) {
    await this.to(id, data, at);
    await this.keys(Key.ENTER);
  }

  /** Of radio buttons one is a stop of Tab, and arrows lead to the others; a box is ticked with Space. */
  async mark(css) {
    const one = await until(css, () => this.window.run('return document.querySelector(arguments[0])', css));
    const name = (await one.getAttribute('type')) === 'radio' ? await one.getAttribute('name') : '';
    await this.tabTo(name ? `input[name="${name}"]` : css, null);
    await until(`arrows to reach ${css}`, async () => {
      const by = name ? await this.window.run(IN_GROUP, css) : 0;
      if (by !== 0) await this.keys(by > 0 ? Key.ARROW_DOWN : Key.ARROW_UP);
      return by === 0;
    });
    if (!(await this.window.run('return document.activeElement.checked'))) await this.keys(Key.SPACE);
  }

  async fill(id, text, at) {
    await this.to(id, {}, at);
    await this.keys(ALL, text);
  }

  /**
   * In a list the first letter of an entry is typed, where no other one begins with it; else arrows lead through it, and what they come to
   * is written. The letter is typed once: within a second of another one the list takes it for the next letter of a word, for as long as
   * any are typed.
   */
  async choose(id, value) {
    let typed = false;
    await until(`${value} in ${selector(id)}`, async () => {
      await this.to(id);
      const { by, letter } = await this.window.run(IN_LIST, await this.find(id), value);
      if (by !== 0) await this.keys((!typed && letter) || (by > 0 ? Key.ARROW_DOWN : Key.ARROW_UP));
      typed = true;
      return by === 0;
    });
  }

  /** Arrows, until the focus is on what is meant: across where it lies farther across, down where it lies farther down, or as it can. */
  async walk(css) {
    let last = null;
    await until(`arrows to reach ${css}`, async () => {
      const { at, ways } = await this.window.run(WAYS, css);
      if (ways.length > 0) await this.keys(Key[ways.at(at === last ? -1 : 0)]);
      last = at;
      return ways.length === 0;
    });
  }
}

/** Of the elements that are seen the one at a place, unless it is disabled. */
const USABLE = `
  const [css, at] = arguments;
  const how = { opacityProperty: true, visibilityProperty: true };
  const seen = (one) => one.checkVisibility(how) && one.getClientRects().length > 0;
  const one = [...document.querySelectorAll(css)].filter(seen).at(at);
  return one && !one.matches(':disabled') ? one : null;
`;

/** How often Tab has to be pressed from what has the focus, back where it is negative; null: what is meant is not there. */
const TO_GO = `
  const [css, at] = arguments;
  const seen = (one) => one.getClientRects().length > 0;
  const all = [...document.querySelectorAll(css)].filter(seen);
  const here = document.activeElement;
  const wanted = at === null ? all.find((one) => one === here) ?? all.find((one) => one.checked) ?? all[0] : all.at(at);
  if (!wanted) return null;
  if (wanted === here) return 0;
  const isStop = (one) => one.tabIndex >= 0 && !one.disabled && seen(one);
  // Of radio buttons one is a stop: the one that is chosen, or the first.
  const first = (one) => {
    const group = [...document.querySelectorAll('input[name="' + one.name + '"]')].filter((other) => !other.disabled);
    return one === (group.find((other) => other.checked) ?? group[0]);
  };
  const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]')]
    .filter((one) => one === wanted || one === here || (isStop(one) && (one.type !== 'radio' || first(one))));
  const from = stops.indexOf(here);
  return from < 0 ? 1 : stops.indexOf(wanted) - from;
`;

/** Where the focus is, and the arrows that lead from there towards an element, the farther way first. */
const WAYS = `
  const [here, to] = [document.activeElement, document.querySelector(arguments[0])];
  const middle = (one) => { const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; };
  const [[x, y], [a, b]] = [middle(here), middle(to)];
  const ways = [[Math.abs(a - x), a > x ? 'ARROW_RIGHT' : 'ARROW_LEFT'], [Math.abs(b - y), b > y ? 'ARROW_DOWN' : 'ARROW_UP']];
  const far = ways.filter(([by]) => by > 4).sort(([one], [other]) => other - one).map(([, way]) => way);
  return { at: here.textContent + x + y, ways: here === to ? [] : far };
`;

/** Watches the next press of the pointer on an element. */
const AWAIT_CLICK = `
  const on = arguments[0];
  window.watched?.abort();
  window.watched = new AbortController();
  window.pressed = { on, down: false, up: false, twice: false };
  const isThere = ({ clientX, clientY }) => on.contains(document.elementFromPoint(clientX, clientY));
  const watch = (event, part, met) =>
    document.addEventListener(event, (of) => { if (met(of)) window.pressed[part] = true; }, { capture: true, signal: window.watched.signal });
  // After another button has been pressed WebKit tells no pointerdown, and a page may leave no mousedown of one.
  for (const event of ['pointerdown', 'mousedown']) watch(event, 'down', isThere);
  for (const event of ['pointerup', 'mouseup']) watch(event, 'up', isThere);
  watch('click', 'up', ({ target }) => on.contains(target));
  watch('dblclick', 'twice', ({ target }) => on.contains(target));
`;

/** Whether that press met the element, when it began and when it ended; what is gone by being pressed has been met. */
const WAS_CLICKED = `
  const { on, down, up, twice } = window.pressed ?? { down: true, up: true, twice: true };
  return (arguments[0] ? twice : down && up) || (down && !on.isConnected);
`;

/** How many radio buttons further on in its group one stands than the one in focus. */
const IN_GROUP = `
  const [wanted, here] = [document.querySelector(arguments[0]), document.activeElement];
  const group = [...document.querySelectorAll('input[name="' + here.name + '"]')];
  return wanted === here ? 0 : group.indexOf(wanted) - group.indexOf(here);
`;

/** How far down a list an entry stands from the one that is chosen, and the letter that it alone begins with. */
const IN_LIST = `
  const [list, value] = arguments;
  const all = [...list.options];
  const wanted = all.find((one) => one.value === value);
  const letter = wanted.label[0].toLowerCase();
  const alone = all.filter((one) => one.label.toLowerCase().startsWith(letter)).length === 1;
  return { by: wanted.index - list.selectedIndex, letter: alone ? letter : null };
`;
