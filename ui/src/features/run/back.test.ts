import type { GoBackView } from '$lib/api';
import { step } from '$lib/fixtures';
import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import BackDialog from './BackDialog.svelte';

it('tells steps that were left out from those that are done', async () => {
  const view = {
    checkpoint: { name: 'Before the change', since: '3 steps', refusal: null },
    words: 'A new run begins.',
    kept: [step('size', '1')],
    left_out: [step('look', '2')],
    failed: [step('price', '3')],
    again: [],
    at: [step('ask', '4')],
    then: [step('send', '5')],
    files: 0,
    changes: [],
    mark: 'm',
  } as unknown as GoBackView;
  render(BackDialog, { open: true, checkpoint: 4, load: async () => view, onback: async () => true });
  expect(await screen.findByTestId('back-kept')).toHaveTextContent(/^1 size$/);
  expect(screen.getByTestId('back-left-out')).toHaveTextContent(/^2 look$/);
  expect(screen.getByTestId('back-failed')).toHaveTextContent(/^3 price$/);
  // What comes then is said as it is of a run that is taken up.
  expect(screen.getByTestId('back-at')).toHaveTextContent(/^4 ask$/);
  expect(screen.getByTestId('back-then')).toHaveTextContent(/^5 send$/);
});

it('offers nothing to tick where no file would be touched, and says by itself who could approve nothing', async () => {
  const view = {
    checkpoint: { name: 'Is it sound?', since: '3 steps', refusal: null },
    words: 'A new run begins.',
    barred: 'You could approve nothing in it.',
    kept: [],
    left_out: [],
    failed: [],
    again: [],
    at: [],
    then: [],
    files: 0,
    changes: [{ path: 'docs/dossier.md', fate: 'left', why: 'the run wrote it later' }],
    mark: 'm',
  } as unknown as GoBackView;
  render(BackDialog, { open: true, checkpoint: 4, load: async () => view, onback: async () => true });
  expect(await screen.findByTestId('back-changes')).toHaveTextContent('docs/dossier.md the run wrote it later');
  expect(screen.getByTestId('back-nothing')).toHaveTextContent('There is no file to put back');
  expect(screen.queryByTestId('back-files')).toBeNull();
  expect(screen.getByTestId('back-barred')).toHaveTextContent('You could approve nothing in it.');
  expect(screen.getByRole('heading', { name: 'Go back to “Is it sound?”' })).toBeVisible();
});
