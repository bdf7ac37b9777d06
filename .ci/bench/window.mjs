// The real window on a project, for measuring: as a person without a graphics processor has it, and blank, in turns.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openWindow } from '../../tests/e2e/harness/window.mjs';
import { until } from '../../tests/e2e/harness/sandbox.mjs';
import { target } from '../lib/programs.mjs';

/** The optimised programs. */
export const built = {
  desktop: join(target, 'release/gatehouse-desktop'),
  cli: join(target, 'release/gatehouse'),
  bench: join(target, 'release/bench'),
  bare: join(target, 'release/examples/bare'),
};

const WIDTH = 1400;
const HEIGHT = 900;
const SCRIPT_MS = 300_000;
/** An answer to a look at a very long run may take its time. */
export const PATIENCE = { within: 300_000 };
/** Nothing was asked and nothing came for so long: the page is at rest, ms. */
const REST_MS = 1_000;

/**
 * Opens the window on a project of its own, hands it to `work`, and closes it.
 * @param {(box: object) => Promise<void>} prepare fills the project
 * @param {(window: object) => Promise<void>} work
 */
export async function inWindow(prepare, work) {
  const inMemory = !existsSync('/dev/dri');
  const window = await openWindow({ built, inMemory, empty: true, width: WIDTH, height: HEIGHT, prepare });
  try {
    await window.driver.manage().setTimeouts({ script: SCRIPT_MS, pageLoad: SCRIPT_MS });
    await window.ready();
    await work(window);
  } finally {
    await window.close();
  }
}

/** A blank page in the same window, drawn by the same process. */
export const blank = (window) => window.driver.get('about:blank');

/** Goes to an address of the window, from wherever it is, and waits until the page can be used. */
export async function at(window, address) {
  if ((await window.driver.getCurrentUrl()) === 'about:blank') {
    await window.driver.get(`tauri://localhost/${address}`);
    await window.ready();
  } else await window.go(address);
}

/** Waits until the page has asked for nothing for a while. */
export const rest = (window) =>
  until(
    'the page to come to rest',
    () =>
      window.driver.executeAsyncScript(
        `const [ms, done] = arguments;
         const asked = () => performance.getEntriesByType('resource').length;
         performance.setResourceTimingBufferSize(100000);
         const before = asked();
         setTimeout(() => done(asked() === before), ms);`,
        REST_MS,
      ),
    PATIENCE,
  );
