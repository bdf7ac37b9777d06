import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { useHost, type CreateOf } from '$lib/api';
import { findings } from '$lib/axe';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import NewDialog from './NewDialog.svelte';

/** A first workflow of somebody who never saw one: questions in the place of formats and fields. */
const formats = [
  { name: 'flow', label: 'Flow', help: 'Steps and branches.', ending: '.yaml', kinds: [], templates: [] },
  { name: 'runbook', label: 'Runbook', help: 'By hand.', ending: '.runbook.md', kinds: [], templates: [] },
];

function open(first: boolean) {
  const { drawing, faces } = workflow();
  const sketched: CreateOf[] = [];
  const created: CreateOf[] = [];
  const sketch = { name: '', title: '', help: '', steps: faces.length, drawing, faces };
  useHost(
    new FakeHost()
      .on('workflow.new', () => ({ formats, folders: [''] }))
      .on('workflow.sketch', (of) => (sketched.push(of), sketch))
      .on('workflow.create', (of) => (created.push(of), { path: 'send-an-offer.yaml', named_by: [] })),
  );
  const oncreated = vi.fn();
  render(NewDialog, { open: true, first, oncreated });
  return { sketched, created, oncreated };
}

it('an empty project begins with three questions, and their answers make the workflow', async () => {
  const { sketched, created, oncreated } = open(true);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('What has to be decided or done?'), 'Send an offer');
  await user.type(screen.getByLabelText('What is asked?'), 'May it go out?');
  await user.type(screen.getByLabelText('What is done before they are asked?'), 'Write it{Enter}Check it');
  await user.type(screen.getByLabelText('What is done after a yes?'), 'Send it');
  await user.selectOptions(screen.getByLabelText('And after a no?'), 'The run ends');
  const from = {
    kind: 'answers',
    asked: 'May it go out?',
    before: ['Write it', 'Check it'],
    after: ['Send it'],
    again: false,
  };
  await waitFor(() => expect(sketched.at(-1)?.from).toEqual(from));
  expect(await screen.findByTestId('new-steps')).toBeVisible();
  expect(await findings(screen.getByRole('dialog'))).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Create it' }));
  await waitFor(() => expect(oncreated).toHaveBeenCalledWith('send-an-offer.yaml'));
  expect(created).toEqual([{ format: 'flow', folder: '', name: 'Send an offer', from }]);
});

it('where there are workflows, a new one begins with a first step, and questions are one choice', async () => {
  const { created } = open(false);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('What has to be decided or done?'), 'Plain');
  expect(screen.queryByLabelText('What is asked?')).toBeNull();
  await user.click(screen.getByLabelText(/Three questions/));
  expect(screen.getByLabelText('What is asked?')).toBeVisible();
  // Another format is not made of answers.
  await user.click(screen.getByLabelText(/Runbook/));
  expect(screen.queryByLabelText('What is asked?')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Create it' }));
  await waitFor(() => expect(created.map(({ format, from }) => [format, from])).toEqual([['runbook', undefined]]));
});
