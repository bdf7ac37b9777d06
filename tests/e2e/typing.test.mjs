// A person types into the terminal of a step, in the real window: the program gets the keys, what it shows is seen as it is written, and
// what was typed is kept nowhere. Several flows stand in the start dialog before they begin.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { promisify } from 'node:util';
import { Key } from 'selenium-webdriver';
import { ids } from './harness/ids.mjs';
import { journey } from './harness/journey.mjs';
import { until } from './harness/sandbox.mjs';
import { openWindow } from './harness/window.mjs';

const FLOWS = 'contracts/renew-a-contract.yaml';
const FLOW = `key: ask
title: Ask at a terminal
steps:
  - { id: sign-in, title: Sign in, agents: [clerk], terminal: true, routing: { kind: linear } }
`;
/** It asks for a name, which the terminal shows, and for a password, which it does not; then it moves about its screen until \`q\`. */
const SCRIPT = `printf 'Name? '; read -r name
printf 'Password? '; read -rs password; echo
echo "$name has \${#password} signs"
printf '\\033[2J\\033[HA list\\n* one\\n  two\\n'
while IFS= read -rsn1 key; do
  case "$key" in
    $'\\033') read -rsn2 rest; printf '\\033[2;1H  one\\033[3;1H* two' ;;
    q) break ;;
  esac
done
printf '\\033[5;1Hchosen\\n'
cat > rest.txt
`;
const SLOW = { within: 60_000 };

describe('a terminal of a step', () => {
  let window;
  before(async () => {
    window = await openWindow({
      prepare: async ({ project }) => {
        const config = join(project, 'gatehouse.yaml');
        const text = await readFile(config, 'utf8');
        const bound = '\nagents:\n  clerk: { engine: shell, run: exec bash ask.sh }\n';
        await writeFile(config, text.replace('\nagents:\n', bound));
        await writeFile(join(project, 'ask.sh'), SCRIPT);
        await writeFile(join(project, 'ask.yaml'), FLOW);
      },
    });
  });
  after(() => window?.close());

  const leg = journey('typing', () => window);
  const shows = (words) => window.says(ids.terminalScreen, words, {}, SLOW);
  const keys = async (...pressed) => (await window.get(ids.terminalKeys)).sendKeys(...pressed);

  leg('is there while its program runs, and takes the keys', async () => {
    await window.ready();
    await window.sign('Ada Lund');
    await window.go('#/workflow/ask.yaml');
    await window.click(ids.runStart);
    await window.click(ids.startConfirm);
    await window.get(ids.terminal, {}, SLOW);
    await window.says(ids.terminal, /goes to this step’s program\. What the program shows of it is kept/);
    await shows(/Name\?/);
    await window.screenshot('typing-1-asked');
    await keys('Ada', Key.BACK_SPACE, 'a', Key.ENTER);
    await shows(/Name\? Ada\n+Password\?/);
    await keys('open sesame 417', Key.ENTER);
    // What moves about its screen is shown as a terminal shows it.
    await shows(/^A list\n\* one/);
    await keys(Key.ARROW_DOWN);
    await shows(/ {2}one\n\* two/);
    await window.screenshot('typing-2-moved');
    await keys('q');
    await shows(/chosen/);
  });

  leg('is at its end where the person says so, and goes with its program', async () => {
    await keys('last words', Key.ENTER);
    await window.click(ids.terminalEnd);
    await window.gone(ids.terminal, {}, SLOW);
    await until('the run is done', async () => (await window.data(ids.runStatus, 'status'))[0] === 'done', SLOW);
    assert.equal(await readFile(join(window.box.project, 'rest.txt'), 'utf8'), 'last words\n');
    assert.deepEqual(await window.errors(), []);
  });

  leg('keeps what the program showed and nothing of what was typed', async () => {
    await window.says(ids.inspector, /Ada has 15 signs/);
    const places = [window.box.project, window.box.home];
    // It ends with 1 where it finds nothing.
    const found = await promisify(execFile)('grep', ['-rlaF', 'sesame', ...places]).catch((error) => error);
    assert.equal(found.stdout, '', 'the password stands in a file');
  });

  leg('is not needed to see which flows a start would go through', async () => {
    await window.go(`#/workflow/${FLOWS}`);
    await window.click(ids.runStart);
    const said = await window.says(ids.startFlows, /The flows that it goes through/);
    assert.match(said, /Review[\s\S]*renewal\/review\.yaml[\s\S]*renewal\//);
    await window.screenshot('typing-3-flows');
    assert.deepEqual(await window.errors(), []);
  });
});
