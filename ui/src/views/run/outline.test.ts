import { cleanup, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { showRun } from '../../features/canvas/__fixtures__/host';
import { logAfter, RUN, runAt, stepAt, timelineAt, WAITING } from '../../features/canvas/__fixtures__/request';
import { useHost } from '$lib/api';
import { findings } from '$lib/axe';
import { FakeHost } from '$lib/host/fake';
import Framed from './__fixtures__/Framed.svelte';

// The whole view is mounted each time; a busy machine needs longer than the usual five seconds.
vi.setConfig({ testTimeout: 20_000 });

let host: FakeHost;
beforeEach(() => {
  localStorage.clear();
  location.hash = '';
  host = showRun(new FakeHost(), (at) => runAt(at, WAITING))
    .on('run.timeline', () => timelineAt(WAITING))
    .on('run.step', ({ step, at }: { step: string; at?: number }) => stepAt(step, at ?? WAITING))
    .on('run.log', ({ after }: { after?: number }) => logAfter(after ?? 0, WAITING));
  useHost(host);
});
afterEach(cleanup);

async function open(at: number | null = null) {
  const user = userEvent.setup();
  render(Framed, { id: RUN, at, step: null });
  await user.click(await screen.findByTestId('run-list'));
  return { user, tree: await screen.findByRole('tree') };
}
/** The list as somebody hears it, or pastes it into a mail. */
const text = (tree: HTMLElement) =>
  within(tree)
    .getAllByRole('treeitem')
    .map((row) => row.textContent?.replace(/\s+/g, ' ').trim())
    .join('\n');

it('shows the steps of a run as a list that reads as text, with how each of them stands', async () => {
  const { tree } = await open();
  expect(screen.queryByTestId('graph')).toBeNull();
  expect(text(tree)).toMatchInlineSnapshot(`
    "1 Normalise the request, done · 12 s
    2 Frame the problem, done · 31 s
    3 Author the requirements, done · 2 times · 88 s
    4 Critique the requirements, a person decides, waits for a person · 2nd time
    5 Write scenarios, not yet
    6 Scope and risks, not yet
    7 Decline with reasons, not yet"
  `);
  expect(await findings(tree)).toEqual([]);
});

it('says of an earlier moment how it stood then, and keeps its place with the keys of the list', async () => {
  const { user, tree } = await open(13);
  expect(text(tree)).toMatchInlineSnapshot(`
    "1 Normalise the request, done · 12 s
    2 Frame the problem, done · 31 s
    3 Author the requirements, done · 42 s
    4 Critique the requirements, a person decides, running
    5 Write scenarios, not yet
    6 Scope and risks, not yet
    7 Decline with reasons, not yet"
  `);
  const playhead = screen.getByTestId('playhead').getAttribute('aria-valuenow');
  within(tree).getAllByTestId('outline-line')[0]?.focus();
  await user.keyboard('{ArrowRight}{ArrowLeft}{End}{Home} ');
  expect(screen.getByTestId('playhead')).toHaveAttribute('aria-valuenow', playhead);
});

it('chooses the step of a line, and is shown again in the next run', async () => {
  const { user, tree } = await open();
  await user.click(within(tree).getByRole('treeitem', { name: /^2 / }));
  await vi.waitFor(() => expect(host.called('run.step').at(-1)).toMatchObject({ step: 'frame' }));
  expect(within(tree).getByRole('treeitem', { selected: true })).toHaveAttribute('data-step', 'frame');
  // Nothing is changed from here.
  await user.keyboard('{Delete}{F2}{Insert}');
  expect(within(tree).queryByRole('textbox')).toBeNull();
  cleanup();
  render(Framed, { id: RUN, at: null, step: null });
  expect(await screen.findByRole('tree')).toBeVisible();
  await user.click(screen.getByTestId('run-list'));
  expect(await screen.findByTestId('graph')).toBeVisible();
});
