import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { useHost } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { Author } from './author.svelte';
import Consequence from './Consequence.svelte';
import DrawLine from './DrawLine.svelte';

/** A line whose value entails more than was said beside its way. */
async function drawn() {
  const host = new FakeHost()
    .on('workflow.drawn', () => ({
      ways: [
        { way: { as: 'always' }, label: 'Always' },
        { way: { as: 'value', value: '' }, label: 'If it reports a value', asks: '“verdict” is' },
      ],
    }))
    .on('workflow.preview', ({ edits }: { edits: { way?: { value?: string } }[] }) => ({
      entails: edits[0]?.way?.value ? ['“NO” leads to another step then.'] : [],
      refused: null,
      source: '',
    }));
  useHost(host);
  const make = vi.fn(async () => true);
  const target = {
    path: 'flows/shape.yaml',
    view: { value: workflow() },
    step: null,
    left: false,
    make,
    fill: async () => null,
  };
  const author = new Author(target);
  render(Consequence, { author });
  render(DrawLine, { author });
  const user = userEvent.setup();
  await author.connect('author', 'critique');
  await user.click((await screen.findAllByTestId('draw-way'))[1]!);
  await user.type(screen.getByTestId('draw-value'), 'NO{Enter}');
  expect(await screen.findByTestId('consequence')).toHaveTextContent('leads to another step then');
  expect(screen.queryByTestId('draw-line')).toBeNull();
  return { user, author, make };
}

it('a no to what follows from a line leads back to the first question, with what was typed', async () => {
  const { user, author, make } = await drawn();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  const value = await screen.findByTestId('draw-value');
  expect(value).toHaveValue('NO');
  expect(screen.getAllByTestId('draw-way')[1]).toBeChecked();
  await vi.waitFor(() => expect(value).toHaveFocus());
  expect(screen.queryByTestId('consequence')).toBeNull();
  expect(make).not.toHaveBeenCalled();
  // A no to the first question is one to all of it.
  await user.keyboard('{Escape}');
  await vi.waitFor(() => expect(screen.queryByTestId('draw-line')).toBeNull());
  expect([author.drawing, author.asking]).toEqual([null, null]);
});

it('a yes ends both, and another question that comes meanwhile is not covered by the first', async () => {
  const { user, author, make } = await drawn();
  author.asking = { gestures: [], what: 'x', revision: '', entails: [], refused: 'It cannot be.' };
  expect(author.drawing).toBeNull();
  author.asking = null;
  expect(author.drawing).toBeNull();
  await author.connect('author', 'critique');
  await user.click((await screen.findAllByTestId('draw-way'))[1]!);
  await user.type(screen.getByTestId('draw-value'), 'NO{Enter}');
  await user.click(await screen.findByTestId('consequence-go'));
  await vi.waitFor(() => expect(make).toHaveBeenCalledOnce());
  expect([author.drawing, author.asking]).toEqual([null, null]);
});

it('a no to what follows from a step leads back to it as it was described', async () => {
  const host = new FakeHost().on('workflow.preview', () => ({ entails: ['More.'], refused: null, source: '' }));
  useHost(host);
  const view = { value: workflow() };
  const author = new Author({
    path: 'a.yaml',
    view,
    step: null,
    left: false,
    make: async () => true,
    fill: async () => null,
  });
  author.adding = { at: { where: 'end' }, where: 'At the end', whyNot: {} };
  await author.add('workflow', 'Check it', { workflow: 'check.yaml' });
  expect(author.adding).toBeNull();
  author.asking = null;
  expect(author.adding).toMatchObject({
    where: 'At the end',
    filled: { kind: 'workflow', name: 'Check it', fields: { workflow: 'check.yaml' } },
  });
});
