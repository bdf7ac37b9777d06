import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useHost, type Gesture, type WorkflowView } from '$lib/api';
import { workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import Framed from './__fixtures__/FramedOutline.svelte';
import { Open } from './__fixtures__/target.svelte';
import { Author } from './author.svelte';

const like = workflow().steps[0]!;
const file = (...names: string[]): WorkflowView =>
  workflow({
    steps: names.map((name, ordinal) => ({
      ...like,
      ordinal,
      gate: null,
      next: [],
      parent: null,
      step: { id: `s${ordinal}`, number: `${ordinal + 1}`, name },
    })),
    faces: [],
  });

const line = (name: string) => screen.getByRole('treeitem', { name: new RegExp(name) });
const field = () => screen.getByTestId('outline-rename');

/** A name that is being written until `written` is called. */
async function renaming() {
  const name = { name: 'name', label: 'Name', place: { step: 0, path: ['name'] } };
  let answer = () => {};
  const asked = new Promise<void>((done) => (answer = done));
  useHost(
    new FakeHost()
      .on('workflow.palette', () => ({ kinds: [], gestures: { steps: true, order: true } }))
      .on('workflow.form', () => ({ revision: 'r1', known: [], reported: [], form: { kind: 'work', fields: [name] } }))
      .on('workflow.preview', () => asked.then(() => ({ entails: [], refused: null }))),
  );
  const target = Object.assign(new Open('a.yaml', file('Read', 'Check', 'Send'), 's0'), {
    make: vi.fn(async (_gestures: Gesture[], _what: string) => {
      target.view.value = file('Read it', 'Check', 'Send');
      return true;
    }),
  });
  const author = new Author(target);
  await author.palette.refresh();
  render(Framed, { open: target, author });
  const user = userEvent.setup();
  line('Read').focus();
  await user.keyboard('{F2}Read it');
  const written = async () => {
    answer();
    await screen.findByText('Read it');
    await new Promise((done) => setTimeout(done));
  };
  return { target, user, written };
}

describe('a name that was typed in the outline', () => {
  beforeEach(() => document.body.replaceChildren());

  it('gives the focus back to its step at once, before it is written', async () => {
    const { target, user, written } = await renaming();
    expect(field()).toHaveValue('Read it');
    await user.keyboard('{Enter}');
    await vi.waitFor(() => expect(line('Read')).toHaveFocus());
    expect(target.make).not.toHaveBeenCalled();
    await written();
    expect(line('Read it')).toHaveFocus();
    expect(target.make.mock.lastCall?.[0]).toEqual([
      { kind: 'set', place: { step: 0, path: ['name'] }, value: 'Read it' },
    ]);
  });

  it('leaves whoever has gone on in the list at the step where they are', async () => {
    const { target, user, written } = await renaming();
    await user.keyboard('{Enter}');
    await vi.waitFor(() => expect(line('Read')).toHaveFocus());
    await user.keyboard('{ArrowDown}{ArrowDown}');
    await written();
    expect(target.step).toBe('s2');
    expect(line('Send')).toHaveFocus();
  });

  it('leaves whoever is elsewhere by then alone, however they went there', async () => {
    const elsewhere = document.body.appendChild(document.createElement('input'));
    const { target, user, written } = await renaming();
    // The name is kept when its field is left.
    await user.click(elsewhere);
    expect(screen.queryByTestId('outline-rename')).toBeNull();
    await written();
    expect(elsewhere).toHaveFocus();
    expect(target.make).toHaveBeenCalledOnce();
  });

  it('is forgotten with Escape', async () => {
    const { target, user } = await renaming();
    await user.keyboard('{Escape}');
    await vi.waitFor(() => expect(line('Read')).toHaveFocus());
    expect(target.make).not.toHaveBeenCalled();
  });
});
