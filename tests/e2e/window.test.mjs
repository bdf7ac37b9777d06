// The real window, on a virtual display, used the way a person uses it: with clicks and keys.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openWindow } from './harness/window.mjs';

describe('the window', () => {
  let window;
  before(async () => {
    window = await openWindow();
  });
  after(() => window?.close());

  test('opens and can be used', async () => {
    await window.ready();
    assert.match(await window.driver.getTitle(), /Gatehouse/);
    await window.screenshot('window-opened');
    assert.deepEqual(await window.errors(), []);
  });
});
