// The real window on a virtual display, driven through WebDriver.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Builder, By, Key } from 'selenium-webdriver';
import { virtualDisplay } from '../../../.ci/lib/display.mjs';
import { freePorts, keep, target } from '../../../.ci/lib/programs.mjs';
import { ids, selector } from './ids.mjs';
import { cli, sandbox, until } from './sandbox.mjs';

const WEBKIT_DRIVER = '/usr/bin/WebKitWebDriver';

/** The window under test. Made by `openWindow`; `close` ends everything it started. */
class Window {
  /** What the programs printed, for the message of a test that failed. */
  log = '';
  /** The notifications sent so far, as the bus carried them; empty without `bus`. */
  notified = '';
  #undo = [];

  constructor(box) {
    this.box = box;
    this.project = box.project;
    this.#undo.push(box.remove);
  }

  /** Gives the sandbox a session bus of its own, and listens to the notifications that are sent over it. */
  async listen() {
    const bus = keep(['dbus-daemon', '--session', '--nofork', '--print-address'], {
      env: this.box.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#undo.push(bus.stop);
    const [line] = await once(bus.stdout, 'data');
    this.box.env.DBUS_SESSION_BUS_ADDRESS = String(line).trim();
    const what = "interface='org.freedesktop.Notifications',member='Notify'";
    const monitor = keep(['dbus-monitor', '--address', this.box.env.DBUS_SESSION_BUS_ADDRESS, what], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#undo.push(monitor.stop);
    monitor.stdout.on('data', (text) => (this.notified += text));
    await once(monitor.stdout, 'data'); // it says that it listens
  }

  /** Starts the WebDriver server, and gives its port. Somebody else may take a port that was free: then it ends, and another one is tried. */
  async serve(env) {
    for (let left = 10; left > 0; left -= 1) {
      const [port] = await freePorts(1);
      const server = keep([WEBKIT_DRIVER, '--host=127.0.0.1', `--port=${port}`], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (this.log += text));
      this.#undo.push(server.stop);
      const has = await until('the WebDriver server', async () => {
        if (server.exitCode !== null || server.signalCode !== null) return 'ended';
        const { ok } = await fetch(`http://127.0.0.1:${port}/status`);
        return ok && server.exitCode === null && 'begun';
      });
      if (has === 'begun') return port;
    }
    throw new Error('the WebDriver server ends whichever port it is given');
  }

  async start({ address, width = 1280, height = 800, inMemory = false } = {}) {
    const display = await virtualDisplay({ width, height });
    this.#undo.push(display.stop);
    // In the default environment: with WEBKIT_DISABLE_DMABUF_RENDERER an idle page never paints and pictures hang.
    // TAURI_WEBVIEW_AUTOMATION makes the web view accept the driver; no other program is needed in between.
    const env = { ...this.box.env, DISPLAY: display.display, GDK_BACKEND: 'x11', TAURI_WEBVIEW_AUTOMATION: 'true' };
    delete env.WAYLAND_DISPLAY;
    delete env.WEBKIT_DISABLE_DMABUF_RENDERER;
    if (inMemory) env.WEBKIT_DISABLE_DMABUF_RENDERER = '1';
    else if (!existsSync('/dev/dri')) {
      // Half of all the time went into pretending a graphics processor that paints. It is still pretended where what was
      // painted is put together, as on a machine that has one.
      env.WEBKIT_SKIA_ENABLE_CPU_RENDERING = '1';
      env.LP_NUM_THREADS = '1';
      // Every home is a new one, so each window would compile anew how it is painted: a sixth of what it takes to open.
      env.MESA_SHADER_CACHE_DIR = join(target, 'mesa');
    }
    const port = await this.serve(env);

    const words = [this.project, '--new-window', ...(address ? ['--open', address] : [])];
    this.driver = await new Builder()
      .usingServer(`http://127.0.0.1:${port}/`)
      .withCapabilities({
        browserName: 'wry',
        'webkitgtk:browserOptions': { binary: this.box.built.desktop, args: words },
      })
      .build();
    this.#undo.push(() => this.driver.quit());
    await this.run(`
      window.__pageErrors = [];
      addEventListener('error', (event) => window.__pageErrors.push(String(event.message)));
      addEventListener('unhandledrejection', (event) => window.__pageErrors.push(String(event.reason)));
    `);
    return this;
  }

  /** Waits until the page can be used: `<html data-ui-ready="ready">`. */
  async ready() {
    const state = await until('the page to be ready', async () => {
      const now = await this.run('return document.documentElement.dataset.uiReady');
      return now !== 'loading' && now;
    });
    if (state !== 'ready') throw new Error(`the page says "${state}": ${await this.text('body')}\n${this.log}`);
  }

  /** Runs a script in the page and returns what it returns. */
  run = (script, ...words) => this.driver.executeScript(script, ...words);

  /** All elements of a name, as they are now. */
  all = (id, data) => this.driver.findElements(By.css(selector(id, data)));

  /** The first visible element of a name, waited for. */
  get(id, data, options) {
    return until(
      `an element ${selector(id, data)}`,
      async () => {
        for (const element of await this.all(id, data)) if (await element.isDisplayed()) return element;
        return null;
      },
      options,
    );
  }

  /** Waits until no element of a name is left. */
  gone = (id, data, options) =>
    until(`no element ${selector(id, data)}`, async () => (await this.all(id, data)).length === 0, options);

  /** Clicks an element as a person does: when it is there, visible and enabled. */
  async click(id, data) {
    await until(`a click on ${selector(id, data)}`, async () => {
      const element = await this.get(id, data);
      if (!(await element.isEnabled())) return false;
      await element.click();
      return true;
    });
  }

  /** Waits until the answers of the brief on screen are awake: it has been looked at for a moment. */
  alive = (options) => this.get(ids.gateAnswers, { live: 'true' }, options);

  /** Answers the decision on screen, as soon as it can be answered. */
  async answer(button) {
    await this.alive();
    await this.click(button);
  }

  /** Opens the next decision that is offered beside what was decided. */
  async next(options) {
    await this.get(ids.gateNext, {}, options);
    await this.click(ids.gateNext);
    await this.get(ids.gateAnswers);
  }

  /** Gives the person a name, in the settings. */
  async sign(name) {
    await this.click(ids.navSettings);
    await this.type(ids.settingsName, name);
    await this.click(ids.settingsSave);
    // Of lines that are cut where they do not fit a driver tells the text in other characters.
    const frame = () => this.run(`return document.querySelector('nav').textContent`);
    await until('the name in the frame of the window', async () => (await frame()).includes(name));
  }

  /** Types into a field, after what stands in it. */
  async type(id, text) {
    // Clicked into by a driver that may find the field drawn anew between looking and typing: then nothing was typed yet.
    await until(`a field ${selector(id)} to type into`, async () => {
      const field = await this.get(id);
      const before = await field.getAttribute('value');
      try {
        await field.sendKeys(text);
        return true;
      } catch (error) {
        const now = await (await this.get(id)).getAttribute('value');
        if (now !== before) throw new Error(`only “${now}” was typed: ${error.message}`, { cause: error });
        return false;
      }
    });
  }

  /**
   * Waits until an element of a name says something (what is on screen may be a moment behind), and returns all it says.
   * @param {RegExp | string} words what its text must match, or contain
   * @param {object} [data] which element of the name
   */
  async says(id, words, data, options) {
    let last;
    const has = (text) => (words instanceof RegExp ? words.test(text) : text.includes(words));
    try {
      return await until(
        `${words} in ${selector(id, data)}`,
        async () => {
          last = await (await this.get(id, data, { within: 0 })).getText();
          return has(last) && last;
        },
        options,
      );
    } catch (error) {
      error.message += last === undefined ? '' : `\nIt says: ${last}`;
      throw error;
    }
  }

  /** Chooses an entry of a list by its value, wherever the list has been scrolled to. */
  choose = (id, value) =>
    until(`the entry ${value} of ${selector(id)}`, async () => {
      const list = await this.get(id);
      await this.run('arguments[0].scrollIntoView({ block: "center" })', list);
      await (await list.findElement(By.css(`option[value="${value}"]`))).click();
      return true;
    });

  /** Presses keys wherever the focus is. */
  press = (...keys) =>
    this.driver
      .actions()
      .sendKeys(...keys)
      .perform();

  /** The text of the first element a CSS selector finds. */
  text = async (css) => (await this.driver.findElement(By.css(css))).getText();

  /** One `data-…` value of every element of a name. */
  data = (id, name) =>
    this.run(
      'return [...document.querySelectorAll(arguments[0])].map((e) => e.getAttribute(arguments[1]))',
      selector(id),
      `data-${name}`,
    );

  /** Goes to an address of the window, such as `#/runs`. */
  go = (address) => this.run('location.hash = arguments[0]', address);

  address = () => this.run('return location.hash');

  /** Writes a picture of the page to `target/screenshots`. */
  async screenshot(name) {
    const folder = join(target, 'screenshots');
    await mkdir(folder, { recursive: true });
    // The picture is what was painted last, which may be a frame behind the page.
    await this.driver.executeAsyncScript(`
      const done = arguments[0];
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100)));
    `);
    await writeFile(join(folder, `${name}.png`), await this.driver.takeScreenshot(), 'base64');
  }

  /** Runs the `gatehouse` command line on the same project and waits for its end. */
  cli = (...words) => cli(this.box, ...words);

  /**
   * What went wrong in the page since it was opened. That sizes changed while sizes were being told is no error: the
   * browser says so, and tells the rest with the next frame.
   */
  errors = () => this.run('return window.__pageErrors.filter((said) => !/^ResizeObserver loop/.test(said))');

  /** Ends the session, the drivers and the display, newest first, and removes the sandbox. */
  async close() {
    for (const undo of this.#undo.splice(0).reverse()) await undo().catch(() => {});
  }
}

/**
 * Opens the window on a copy of the sample workflows, or on an empty folder.
 * @param {{address?: string, width?: number, height?: number, bus?: boolean, trusted?: boolean, empty?: boolean,
 *   built?: object, inMemory?: boolean, prepare?: (box: object) => Promise<void>}} [options] `prepare` may change the copy before the
 *   window opens it; `bus` gives it a session bus and listens there; `built`: see `sandbox`; `inMemory`: it draws as it does for a person
 *   on a machine without a graphics processor, and pictures hang
 */
export async function openWindow(options = {}) {
  const window = new Window(await sandbox(options));
  try {
    await options.prepare?.(window.box);
    if (options.bus) await window.listen();
    return await window.start(options);
  } catch (error) {
    await window.close();
    error.message += `\n${window.log}`;
    throw error;
  }
}

export { Key };
