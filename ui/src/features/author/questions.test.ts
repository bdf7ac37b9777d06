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

const rest = (ms: number) => new Promise((done) => setTimeout(done, ms));

function open(first: boolean | null) {
  const { drawing, faces } = workflow();
  const sketched: CreateOf[] = [];
  const created: CreateOf[] = [];
  const sketch = { name: '', title: '', help: '', steps: faces.length, drawing, faces };
  useHost(
    new FakeHost()
      .on('workflow.new', () => ({ formats, folders: [''] }))
      .on('workflow.sketch', (of) => (sketched.push(of), { ...sketch }))
      .on('workflow.create', (of) => (created.push(of), { path: 'send-an-offer.yaml', named_by: [] })),
  );
  const oncreated = vi.fn();
  const { rerender } = render(NewDialog, { open: true, first, oncreated });
  return { sketched, created, oncreated, rerender };
}

it('an empty project begins with questions, and their answers make the workflow', async () => {
  const { sketched, created, oncreated } = open(true);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('What has to be decided or done?'), 'Send an offer');
  await user.type(screen.getByLabelText('What is asked?'), 'May it go out?');
  await user.type(screen.getByLabelText('What is done before the person is asked?'), 'Write it{Enter}Check it');
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
  // What is drawn asks for nothing more.
  const asked = sketched.length;
  await rest(600);
  expect(sketched).toHaveLength(asked);
  expect(await findings(screen.getByRole('dialog'))).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Create it' }));
  await waitFor(() => expect(oncreated).toHaveBeenCalledWith('send-an-offer.yaml'));
  expect(created).toEqual([{ format: 'flow', folder: '', name: 'Send an offer', from }]);
});

it('creates nothing of answers that make no flow, and says why beside the button', async () => {
  const { created } = open(true);
  const host = new FakeHost().on('workflow.new', () => ({ formats, folders: [''] }));
  const why = 'An answer makes at most 20 steps; more are added at the picture.';
  useHost(
    host.on('workflow.sketch', () => {
      throw { code: 'edit_refused:unfit', message: why, hint: null };
    }),
  );
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('What has to be decided or done?'), 'Send an offer');
  await user.type(screen.getByLabelText('What is done before the person is asked?'), 'Too much');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Create it' })).toBeDisabled());
  expect(screen.getByRole('status')).toHaveTextContent(why);
  expect(screen.getAllByText(why)).toHaveLength(1);
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  await user.click(screen.getByLabelText(/first step/));
  expect(screen.getByRole('button', { name: 'Create it' })).toBeEnabled();
  expect(created).toEqual([]);
});

it('where there are workflows, a new one begins with a first step, and questions are one choice', async () => {
  const { created } = open(false);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('What has to be decided or done?'), 'Plain');
  expect(screen.queryByLabelText('What is asked?')).toBeNull();
  await user.click(screen.getByLabelText(/Some questions/));
  expect(screen.getByLabelText('What is asked?')).toBeVisible();
  // Another format is not made of answers.
  await user.click(screen.getByLabelText(/Runbook/));
  expect(screen.queryByLabelText('What is asked?')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Create it' }));
  await waitFor(() => expect(created.map(({ format, from }) => [format, from])).toEqual([['runbook', undefined]]));
});

it('another format that is looked at leaves the questions chosen', async () => {
  open(true);
  const user = userEvent.setup();
  await user.click(await screen.findByLabelText(/Runbook/));
  expect(screen.getByLabelText(/first step/)).toBeChecked();
  await user.click(screen.getByLabelText(/^Flow/));
  expect(screen.getByLabelText(/Some questions/)).toBeChecked();
  expect(screen.getByLabelText('What is asked?')).toBeVisible();
});

it('what others write meanwhile takes no answer away, and neither does closing it', async () => {
  const { rerender } = open(null);
  const user = userEvent.setup();
  const name = await screen.findByLabelText('What has to be decided or done?');
  await rerender({ first: true });
  await user.type(await screen.findByLabelText('What is asked?'), 'May it go out?');
  await rerender({ first: false });
  expect(screen.getByLabelText('What is asked?')).toHaveValue('May it go out?');
  await user.click(screen.getByLabelText(/Just a first step/));
  await user.click(screen.getByLabelText(/Some questions/));
  expect(screen.getByLabelText('What is asked?')).toHaveValue('May it go out?');
  await user.type(name, 'Send');
  await rerender({ open: false });
  await rerender({ open: true });
  expect(await screen.findByLabelText('What is asked?')).toHaveValue('May it go out?');
  expect(screen.getByLabelText('What has to be decided or done?')).toHaveValue('Send');
});

it('Enter leads from question to question, and makes nothing of half an answer', async () => {
  const { created } = open(true);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText('What has to be decided or done?'), 'Send an offer{Enter}');
  await waitFor(() => expect(screen.getByLabelText('What is asked?')).toHaveFocus());
  await user.keyboard('May it go out?{Enter}');
  expect(screen.getByLabelText('What is done before the person is asked?')).toHaveFocus();
  expect(created).toEqual([]);
});
