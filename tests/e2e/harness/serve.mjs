// The same pages in a headless browser, served by `gatehouse serve` on a copy of the sample workflows.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { keep, target } from '../../../.ci/lib/programs.mjs';
import { programs } from '../../../.ci/lib/setup.mjs';
import { ids, selector } from './ids.mjs';
import { cli, sandbox, until } from './sandbox.mjs';

const CHROMIUM = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ],
};

/** `gatehouse serve` on a project of its own, and a browser to look at it with. `close` ends both. */
class Served {
  log = '';

  /** @param {Awaited<ReturnType<typeof sandbox>>} box */
  constructor(box) {
    this.box = box;
    this.project = box.project;
  }

  async start() {
    this.server = keep([programs.cli, 'serve', '--port', '0'], {
      cwd: this.project,
      env: this.box.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.server.stdout, this.server.stderr]) stream.on('data', (text) => (this.log += text));
    this.address = await until('the address that gatehouse serve prints', async () => {
      if (this.server.exitCode !== null) throw new Error(`gatehouse serve ended:\n${this.log}`);
      return /http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+\/\S*/.exec(this.log)?.[0];
    });
    this.browser = await chromium.launch(CHROMIUM);
    return this;
  }

  /**
   * Opens the pages in a browser profile of their own.
   * @param {{at?: string, width?: number, height?: number, theme?: 'light' | 'dark'}} [options] `at`: `#/runs`
   */
  async page({ at = '', width = 1280, height = 800, theme = 'light' } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'Europe/Paris',
      acceptDownloads: true,
    });
    // A machine that does much else is slow: what is waited for comes later, and what never comes is told all the same.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    page.problems = [];
    page.asked = asked(page);
    page.on('pageerror', (error) => page.problems.push(error.message));
    page.on('console', (line) => line.type() === 'error' && page.problems.push(line.text()));
    // Nothing may be fetched from anywhere but the server itself.
    page.on('request', (request) => {
      const { protocol, host } = new URL(request.url());
      if (/^https?:$/.test(protocol) && host !== new URL(this.address).host)
        page.problems.push(`fetched ${request.url()}`);
    });
    await page.goto(this.address + at);
    await page.waitForSelector('html[data-ui-ready="ready"]', { state: 'attached' });
    return page;
  }

  /** Runs the `gatehouse` command line on the same project and waits for its end. */
  cli = (...words) => cli(this.box, ...words);

  async close() {
    await this.browser?.close();
    await this.server?.stop();
    await this.box.remove();
  }
}

/** Serves a copy of the sample workflows. `prepare` may change the copy before it is served. */
export async function serve({ prepare } = {}) {
  const served = new Served(await sandbox());
  try {
    await prepare?.(served.box);
    return await served.start();
  } catch (error) {
    await served.close();
    throw error;
  }
}

/** An element by its name, for Playwright. */
export const by = (page, id, data) => page.locator(selector(id, data));

/** The calls of a page that have not been answered yet. The stream of notices never ends and is none of them. */
function asked(page) {
  const open = new Set();
  page.on('request', (request) => new URL(request.url()).pathname !== '/notices' && open.add(request));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => open.delete(request));
  return open;
}

/** Nothing changes any more for so long, ms. */
const REST = 300;

/** Waits until the page has been told all that it asked for and has stopped changing: what is on screen can be judged. */
export const atRest = (page) =>
  until('the page to be at rest', async () => {
    if (page.asked.size > 0) return false;
    const still = await page.evaluate(isStill, REST);
    return still && page.asked.size === 0;
  });

/** Runs in the page: whether nothing in it changes for a while, and what is drawn is what it says. */
async function isStill(rest) {
  await document.fonts.ready;
  let changes = 0;
  const watch = new MutationObserver(() => (changes += 1));
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  await new Promise((done) => setTimeout(done, rest));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  watch.disconnect();
  return changes === 0;
}

/** Waits until the answers of the brief on screen are awake: it has been looked at for a moment. */
export const alive = (page) => by(page, ids.gateAnswers, { live: 'true' }).waitFor();

/** Writes a picture of the page to `target/<folder>/<name>.png`. */
export async function shot(page, folder, name) {
  await mkdir(join(target, folder), { recursive: true });
  await page.screenshot({ path: join(target, folder, `${name}.png`) });
}
