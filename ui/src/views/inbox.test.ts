import type { InboxView } from '$lib/api';
import { findings } from '$lib/axe';
import { answeredBy, gateBrief, gateCard, settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../App.svelte';

/** A project where two decisions wait, and answers take effect. */
function project(): FakeHost {
  const waiting = [
    gateCard({ run_id: 'run-1', question: 'Are these requirements ready?' }),
    gateCard({ run_id: 'run-2', question: 'May the contract be signed?' }),
  ];
  const inbox: InboxView = { waiting, decided: [] };
  return new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ ...inbox }))
    .on('gate.brief', ({ run_id }: { run_id: string }) =>
      gateBrief({ run_id, question: waiting.find((one) => one.run_id === run_id)?.question ?? 'Answered question' }),
    )
    .on('gate.answer', ({ run_id }: { run_id: string }) => {
      inbox.waiting = inbox.waiting.filter((one) => one.run_id !== run_id);
      return gateBrief({ run_id, answered: answeredBy('Reviewer') });
    });
}

async function open(host: FakeHost) {
  location.hash = '#/inbox';
  const page = render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  return { page, user: userEvent.setup() };
}

describe('the Inbox', () => {
  afterEach(() => {
    location.hash = '';
  });

  it('opens on the first question, with the count on the door', async () => {
    await open(project());
    expect(await screen.findByRole('heading', { level: 1, name: 'Are these requirements ready?' })).toBeVisible();
    expect(screen.getByRole('heading', { name: '2 decisions wait for you' })).toBeVisible();
    expect(screen.getByTestId('nav-inbox')).toHaveTextContent('2');
    expect(location.hash).toBe('#/inbox/run-1/critique');
  });

  it('goes on to the next question after an answer, and ends in peace', async () => {
    const { user } = await open(project());
    await user.click(await screen.findByTestId('gate-approve'));
    expect(await screen.findByRole('heading', { level: 1, name: 'May the contract be signed?' })).toBeVisible();
    expect(screen.getAllByTestId('gate-card')).toHaveLength(1);
    await user.click(screen.getByTestId('gate-approve'));
    expect(await screen.findByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    expect(location.hash).toBe('#/inbox');
  });

  it('keeps the brief on screen when somebody else answers it, and says who', async () => {
    const host = project();
    await open(host);
    await screen.findByTestId('gate-approve');
    host.on('inbox.list', () => ({ waiting: [], decided: [] }));
    host.on('gate.brief', () => gateBrief({ run_id: 'run-1', answered: answeredBy('Ada') }));
    host.send(
      { kind: 'inbox', waiting: 0, opened: null },
      { kind: 'run', run_id: 'run-1', last: 9, status: 'running' },
    );
    expect(await screen.findByTestId('gate-answered')).toHaveTextContent('Ada');
    expect(screen.queryByTestId('gate-approve')).toBeNull();
  });

  it('moves by keyboard', async () => {
    const { user } = await open(project());
    await screen.findByRole('heading', { level: 1, name: 'Are these requirements ready?' });
    await user.keyboard('j');
    expect(await screen.findByRole('heading', { level: 1, name: 'May the contract be signed?' })).toBeVisible();
    await user.keyboard('k');
    expect(await screen.findByRole('heading', { level: 1, name: 'Are these requirements ready?' })).toBeVisible();
  });

  it('finds a waiting decision from the palette', async () => {
    const host = project()
      .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }))
      .on('runs.list', () => ({ runs: [] }));
    const { user } = await open(host);
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByRole('combobox'), 'contract');
    await user.keyboard('{Enter}');
    await waitFor(() => expect(location.hash).toBe('#/inbox/run-2/critique'));
  });

  it('says what to do when nobody answers at all', async () => {
    const host = new FakeHost()
      .on('settings.get', () => {
        throw { code: 'store_locked', message: 'The history is in use by another program.', hint: 'Close it.' };
      })
      .on('inbox.list', () => ({ waiting: [], decided: [] }));
    render(App, { host });
    await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('error'));
    expect(screen.getByRole('alert')).toHaveTextContent('The history is in use by another program. Close it.');
  });

  it('has no accessibility findings', async () => {
    const { page } = await open(project());
    await screen.findByTestId('gate-approve');
    expect(await findings(page.container)).toEqual([]);
  });
});
