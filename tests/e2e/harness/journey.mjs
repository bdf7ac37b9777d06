// A journey: tests that follow each other in one window.
import { test } from 'node:test';

/**
 * Legs of one journey: when one fails the window is pictured, and the rest is not tried in vain.
 * @param {string} name of the journey; names the pictures of its failures
 * @param {() => object} window the window it goes through, once it is open
 * @returns {(title: string, walk: () => Promise<void>) => void} declares the next leg
 */
export function journey(name, window) {
  let lost = null;
  return (title, walk) =>
    test(title, async () => {
      if (lost) throw new Error(`not tried: “${lost}” failed before`);
      try {
        await walk();
      } catch (error) {
        lost = title;
        // A window that is gone has no picture; what went wrong first is what counts.
        await window()
          .screenshot(`failed-${name}-${title.replaceAll(/\W+/g, '-')}`)
          .catch(() => {});
        throw error;
      }
    });
}
