import type { RunHead } from '$lib/api';
import { behindChip, STATUS } from '$lib/ui/statuses';

type Ended = Pick<RunHead, 'status' | 'status_words' | 'outcome' | 'error' | 'ended_at' | 'pipeline'>;

/** Who refused the run and why; null: nobody did. */
export const refusalOf = ({ outcome }: Pick<Ended, 'outcome'>): string | null =>
  outcome?.kind === 'refused' ? outcome.words : null;

/** The words of a run's status, where they say more than its chip and, once it ended, than the note below its head. Null: nothing more. */
export function moreThanStatus(view: Ended): string | null {
  const { status_words: words } = view;
  const { word } = STATUS[view.status];
  if (words === word) return null;
  if (view.ended_at === null) return behindChip(view.status, words);
  const rest = words
    .replace(words.startsWith(word) ? word : /^[^:]*:/, '')
    // A long reason is shortened here and whole there.
    .replace(/\s*…$/, '')
    .replace(/^[\s:;]+/, '')
    .toLowerCase();
  const refusal = refusalOf(view);
  const ending = view.pipeline?.ending;
  const note = ending ? [refusal, view.error, ending.words] : [refusal ?? view.error];
  return note.some((said) => said?.toLowerCase().includes(rest)) ? null : behindChip(view.status, words);
}
