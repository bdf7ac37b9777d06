import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { useHost } from '$lib/api';
import { findings } from '$lib/axe';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import AddStep from './AddStep.svelte';
import type { Author } from './author.svelte';
import Consequence from './Consequence.svelte';
import DrawLine from './DrawLine.svelte';
import NewDialog from './NewDialog.svelte';

/** The dialogs of authoring, each as somebody meets it who hears rather than sees it. */
const as = (author: object) => ({ author: author as Author });
const dialog = async (name: string) => findings(await screen.findByRole('dialog', { name }));

it('a new workflow', async () => {
  const { drawing, faces } = workflow();
  const template = { name: 'approve', title: 'Approve a contract', help: 'Two read it.', steps: 2, drawing, faces };
  const formats = [
    { name: 'flow', label: 'Flow', help: 'Steps and branches.', ending: '.yaml', kinds: [], templates: [template] },
    { name: 'pipeline', label: 'Pipeline', help: 'Stages.', ending: '.yaml', folder: 'p', kinds: [], templates: [] },
  ];
  useHost(new FakeHost().on('workflow.new', () => ({ formats, folders: ['', 'contracts'] })));
  render(NewDialog, { open: true, oncreated: vi.fn() });
  expect(await screen.findByText('Approve a contract')).toBeVisible();
  expect(screen.getByLabelText('What has to be decided or done?')).toBeVisible();
  expect(await dialog('A new workflow')).toEqual([]);
});

it('a step that is added', async () => {
  const kinds = [
    { kind: 'work', label: 'Work', help: 'Somebody does something.' },
    { kind: 'decision', label: 'Decision', help: 'A person decides about it.' },
    { kind: 'script', label: 'Script', help: 'A command runs.' },
  ];
  const whyNot = { script: 'No script can stand behind the last one.' };
  render(AddStep, { kinds, where: 'At the end', whyNot, onadd: vi.fn(), onclose: vi.fn() });
  expect(await dialog('Add a step')).toEqual([]);
});

it('the commands of a script that is added', async () => {
  const names = { field: 'run', label: 'Script', help: 'Commands of a shell.' };
  const kinds = ['script', 'work'].map((kind) => ({ kind, label: kind, help: 'Commands of a shell.', names }));
  const onadd = vi.fn(() => Promise.resolve(null));
  render(AddStep, { kinds, where: 'At the end', onadd, onclose: vi.fn() });
  const user = userEvent.setup();
  const box = screen.getByRole('dialog');
  // What is said of the kinds is not said a third time below the field.
  expect(screen.getAllByText('Commands of a shell.')).toHaveLength(2);
  expect(box).toHaveTextContent('Say first what is to be done.');
  await user.type(screen.getByTestId('add-step-name'), 'Check the shop');
  expect(box).not.toHaveTextContent('Say first what is to be done.');
  await user.type(screen.getByTestId('add-step-text'), 'make check');
  await user.click(screen.getByTestId('add-step-make'));
  expect(onadd).toHaveBeenCalledExactlyOnceWith('script', 'Check the shop', { run: 'make check' });
});

it('what a line means', async () => {
  const way = (label: string, over: object = {}) => ({ gesture: {}, label, entails: [], refused: null, ...over });
  const ways = [
    way('When it passes', { entails: ['“B” no longer follows.'] }),
    way('When it fails', { refused: 'It leads there already.' }),
  ];
  render(DrawLine, as({ drawing: { what: 'A leads to B', revision: 'r1', ways } }));
  expect(await dialog('When is this line taken?')).toEqual([]);
});

it.each([
  ['This also changes other things', { entails: ['“B” waits for nothing any more.'], refused: null }],
  ['This cannot be done', { entails: [], refused: 'Nothing would lead to “B”.' }],
])('what a gesture entails: %s', async (title, over) => {
  render(Consequence, as({ asking: { gestures: [], what: '“A” deleted', revision: 'r1', ...over } }));
  expect(await dialog(title)).toEqual([]);
});
