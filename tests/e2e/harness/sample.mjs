// The flows the end-to-end tests run.
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

/** A small one of our own: a draft, a critic that sends it back once, a person who decides, a clerk. */
export const sample = {
  path: 'proposal.yaml',
  scenario: 'proposal.scenario.yaml',
  steps: ['gather', 'draft', 'critique', 'file'],
  loop: { from: 'critique', to: 'draft' },
  last: 'file',
};

/** One that ships with Gatehouse, run with the scenario that is offered first; it leaves the decision to a person. */
export const shipped = {
  path: 'requirements/shape-a-request.yaml',
  steps: ['normalize', 'frame', 'author_reqs', 'critique_reqs', 'author_bdd', 'scope', 'risks'],
  loop: { from: 'critique_reqs', to: 'author_reqs', max: 5 },
  last: 'risks',
};

/** Puts the small flow and its scenario into a sandbox's project. */
export async function addSample(box) {
  const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
  for (const name of [sample.path, sample.scenario]) await cp(join(fixtures, name), join(box.project, name));
}
