import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import StatusChip from './StatusChip.svelte';
import { answerLook } from './statuses';

it('says the whole of a status on hover, whatever room there is for it', () => {
  const words = 'waits for a decision at “A step with a name that is longer than any room”';
  render(StatusChip, { status: 'blocked', words });
  expect(screen.getByTitle(words)).toHaveTextContent(words);
});

it('the one answer to a question of a runbook looks like the other', () => {
  const question = { status: 'done', is_question: true } as const;
  const yes = answerLook({ ...question, answer: 'pass', words: 'answered YES' });
  const no = answerLook({ ...question, answer: 'fail', words: 'answered NO' });
  expect(yes).toMatchObject({ tone: 'skipped', word: 'answered YES' });
  expect(no).toEqual({ ...yes, word: 'answered NO' });
});
