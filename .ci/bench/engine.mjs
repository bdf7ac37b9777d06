// The half that needs no window: durable steps, layout, checking and more against this machine's own limits
// (tests/src/bin/bench/).
import { keep } from '../lib/programs.mjs';
import { Stop } from '../lib/say.mjs';
import { built } from './window.mjs';

/** The sections of that program, which are named like the parts here. */
export const SECTIONS = [
  'steps',
  'pipelines',
  'growth',
  'looking',
  'histories',
  'lists',
  'layout',
  'check',
  'editing',
  'sessions',
  'processes',
  'cages',
  'shell',
];

export async function measure({ sections, words }) {
  const program = keep([built.bench, '--only', sections.join(','), ...words], { stdio: 'inherit' });
  if ((await program.gone) !== 0)
    throw new Stop('The benchmark of engine, layout and checking failed.', 'The lines above say where.');
}
