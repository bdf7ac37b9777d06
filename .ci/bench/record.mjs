// Runs for the window to be measured at: written by tests/src/bin/bench/record.rs into the window's project.
import { cli } from '../../tests/e2e/harness/sandbox.mjs';
import { keep } from '../lib/programs.mjs';
import { Stop } from '../lib/say.mjs';
import { built } from './window.mjs';

/**
 * A run of about so many events that has ended.
 * @returns {Promise<{run: string, events: number}>}
 */
export async function recorded(box, events) {
  const { run, ended } = await recording(box, events);
  return { run, events: await ended };
}

/** Stops where the record of a run is not what `gatehouse` takes for whole: then it is no real one. */
export async function verified(box, run) {
  const said = await cli(box, 'verify', run, '--json');
  const { ok, findings } = JSON.parse(said.out);
  // Its files were never written: they are made of the record, and nobody looks at them here.
  const wrong = findings.filter((one) => one.code !== 'missing');
  if (!ok && wrong.length > 0) throw new Stop(`The run that was recorded does not hold: ${JSON.stringify(wrong[0])}`);
}

/**
 * Begins to record a run; with `perSecond` it happens now, so many events a second.
 * @returns {Promise<{run: string, ended: Promise<number>}>} as soon as it is there; `ended` tells how many events it
 *   has
 */
export async function recording(box, events, perSecond = 0) {
  const pace = perSecond > 0 ? ['--per-second', String(perSecond)] : [];
  const command = [built.bench, 'record', '--project', box.project, '--events', String(events), ...pace];
  const program = keep(command, { env: box.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [said, complaint] = ['', ''];
  program.stderr.on('data', (text) => (complaint += text));
  const begun = new Promise((resolve) =>
    program.stdout.on('data', (text) => {
      said += text;
      const run = /^run (\S+)$/m.exec(said)?.[1];
      if (run) resolve(run);
    }),
  );
  const ended = program.gone.then((code) => {
    if (code !== 0) throw new Stop(`The run could not be recorded: ${complaint}`);
    return Number(/^events (\d+)$/m.exec(said)[1]);
  });
  return { run: await Promise.race([begun, ended.then(() => begun)]), ended };
}
