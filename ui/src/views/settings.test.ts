import { useHost } from '$lib/api';
import { findings } from '$lib/axe';
import { gateBrief, gateCard, runRow, settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../App.svelte';

const known = {
  ...settings,
  granted: ['run npm publish', 'write dist'],
  agents: [
    { name: null, words: 'simulated: nothing really happens', command: '' },
    { name: 'robot', words: 'runs a command', command: 'sh robot.sh' },
  ],
};

function project(): FakeHost {
  return new FakeHost()
    .on('settings.get', () => known)
    .on('settings.set', ({ roles }: { roles: string[] }) => ({ ...known, roles }))
    .on('settings.revoke', ({ permission }: { permission: string }) => ({
      ...known,
      granted: known.granted.filter((one) => one !== permission),
    }))
    .on('inbox.list', () => ({ waiting: [gateCard({ subject: 'Northwind Hosting AB' })], decided: [] }))
    .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }));
}

async function open(host: FakeHost, hash: string) {
  location.hash = hash;
  useHost(host);
  const page = render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  return { page, user: userEvent.setup() };
}

afterEach(() => {
  location.hash = '';
});

describe('the settings', () => {
  it('keep the roles a person answers for', async () => {
    const host = project();
    const { page, user } = await open(host, '#/settings');
    await user.type(await screen.findByTestId('settings-roles'), ' legal, finance ,');
    await user.click(screen.getByTestId('settings-roles-save'));
    expect(host.called('settings.set')).toEqual([{ roles: ['legal', 'finance'] }]);
    await waitFor(() => expect(screen.getByTestId('settings-roles')).toHaveValue('legal, finance'));
    expect(screen.getByTestId('settings-roles-save')).toBeDisabled();
    expect(await findings(page.container)).toEqual([]);
  });

  it('show what is permitted from now on, and take it back', async () => {
    const host = project();
    const { user } = await open(host, '#/settings');
    const granted = within(await screen.findByTestId('settings-granted'));
    expect(granted.getByText('run npm publish')).toBeVisible();
    await user.click(granted.getAllByTestId('settings-revoke')[0] as HTMLElement);
    expect(host.called('settings.revoke')).toEqual([{ permission: 'run npm publish' }]);
    await waitFor(() => expect(granted.queryByText('run npm publish')).toBeNull());
    expect(granted.getByText('write dist')).toBeVisible();
  });

  it('say who the agents are and in what state the configuration is', async () => {
    await open(project(), '#/settings');
    expect(await screen.findByTestId('settings-agents')).toHaveTextContent('robot: runs a command sh robot.sh');
    expect(screen.getByTestId('settings-agents')).toHaveTextContent('Every other agent: simulated');
    expect(screen.getByTestId('settings-config')).toHaveTextContent('nothing in it is wrong');
  });
});

describe('the Inbox', () => {
  it('tells mine from all, and keeps the choice', async () => {
    localStorage.clear();
    const host = project()
      .on('inbox.list', () => ({
        waiting: [
          gateCard({ run_id: 'run-1', question: 'Does legal accept it?', role: 'legal', asks: ['legal'] }),
          gateCard({
            run_id: 'run-2',
            question: 'Is the money there?',
            role: 'finance',
            asks: ['finance'],
            mine: false,
          }),
        ],
        decided: [],
      }))
      .on('settings.get', () => ({ ...settings, roles: ['legal'] }))
      .on('gate.brief', () => gateBrief());
    const { user } = await open(host, '#/inbox');
    expect(await screen.findByRole('heading', { name: '2 decisions wait, 1 for you' })).toBeVisible();
    expect(screen.getAllByTestId('gate-card')).toHaveLength(2);
    expect(screen.getAllByTestId('gate-card')[1]).toHaveTextContent('asks finance');
    await user.click(screen.getByRole('radio', { name: /Mine/ }));
    expect(screen.getAllByTestId('gate-card')).toHaveLength(1);
    expect(screen.getByTestId('gate-card')).toHaveTextContent('asks legal');
    expect(localStorage.getItem('gatehouse.inbox.only')).toBe('mine');
    localStorage.clear();
  });
});

describe('the palette', () => {
  it('finds runs by workflow and subject where they are kept, and says which decision is which', async () => {
    const host = project().on('runs.find', ({ query }: { query: string }) => ({
      runs: query === 'supplier north' ? [runRow({ run_id: 'run-77', subject: 'Northwind Hosting AB' })] : [],
    }));
    const { user } = await open(host, '#/settings');
    await user.keyboard('{Control>}k{/Control}');
    const search = await screen.findByRole('combobox');
    expect(screen.getByText(/ready to build from\? · Shape a request · Northwind Hosting AB/)).toBeVisible();
    await user.type(search, 'supplier north');
    expect(await screen.findByText('Shape a request · Northwind Hosting AB · done')).toBeVisible();
    expect(host.called('runs.find')).toContainEqual({ query: 'supplier north', limit: 12 });
    await user.keyboard('{Enter}');
    await waitFor(() => expect(location.hash).toBe('#/run/run-77'));
  });
});
