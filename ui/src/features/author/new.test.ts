import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { useHost, type NewFilesView } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import NewDialog from './NewDialog.svelte';

const { drawing, faces } = workflow();
const template = (name: string, title: string) => ({ name, title, help: 'Two read it.', steps: 2, drawing, faces });
const FILES = {
  formats: [
    {
      name: 'flow',
      label: 'Flow',
      help: 'Steps and branches.',
      templates: [template('approve', 'Approve a contract'), template('review', 'Review a text')],
    },
    { name: 'runbook', label: 'Runbook', help: 'A document.', templates: [template('deploy', 'Deploy')] },
    { name: 'pipeline', label: 'Pipeline', help: 'Stages.', folder: 'pipelines', templates: [] },
  ],
  folders: ['contracts', 'ops'],
} as unknown as NewFilesView;

async function open(answer: () => unknown = () => ({ path: 'contracts/new.yaml' })) {
  const host = new FakeHost().on('workflow.new', () => FILES).on('workflow.create', answer);
  useHost(host);
  const [oncreated, onclose] = [vi.fn(), vi.fn()];
  render(NewDialog, { open: true, oncreated, onclose });
  await screen.findByTestId('new-workflow');
  const made = () => host.called('workflow.create').at(-1);
  return { host, oncreated, onclose, made, user: userEvent.setup() };
}
const name = () => screen.getByLabelText('What has to be decided or done?');
const choice = (label: RegExp) => screen.getByRole('radio', { name: label });
const templates = () =>
  within(screen.getByRole('group', { name: 'What should it start from?' }))
    .getAllByRole('radio')
    .map((one) => one.dataset.template);

describe('a new workflow', () => {
  it('begins with its name; the first kind, with nothing but a step, in the first folder is what is offered', async () => {
    const { user, made, oncreated } = await open();
    await vi.waitFor(() => expect(name()).toHaveFocus());
    expect(choice(/^Flow/)).toBeChecked();
    expect(templates()).toEqual(['?', '', 'approve', 'review']);
    expect(choice(/Just a first step/)).toBeChecked();
    // What is missing is said, and nothing is made without it.
    expect(screen.getByRole('status')).toHaveTextContent('Say what has to be decided or done.');
    expect(choice(/Just a first step/).closest('label')).toHaveTextContent('you add the others yourself');
    expect(screen.getByRole('button', { name: 'Create it' })).toBeDisabled();
    await user.keyboard('{Enter}');
    expect(made()).toBeUndefined();
    await user.keyboard(' Approve the lease {Enter}');
    await vi.waitFor(() => expect(oncreated).toHaveBeenCalledExactlyOnceWith('contracts/new.yaml'));
    expect(made()).toEqual({ format: 'flow', folder: 'contracts', name: 'Approve the lease', from: undefined });
  });

  it('is made of a template, shown with its picture; another kind has templates of its own', async () => {
    const { user, made, oncreated } = await open();
    await user.type(name(), 'Lease');
    expect(screen.getByRole('img', { name: 'Picture of Review a text' })).toBeVisible();
    await user.click(choice(/Review a text/));
    await user.click(choice(/^Runbook/));
    expect(templates()).toEqual(['', 'deploy']);
    // A template of the other kind is chosen no more.
    expect(choice(/Just a first step/)).toBeChecked();
    await user.click(choice(/Deploy/));
    await user.click(screen.getByRole('button', { name: 'Create it' }));
    await vi.waitFor(() => expect(oncreated).toHaveBeenCalledOnce());
    expect(made()).toMatchObject({ format: 'runbook', from: { kind: 'template', name: 'deploy' } });
  });

  it('keeps of each kind what was chosen while another one is looked at', async () => {
    const { user, made } = await open();
    await user.type(name(), 'Lease');
    await user.click(choice(/Review a text/));
    await user.click(choice(/^Runbook/));
    await user.click(choice(/Deploy/));
    await user.click(choice(/^Flow/));
    expect(choice(/Review a text/)).toBeChecked();
    await user.click(choice(/^Runbook/));
    expect(choice(/Deploy/)).toBeChecked();
    await user.click(choice(/^Flow/));
    await user.click(screen.getByTestId('new-make'));
    await vi.waitFor(() => expect(made()).toMatchObject({ format: 'flow', from: { name: 'review' } }));
  });

  it('lies in the project’s own folder where that is chosen', async () => {
    const { user, made, oncreated } = await open();
    await user.type(name(), 'Lease');
    await user.selectOptions(screen.getByTestId('new-folder'), 'in the project’s own folder');
    await user.click(screen.getByTestId('new-make'));
    await vi.waitFor(() => expect(oncreated).toHaveBeenCalledOnce());
    expect(made()).toMatchObject({ folder: '' });
  });

  it('lies in a new folder', async () => {
    const { user, made } = await open();
    await user.type(name(), 'Lease');
    await user.selectOptions(screen.getByTestId('new-folder'), 'A new folder');
    await user.type(screen.getByRole('textbox', { name: 'A new folder' }), ' legal/2026 ');
    await user.click(screen.getByTestId('new-make'));
    await vi.waitFor(() => expect(made()).toMatchObject({ folder: 'legal/2026' }));
  });

  it('is asked for no folder where its kind has one', async () => {
    const { user, made } = await open();
    await user.type(name(), 'Lease');
    await user.click(choice(/^Pipeline/));
    expect(screen.queryByTestId('new-folder')).toBeNull();
    expect(templates()).toEqual(['']);
    await user.click(screen.getByTestId('new-make'));
    await vi.waitFor(() => expect(made()).toEqual({ format: 'pipeline', folder: undefined, name: 'Lease' }));
  });

  it('that cannot be made says why and keeps what was typed', async () => {
    const { user, oncreated } = await open(() => {
      throw { code: 'refused:taken', message: 'contracts/lease.yaml is there already.', hint: null };
    });
    await user.type(name(), 'Lease{Enter}');
    expect(await screen.findByText(/contracts\/lease.yaml is there already/)).toBeVisible();
    expect(name()).toHaveValue('Lease');
    expect(oncreated).not.toHaveBeenCalled();
  });

  it('is left with nothing made', async () => {
    const { user, host, onclose } = await open();
    await user.type(name(), 'Lease');
    await user.keyboard('{Escape}');
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(onclose).toHaveBeenCalledOnce();
    expect(host.called('workflow.create')).toEqual([]);
  });
});
