import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { useHost, type PreviewOf } from '$lib/api';
import { settings, workflow } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import App from '../../App.svelte';
import { drawing, faces } from '../canvas/__fixtures__/delivery';
import { edge } from '../canvas/__fixtures__/found';

const like = workflow().steps[0]!;
const steps = faces.map(({ step, ordinal }) => ({ ...like, step, ordinal }));
const file = workflow({ drawing, faces, steps });
const KINDS = [
  { kind: 'work', label: 'Work', help: 'Somebody does something.' },
  { kind: 'gate', label: 'Decision', help: 'A person decides.' },
];
afterEach(() => {
  location.hash = '';
});

/** A workflow whose lines take steps; `refused`: why a gesture cannot be made. */
async function open(refused: (of: PreviewOf) => string | null = () => null) {
  const host = new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('workflow.open', () => file)
    .on('workflow.palette', () => ({ kinds: KINDS, gestures: { steps: true } }))
    .on('workflow.form', () => ({ revision: 'r1', form: null, known: [] }))
    .on('workflow.preview', (of: PreviewOf) => {
      const message = refused(of);
      return { source: message === null ? 'other' : file.source, entails: [], refused: message && { message } };
    });
  location.hash = '#/workflow/flows/shape.yaml';
  useHost(host);
  render(App, { host });
  await screen.findAllByTestId('graph-node');
  const user = userEvent.setup();
  const plus = { name: 'Add a step between Analysis and Requirements' };
  /** Presses the + of a line, by keys. */
  const press = async () => {
    // What can be done is told after the picture.
    await vi.waitFor(() => {
      edge('analysis', 'requirements').focus();
      expect(screen.getByRole('button', plus)).toBeVisible();
    });
    screen.getByRole('button', plus).focus();
    await user.keyboard('{Enter}');
  };
  return { host, user, press, plus: () => screen.getByRole('button', plus) };
}

it('the + of a line has the focus again when its dialog is closed', async () => {
  const { user, press, plus } = await open();
  await press();
  await vi.waitFor(() => expect(screen.getByTestId('add-step-name')).toHaveFocus());
  await user.keyboard('{Escape}');
  await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await vi.waitFor(() => expect(plus()).toHaveFocus());
  // Whoever goes on from there leaves it.
  await user.tab();
  expect(plus).toThrow();
});

it('also where no step can stand there, and that is said', async () => {
  const { user, press, plus } = await open(() => 'A step cannot stand on this line.');
  await press();
  expect(await screen.findByRole('dialog')).toHaveTextContent('A step cannot stand on this line.');
  await user.keyboard('{Escape}');
  await vi.waitFor(() => expect(plus()).toHaveFocus());
});
