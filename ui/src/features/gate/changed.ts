import { fileName } from '$lib/ui/files';
import type { GateBrief } from '$lib/api';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';

/** All that a person decides on, to be compared: who would sign is no part of it. */
export const printOf = (brief: GateBrief): string => JSON.stringify({ ...brief, signer: null });

/**
 * What a decision stands on. How long something still holds is said anew as time goes by, and is left out; that it holds no
 * longer is another thing.
 */
const grounds = ({ checks, support, evidence, guardrails }: GateBrief) => [
  checks,
  support && { ...support, words: null },
  evidence?.map((one) => ({ ...one, holds: null })),
  guardrails,
];

const differ = (a: unknown, b: unknown) => JSON.stringify(a) !== JSON.stringify(b);

/** What became different since a brief was first shown, one sentence each; nothing is concluded from it. */
export function changedSince(first: GateBrief, now: GateBrief): string[] {
  const said: string[] = [];
  if (now.round !== first.round) said.push(say(m.gate.changed.round, { n: now.round }));
  const before = new Map(first.artifacts.map((one) => [one.path, one]));
  for (const one of now.artifacts) {
    const was = before.get(one.path);
    before.delete(one.path);
    const name = fileName(one.path);
    if (!was) said.push(say(m.gate.changed.added, { name }));
    else if (was.digest !== one.digest) said.push(say(m.gate.changed.file, { name }));
    else if (one.differs_on_disk && !was.differs_on_disk) said.push(say(m.gate.changed.disk, { name }));
  }
  for (const gone of before.keys()) said.push(say(m.gate.changed.gone, { name: fileName(gone) }));
  if (now.round === first.round) {
    if (differ(now.answers, first.answers)) said.push(m.gate.changed.next);
    if (differ(grounds(now), grounds(first))) said.push(m.gate.changed.checks);
  }
  return said;
}
