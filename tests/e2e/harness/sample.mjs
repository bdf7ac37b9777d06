// The flow the end-to-end tests run: a draft, a critic that sends it back once, a person who decides, a clerk.
import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

export const sample = {
  path: 'proposal.yaml',
  scenario: 'proposal.scenario.yaml',
  steps: ['gather', 'draft', 'critique', 'file'],
  loop: { from: 'critique', to: 'draft' },
  last: 'file',
};

/** Puts the flow and its scenario into a sandbox's project. */
export async function addSample(box) {
  const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url));
  for (const name of [sample.path, sample.scenario]) await cp(join(fixtures, name), join(box.project, name));
}
