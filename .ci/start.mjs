// `npm start`: installs what is missing, builds, and opens the window on workflows/.
//
//   npm start [-- FOLDER] [-- --once]
//
// --once (and CI=true) ends after the picture on a machine without a display, instead of keeping the window open.
import { join, relative } from 'node:path';
import { hasDisplay, picture, virtualDisplay } from './lib/display.mjs';
import * as packages from './lib/packages.mjs';
import { keep, root, tail, target } from './lib/programs.mjs';
import { duration, elapsed, main, say, Steps, Stop } from './lib/say.mjs';
import { build, coldBuild, npm, pages, programs, tools } from './lib/setup.mjs';

const READY_WITHIN_MS = 90_000;
const startPicture = join(target, 'start.png');

await main(async () => {
  const words = process.argv.slice(2);
  const once = words.includes('--once') || ['1', 'true'].includes(process.env.CI);
  const folder = words.find((word) => !word.startsWith('-')) ?? 'workflows';
  const virtual = !hasDisplay();

  say(
    `Gatehouse: opening the window on ${folder}/${virtual ? ' (no display was found: a virtual one will be used)' : ''}`,
  );
  const steps = new Steps(6);
  await steps.run('System packages', () =>
    packages.install([...packages.desktop, ...(virtual ? packages.virtualDisplay : [])]),
  );
  await steps.run('Node and Rust', () => tools());
  await steps.run('npm packages', npm);
  await steps.run('Pages of the window', pages);
  await steps.run(`Programs${coldBuild() ? ' (the first build takes some minutes)' : ''}`, build);

  const screen = virtual ? await virtualDisplay() : null;
  const program = await steps.run('Window', () => open(folder, screen));
  if (screen) {
    const drawn = await picture(screen.display, startPicture);
    if (!drawn)
      throw new Stop(
        'The window opened, but nothing was drawn in it.',
        `Look at ${relative(root, startPicture)}, and run again with GATEHOUSE_LOG=debug.`,
      );
    say(`      Picture of the window: ${relative(root, startPicture)}`);
    if (once) {
      await program.stop();
      await screen.stop();
      say(`Done in ${duration(elapsed())}.`);
      return 0;
    }
  }
  say(`Ready after ${duration(elapsed())}. Close the window or press Ctrl-C to end.`);
  const code = await program.gone;
  await screen?.stop();
  return code ?? 0;
});

/** Starts the program and waits until its page can be used. */
async function open(folder, screen) {
  const env = { ...process.env, ...(screen ? { DISPLAY: screen.display, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' } : {}) };
  if (screen) delete env.WAYLAND_DISPLAY;
  // On a virtual display nobody could see an older window come forward.
  const words = [folder, '--announce', ...(screen ? ['--new-window'] : [])];
  const program = keep([programs.desktop, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  program.stderr.on('data', (text) => {
    complaints += text;
    if (process.env.GATEHOUSE_LOG) process.stderr.write(text);
  });
  const state = await new Promise((resolve) => {
    let text = '';
    program.stdout.on('data', (piece) => {
      text += piece;
      const said = /^window (ready|error) \d+$/m.exec(text);
      if (said) resolve(said[1]);
    });
    program.gone.then(() => resolve('gone'));
    setTimeout(() => resolve('silent'), READY_WITHIN_MS).unref();
  });
  if (state === 'gone' && program.exitCode === 0) {
    say('      A window is open on this folder already; it was brought to the front.');
    return program;
  }
  if (state === 'gone' || state === 'silent') {
    if (complaints) say(tail(complaints, 20));
    if (screen && (await picture(screen.display, startPicture)))
      say(`      What it showed: ${relative(root, startPicture)}`);
    await program.stop();
    throw new Stop(
      state === 'gone'
        ? 'The window closed before it was ready.'
        : `The window was not ready within ${duration(READY_WITHIN_MS)}.`,
      'GATEHOUSE_LOG=debug npm start shows more.',
    );
  }
  if (state === 'error') say('      The window opened and shows an error; it says what to do.');
  return program;
}
