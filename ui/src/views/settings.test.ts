import {
  useHost,
  type AgentDoes,
  type AgentsView,
  type AgentWork,
  type InboxView,
  type PeopleView,
  type SettingsForm,
  type Standing,
} from '$lib/api';
import { findings } from '$lib/axe';
import { gateBrief, gateCard, runRow, settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../App.svelte';
import { halfTyped, UnsavedForm, unsavedForms } from '$lib/unsaved.svelte';
import { toasts } from '$lib/ui/toasts.svelte';

const known = {
  ...settings,
  granted: ['run npm publish', 'write dist'],
};

const agent = (over: Partial<AgentWork>): AgentWork => ({
  name: '*',
  does: 'unsaid',
  run: '',
  model: '',
  otherwise: 'Nobody yet',
  named_in: [],
  ...over,
});

const crew: AgentsView = {
  revision: 'r1',
  writable: true,
  agents: [
    agent({ name: 'author', label: 'author', named_in: ['Plan', 'Offer', 'Contract', 'Letter'] }),
    agent({ name: 'robot', label: 'robot', does: 'shell', run: 'sh robot.sh', model: 'm of p' }),
    agent({}),
  ],
};

const inbox = (waiting: InboxView['waiting']): InboxView => ({
  waiting,
  decided: [],
  first_try: null,
});

function project(): FakeHost {
  return new FakeHost()
    .on('settings.get', () => known)
    .on('settings.set', ({ roles }: { roles: string[] }) => ({ ...known, roles }))
    .on('settings.revoke', ({ permission }: { permission: string }) => ({
      ...known,
      granted: known.granted.filter((one) => one !== permission),
    }))
    .on('agents.get', () => crew)
    .on('inbox.list', () => inbox([gateCard({ subject: 'Northwind Hosting AB' })]))
    .on('people.list', () => people('unconfirmed'))
    .on('library.list', () => ({ project: 'p', folders: [], unreadable: [] }));
}

const anna = 'ab12'.repeat(16);
const people = (standing: Standing): PeopleView => ({
  own: { name: 'Reviewer', fingerprint: 'FFFF '.repeat(16).trim() },
  people: [
    {
      name: 'Anna',
      key: anna,
      key_short: 'AB12…12',
      fingerprint: 'AB12 '.repeat(16).trim(),
      decisions: 2,
      rehearsed: 0,
      first_seen: 1_760_000_000_000,
      last_seen: 1_770_000_000_000,
      standing,
      words: 'What is known of the key of Anna.',
    },
  ],
});

async function open(host: FakeHost, hash: string) {
  location.hash = hash;
  useHost(host);
  const page = render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  return { page, user: userEvent.setup() };
}

afterEach(() => {
  location.hash = '';
  unsavedForms.clear();
  toasts.list = [];
});

describe('trust in a folder', () => {
  const trusting = (trust: { trusted: boolean; asked: boolean; bare?: boolean; lost?: string | null }) => {
    let now = trust;
    return project()
      .on('settings.get', () => ({ ...known, trust: now }))
      .on('project.trust', ({ trust: given }: { trust: boolean }) => {
        now = { trusted: given, asked: true, lost: null };
        return { ...known, trust: now };
      });
  };

  it('is asked for once, says what it allows, and is given', async () => {
    const host = trusting({ trusted: false, asked: false });
    const { page, user } = await open(host, '#/inbox');
    const bar = screen.getByTestId('trust-bar');
    expect(bar).toHaveTextContent('Do you trust whoever made “invoices”?');
    expect(bar).toHaveTextContent('start programs on this computer');
    expect(screen.getByTestId('restricted')).toBeVisible();
    expect(await findings(page.container)).toEqual([]);
    await user.click(screen.getByTestId('trust-yes'));
    expect(host.called('project.trust')).toEqual([{ trust: true }]);
    await waitFor(() => expect(screen.queryByTestId('trust-bar')).toBeNull());
    expect(screen.queryByTestId('restricted')).toBeNull();
  });

  it('is not asked for where nothing lies that could run, until something does', async () => {
    const host = trusting({ trusted: false, asked: false, bare: true });
    await open(host, '#/inbox');
    expect(screen.queryByTestId('trust-bar')).toBeNull();
    expect(screen.queryByTestId('restricted')).toBeNull();
    host.on('settings.get', () => ({ ...known, trust: { trusted: false, asked: false, lost: null } }));
    host.send({ kind: 'library' });
    expect(await screen.findByTestId('trust-bar')).toBeVisible();
    expect(screen.getByTestId('restricted')).toBeVisible();
  });

  it('is not asked for again after a no, and the window keeps saying that nothing runs', async () => {
    const { user } = await open(trusting({ trusted: false, asked: false }), '#/inbox');
    await user.click(screen.getByTestId('trust-no'));
    await waitFor(() => expect(screen.queryByTestId('trust-bar')).toBeNull());
    expect(screen.getByTestId('restricted')).toHaveTextContent('nothing runs');
  });

  it('leaves a run in a low window its room: what it allows first, the rest unfolded', async () => {
    const { page, user } = await open(trusting({ trusted: false, asked: false }), '#/run/run-1');
    const bar = screen.getByTestId('trust-bar');
    expect(bar).toHaveTextContent('Trusting it lets its workflows start programs on this computer in your name.');
    expect(bar).not.toHaveTextContent('gatehouse.yaml');
    await user.click(screen.getByTestId('trust-more'));
    expect(screen.getByTestId('trust-more')).toHaveAttribute('aria-expanded', 'true');
    expect(bar).toHaveTextContent('within the rules of its gatehouse.yaml');
    expect(await findings(page.container)).toEqual([]);
    // Elsewhere there is room for all of it.
    location.hash = '#/settings';
    await waitFor(() => expect(screen.queryByTestId('trust-more')).toBeNull());
    expect(bar).toHaveTextContent('within the rules of its gatehouse.yaml');
  });

  it('never folds why a folder is asked about again', async () => {
    const lost = 'It is not the same folder any more.';
    await open(trusting({ trusted: false, asked: false, lost }), '#/run/run-1');
    expect(screen.getByTestId('trust-lost')).toHaveTextContent(lost);
    expect(screen.getByTestId('trust-bar')).toHaveTextContent('within the rules of its gatehouse.yaml');
  });

  it('says why a folder that was trusted is asked about again', async () => {
    const lost = 'This folder was trusted as /home/anna/contracts; it is not the same folder any more.';
    await open(trusting({ trusted: false, asked: false, lost }), '#/inbox');
    expect(screen.getByTestId('trust-lost')).toHaveTextContent(lost);
  });

  it('is given and taken back in the settings', async () => {
    const host = trusting({ trusted: false, asked: true });
    const { user } = await open(host, '#/settings');
    expect(screen.queryByTestId('trust-bar')).toBeNull();
    await user.click(await screen.findByTestId('settings-do-trust'));
    await user.click(await screen.findByTestId('settings-distrust'));
    expect(host.called('project.trust')).toEqual([{ trust: true }, { trust: false }]);
    expect(await screen.findByTestId('settings-do-trust')).toBeVisible();
  });
});

describe('people and their keys', () => {
  it('are confirmed once the fingerprint was compared', async () => {
    const host = project().on('people.confirm', () => people('confirmed'));
    const { page, user } = await open(host, '#/settings');
    const person = await screen.findByTestId('person');
    expect(person).toHaveTextContent('Not confirmed');
    expect(within(person).getByTestId('fingerprint')).toHaveTextContent('AB12 AB12 AB12 AB12');
    expect(await findings(page.container)).toEqual([]);
    await user.click(within(person).getByTestId('person-confirm'));
    await user.click(await screen.findByTestId('confirm-key'));
    expect(host.called('people.confirm')).toEqual([{ key: anna, name: 'Anna' }]);
    await waitFor(() => expect(screen.getByTestId('person')).not.toHaveTextContent('Not confirmed'));
  });

  it('are told to have one key where several names sign with it', async () => {
    const [one] = people('unconfirmed').people;
    if (!one) throw new Error('one');
    const named = (name: string, key = anna) => ({ ...one, name, key });
    const host = project().on('people.list', () => ({
      ...people('unconfirmed'),
      people: [named('Anna'), named('Bo', 'cd34'.repeat(16)), named('Ann')],
    }));
    const { page } = await open(host, '#/settings');
    const rows = (await screen.findAllByTestId('person')).map((row) => within(row));
    expect(rows.map((row) => row.queryByTestId('same-key')?.textContent ?? null)).toEqual([
      expect.stringContaining('The same key as “Ann”'),
      expect.stringContaining('The same key as “Anna”'),
      null,
    ]);
    // It is shown once, with the first of its names.
    expect(rows.map((row) => row.queryAllByTestId('fingerprint').length)).toEqual([1, 0, 1]);
    expect(await findings(page.container)).toEqual([]);
  });

  it('are revoked from a day on, with a reason', async () => {
    const host = project().on('people.revoke', () => people('revoked'));
    const { user } = await open(host, '#/settings');
    await user.click(await screen.findByTestId('person-revoke'));
    await user.click(await screen.findByTestId('revoke-key'));
    expect(host.called('people.revoke')).toEqual([]);
    await user.type(screen.getByTestId('revoke-why'), 'The laptop was stolen.');
    await user.type(screen.getByTestId('revoke-from'), '2026-03-01');
    await user.click(screen.getByTestId('revoke-key'));
    const from = Date.UTC(2026, 2, 1);
    expect(host.called('people.revoke')).toEqual([{ key: anna, why: 'The laptop was stolen.', from }]);
    await waitFor(() => expect(screen.getByTestId('person')).toHaveTextContent('Revoked'));
  });
});

describe('the settings', () => {
  it('keep the roles a person answers for, as they are kept', async () => {
    // What stands between them is told apart by the core.
    const host = project().on('settings.set', () => ({ ...known, roles: ['legal', 'finance'] }));
    const { page, user } = await open(host, '#/settings');
    await user.type(await screen.findByTestId('settings-roles'), ' legal; finance ,');
    await user.click(screen.getByTestId('settings-roles-save'));
    expect(host.called('settings.set')).toEqual([{ roles: [' legal; finance ,'] }]);
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

  it('say in what state the configuration is', async () => {
    await open(project(), '#/settings');
    expect(await screen.findByTestId('settings-config')).toHaveTextContent('nothing in it is wrong');
  });

  it('say who does the work of every agent, and change it one by one', async () => {
    let now = crew;
    const host = project().on('agents.set', ({ name, does, run }: { name: string; does: AgentDoes; run?: string }) => {
      const agents = now.agents.map((one) => (one.name === name ? { ...one, does, run: run ?? '' } : one));
      return (now = { ...now, revision: 'r2', agents });
    });
    const { page, user } = await open(host, '#/settings');
    const rows = await screen.findAllByTestId('agent');
    const [author, robot, every] = rows.map((row) => within(row));
    if (!author || !robot || !every) throw new Error('three rows');
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining('Named in Plan, Offer, Contract and 1 more'),
      expect.stringContaining('No workflow names it.'),
      expect.stringContaining('Every other agent'),
    ]);
    expect(robot.getByTestId('agent-run')).toHaveValue('sh robot.sh');
    expect(robot.getByTestId('agent-run')).toHaveAccessibleDescription(/told to use m of p/);
    expect(screen.queryByTestId('agent-save')).toBeNull();

    // What is chosen in one line stays while another one is saved.
    await user.selectOptions(every.getByTestId('agent-does'), 'command');
    expect(every.getByTestId('agent-unsaved')).toHaveTextContent('Not saved yet');
    expect(every.getByTestId('agent-save')).toBeDisabled();
    await user.selectOptions(author.getByTestId('agent-does'), 'person');
    await user.click(author.getByTestId('agent-save'));
    expect(host.called('agents.set')).toEqual([{ revision: 'r1', name: 'author', does: 'person' }]);
    await waitFor(() => expect(author.queryByTestId('agent-save')).toBeNull());
    expect(author.getByTestId('agent-does')).toHaveValue('person');
    await user.type(every.getByTestId('agent-run'), ' python3 a.py ');
    await user.click(every.getByTestId('agent-save'));
    expect(host.called('agents.set').at(-1)).toEqual({
      revision: 'r2',
      name: '*',
      does: 'command',
      run: 'python3 a.py',
    });
    await waitFor(() => expect(screen.queryByTestId('agent-save')).toBeNull());
    expect(await findings(page.container)).toEqual([]);
  });

  it('take up what the file says meanwhile where nobody has touched a line', async () => {
    let now = crew;
    const elsewhere: AgentWork[] = crew.agents.map((one) =>
      one.name === 'robot' ? { ...one, does: 'person', run: '' } : one,
    );
    const host = project()
      .on('agents.get', () => now)
      .on('agents.set', () => {
        throw { code: 'settings_changed', message: 'gatehouse.yaml was changed meanwhile.' };
      });
    const { user } = await open(host, '#/settings');
    const [author, robot] = (await screen.findAllByTestId('agent')).map((row) => within(row));
    if (!author || !robot) throw new Error('two rows');
    await user.selectOptions(author.getByTestId('agent-does'), 'person');
    now = { ...crew, revision: 'r2', agents: elsewhere };
    await user.click(author.getByTestId('agent-save'));
    await user.click(await within(screen.getByTestId('settings-agents')).findByRole('button', { name: /again/i }));
    await waitFor(() => expect(robot.getByTestId('agent-does')).toHaveValue('person'));
    expect(robot.queryByTestId('agent-save')).toBeNull();
    expect(author.getByTestId('agent-does')).toHaveValue('person');
    expect(author.getByTestId('agent-save')).toBeEnabled();
  });

  it('find one of many agents by its name, or by a workflow that names it', async () => {
    const many = Array.from({ length: 30 }, (_, n) =>
      agent({ name: `agent-${n}`, label: `agent-${n}`, named_in: [`Work ${n}`] }),
    );
    const { user } = await open(
      project().on('agents.get', () => ({ ...crew, agents: [...many, agent({})] })),
      '#/settings',
    );
    const all = await screen.findByTestId('agents-all');
    await user.click(within(all).getByText(/30 agents/));
    const shown = () =>
      within(all)
        .getAllByTestId('agent')
        .map((row) => row.dataset.agent);
    expect(shown()).toHaveLength(31);
    expect(all).toHaveTextContent('All that no line above says anything of.');
    await user.type(within(all).getByTestId('agents-find'), 'work 17');
    expect(shown()).toEqual(['agent-17', '*']);
    // The other lines are out of sight; they still say something.
    expect(all).not.toHaveTextContent('All that no line above');
    await user.type(within(all).getByTestId('agents-find'), 'x');
    expect(shown()).toEqual(['*']);
    expect(all).toHaveTextContent('is called “work 17x”');
  });

  it('write nothing where the file cannot be used', async () => {
    const broken = { ...crew, agents: [], writable: false, fault: 'gatehouse.yaml:2: no value' };
    await open(
      project().on('agents.get', () => broken),
      '#/settings',
    );
    const card = await screen.findByTestId('settings-agents');
    await waitFor(() => expect(card).toHaveTextContent('gatehouse.yaml:2: no value'));
    expect(screen.queryByTestId('agent')).toBeNull();
  });
});

describe('what is typed in the settings and not saved', () => {
  const context = (value: string, revision = 'c1'): SettingsForm => ({
    revision,
    writable: true,
    fields: [
      { id: 'quality.goal', section: 'Quality', label: 'Goal', help: '', control: { kind: 'text' }, value },
      { id: 'quality.tone', section: 'Quality', label: 'Tone', help: '', control: { kind: 'text' }, value: 'calm' },
    ],
    more: [],
  });
  const go = async (hash: string, testid: string) => {
    location.hash = hash;
    return await screen.findByTestId(testid);
  };

  it('is kept while the window is open, which says so when the page is left', async () => {
    const host = project().on('context.get', () => context('none'));
    const { user } = await open(host, '#/settings');
    await user.type(await screen.findByTestId('settings-roles'), 'legal');
    await user.type(await screen.findByTestId('context-quality.goal'), ' yet');
    const robot = within((await screen.findAllByTestId('agent'))[1] as HTMLElement);
    await user.type(robot.getByTestId('agent-run'), ' --all');

    await go('#/inbox', 'gate-card');
    const told = await screen.findByTestId('toast');
    expect(told).toHaveTextContent('What you changed in the settings is not saved.');
    expect(within(told).getByRole('link')).toHaveAttribute('href', '#/settings');
    const closing = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(true);

    expect(await go('#/settings', 'context-quality.goal')).toHaveValue('none yet');
    expect(screen.getByTestId('settings-context')).toHaveTextContent('What you typed is not saved yet.');
    expect(screen.getByTestId('settings-roles')).toHaveValue('legal');
    expect(screen.queryByTestId('toast')).toBeNull();
    const again = within((await screen.findAllByTestId('agent'))[1] as HTMLElement);
    expect(again.getByTestId('agent-run')).toHaveValue('sh robot.sh --all');
    expect(again.getByTestId('agent-save')).toBeEnabled();
  });

  it('is asked for as well where a field was taken away while something was being typed in it', async () => {
    await open(project(), '#/settings');
    const closing = () => {
      const event = new Event('beforeunload', { cancelable: true });
      window.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(closing()).toBe(false);
    halfTyped.set('a field', 'half a wo');
    expect(closing()).toBe(true);
    halfTyped.clear();
  });

  it('is nothing any more once it is saved or typed back', async () => {
    const host = project()
      .on('context.get', () => context('none'))
      .on('context.set', ({ values }: { values: Record<string, string> }) =>
        context(values['quality.goal'] ?? '', 'c2'),
      );
    const { user } = await open(host, '#/settings');
    await user.type(await screen.findByTestId('context-quality.goal'), ' yet');
    await user.click(screen.getByTestId('context-save'));
    await waitFor(() => expect(screen.getByTestId('context-save')).toBeDisabled());
    await user.type(screen.getByTestId('settings-roles'), 'x{Backspace}');
    await waitFor(() => expect(unsavedForms.size).toBe(0));
    toasts.list = [];
    await go('#/inbox', 'gate-card');
    expect(screen.queryByTestId('toast')).toBeNull();
  });

  it('stays when the file was changed meanwhile and is read again', async () => {
    let now = context('none');
    const host = project()
      .on('context.get', () => now)
      .on('context.set', () => {
        throw { code: 'settings_changed', message: 'gatehouse.yaml was changed meanwhile.' };
      });
    const { user } = await open(host, '#/settings');
    await user.type(await screen.findByTestId('context-quality.goal'), ' yet');
    now = {
      ...context('none', 'c2'),
      fields: now.fields.map((one) => (one.label === 'Tone' ? { ...one, value: 'dry' } : one)),
    };
    await user.click(screen.getByTestId('context-save'));
    await user.click(await within(screen.getByTestId('settings-context')).findByRole('button', { name: /again/i }));
    await waitFor(() => expect(screen.getByTestId('context-quality.tone')).toHaveValue('dry'));
    expect(screen.getByTestId('context-quality.goal')).toHaveValue('none yet');
    expect(screen.getByTestId('context-save')).toBeEnabled();
  });

  /** As far as the file can be read: a fault leaves no agent, and every field empty. */
  const broken = 'gatehouse.yaml:2: no value';
  const noAgents: AgentsView = { ...crew, agents: [], writable: false, fault: broken };
  const noContext: SettingsForm = {
    ...context(''),
    fields: context('').fields.map((one) => ({ ...one, value: '' })),
    writable: false,
    fault: broken,
  };
  const rowOf = async (name: string) => {
    const rows = await screen.findAllByTestId('agent');
    return within(rows.find((row) => row.dataset.agent === name) as HTMLElement);
  };

  it('is kept while the file cannot be read, a field that was cleared too', async () => {
    let faulty = false;
    const host = project()
      .on('agents.get', () => (faulty ? noAgents : crew))
      .on('context.get', () => (faulty ? noContext : context('none')));
    const { page, user } = await open(host, '#/settings');
    await user.clear(await screen.findByTestId('context-quality.goal'));
    await user.type((await rowOf('robot')).getByTestId('agent-run'), ' --all');
    await go('#/inbox', 'gate-card');

    faulty = true;
    for (const card of ['settings-agents', 'settings-context']) {
      await waitFor(async () => expect(await go('#/settings', card)).toHaveTextContent(broken));
      expect(screen.getByTestId(card)).toHaveTextContent('What you changed here and did not save is kept.');
    }
    expect(await findings(page.container)).toEqual([]);
    await go('#/inbox', 'gate-card');
    expect(await screen.findByTestId('toast')).toHaveTextContent('not saved');

    faulty = false;
    expect(await go('#/settings', 'context-quality.goal')).toHaveValue('');
    expect(screen.getByTestId('context-quality.tone')).toHaveValue('calm');
    expect(screen.getByTestId('context-save')).toBeEnabled();
    expect((await rowOf('robot')).getByTestId('agent-run')).toHaveValue('sh robot.sh --all');
  });

  it('is kept of an agent that is not listed any more, until it is or somebody discards it', async () => {
    let now = crew;
    const host = project()
      .on('context.get', () => context('none'))
      .on('agents.get', () => now);
    const { page, user } = await open(host, '#/settings');
    await user.selectOptions((await rowOf('author')).getByTestId('agent-does'), 'person');
    await user.type((await rowOf('robot')).getByTestId('agent-run'), ' --all');
    const back = async (agents: AgentWork[]) => {
      await go('#/inbox', 'gate-card');
      now = { ...crew, agents };
      await go('#/settings', 'context-save');
    };

    const without = crew.agents.filter((one) => one.name !== 'robot');
    await back(without);
    expect(await screen.findByTestId('kept-note')).toHaveTextContent('No longer in this list: robot.');
    expect(await findings(page.container)).toEqual([]);
    // What happens to another line is nothing to it.
    await user.selectOptions((await rowOf('author')).getByTestId('agent-does'), 'unsaid');
    await back(crew.agents);
    expect(screen.queryByTestId('kept-note')).toBeNull();
    expect((await rowOf('robot')).getByTestId('agent-run')).toHaveValue('sh robot.sh --all');

    await back(without);
    await user.click(await screen.findByTestId('kept-discard'));
    expect(screen.queryByTestId('kept-note')).toBeNull();
    expect(unsavedForms.size).toBe(0);
    expect(screen.getByTestId('toast')).toHaveTextContent(`What you chose for robot in ${known.project}`);
    await user.click(within(screen.getByTestId('toast')).getByRole('button', { name: 'Undo' }));
    expect(await screen.findByTestId('kept-note')).toBeVisible();
  });

  it('of another folder is named where somebody looks for it, and warns only when it would be lost', async () => {
    let folder = known.project;
    const host = project()
      .on('context.get', () => context('none'))
      .on('settings.get', () => ({ ...known, project: folder }));
    const { page, user } = await open(host, '#/settings');
    await user.type(await screen.findByTestId('context-quality.goal'), ' yet');
    const closing = () => {
      const event = new Event('beforeunload', { cancelable: true });
      window.dispatchEvent(event);
      return event.defaultPrevented;
    };

    folder = '/home/ada/offers';
    host.send({ kind: 'settings' });
    const note = await screen.findByTestId('kept-note');
    expect(note).toHaveTextContent('the settings of /home/ada/invoices is not saved');
    await waitFor(() => expect(screen.getByTestId('context-quality.goal')).toHaveValue('none'));
    expect(await findings(page.container)).toEqual([]);
    await go('#/inbox', 'gate-card');
    await new Promise((done) => setTimeout(done));
    expect(screen.queryByTestId('toast')).toBeNull();
    // Closing the window loses it: whoever stays is told where it is.
    expect(closing()).toBe(true);
    expect(within(await screen.findByTestId('toast')).getByRole('link')).toHaveAttribute('href', '#/settings');

    await go('#/settings', 'kept-note');
    expect(screen.queryByTestId('toast')).toBeNull();
    await user.click(screen.getByTestId('kept-discard'));
    expect(screen.queryByTestId('kept-note')).toBeNull();
    expect(closing()).toBe(false);
    await user.click(within(screen.getByTestId('toast')).getByRole('button', { name: 'Undo' }));
    expect(closing()).toBe(true);
    folder = known.project;
    host.send({ kind: 'settings' });
    await waitFor(() => expect(screen.getByTestId('context-quality.goal')).toHaveValue('none yet'));
    expect(screen.queryByTestId('kept-note')).toBeNull();
  });

  it('of two other folders is discarded and brought back each for itself', async () => {
    const of = (folder: string) => new UnsavedForm<string>('context', folder);
    const [invoices, plans] = [of('/home/ada/invoices'), of('/home/ada/plans')];
    invoices.keep({ goal: 'none yet' }, []);
    plans.keep({ goal: 'a plan' }, []);
    const host = project().on('settings.get', () => ({ ...known, project: '/home/ada/offers' }));
    const { user } = await open(host, '#/settings');
    await user.click((await screen.findAllByTestId('kept-discard'))[0] as HTMLElement);
    await user.click(screen.getByTestId('kept-discard'));
    expect(unsavedForms.size).toBe(0);
    const toast = screen
      .getAllByTestId('toast')
      .find((one) => one.textContent.includes('in the settings of /home/ada/invoices is discarded')) as HTMLElement;
    await user.click(within(toast).getByTestId('toast-act'));
    expect([invoices.fields, plans.fields]).toEqual([{ goal: 'none yet' }, {}]);
    await user.click(screen.getByTestId('toast-act'));
    expect(plans.fields).toEqual({ goal: 'a plan' });
  });

  describe('and is on its way when the page is left', () => {
    let saved = () => {};
    let refused = () => {};
    const slow =
      <Change, Answer>(answer: (change: Change) => Answer) =>
      (change: Change) =>
        new Promise<Answer>((resolve, reject) => {
          saved = () => resolve(answer(change));
          refused = () => reject(new Error('The disk is full.'));
        });

    it('is nothing any more once it is saved', async () => {
      let now = context('none');
      const host = project()
        .on('context.get', () => now)
        .on(
          'context.set',
          slow(({ values }: { values: Record<string, string> }) => (now = context(values['quality.goal'] ?? '', 'c2'))),
        );
      const { user } = await open(host, '#/settings');
      await user.type(await screen.findByTestId('context-quality.goal'), ' yet ');
      await user.click(screen.getByTestId('context-save'));
      await go('#/inbox', 'gate-card');
      saved();
      await waitFor(() => expect(unsavedForms.size).toBe(0));
      expect(await screen.findByTestId('toast')).toHaveTextContent('Written into gatehouse.yaml.');
      expect(await go('#/settings', 'context-quality.goal')).toHaveValue('none yet');
      expect(screen.getByTestId('context-save')).toBeDisabled();
    });

    it('is not shown as it was before by whoever is back first', async () => {
      let now = crew;
      const host = project()
        .on('context.get', () => context('none'))
        .on('agents.get', () => now)
        .on(
          'agents.set',
          slow(
            () =>
              (now = {
                ...crew,
                agents: crew.agents.map((one) => (one.name === 'author' ? { ...one, does: 'person' as const } : one)),
              }),
          ),
        );
      const { user } = await open(host, '#/settings');
      const author = await rowOf('author');
      await user.selectOptions(author.getByTestId('agent-does'), 'person');
      await user.click(author.getByTestId('agent-save'));
      await go('#/inbox', 'gate-card');
      await go('#/settings', 'context-save');
      saved();
      expect((await rowOf('author')).getByTestId('agent-does')).toHaveValue('person');
      expect(screen.queryByTestId('agent-save')).toBeNull();
      expect(unsavedForms.size).toBe(0);
    });

    it('is kept, and said to be, where it is refused', async () => {
      const host = project()
        .on('context.get', () => context('none'))
        .on(
          'settings.set',
          slow(() => known),
        );
      const { user } = await open(host, '#/settings');
      await user.type(await screen.findByTestId('settings-roles'), 'legal');
      await user.click(screen.getByTestId('settings-roles-save'));
      await go('#/inbox', 'gate-card');
      await new Promise((done) => setTimeout(done));
      expect(screen.queryByTestId('toast')).toBeNull();
      refused();
      expect(await screen.findByText('What you changed in the settings is not saved.', { exact: false })).toBeVisible();
      expect(await go('#/settings', 'settings-roles')).toHaveValue('legal');
    });
  });

  it('of many agents is in sight when somebody comes back to it', async () => {
    const many = Array.from({ length: 30 }, (_, n) => agent({ name: `agent-${n}`, label: `agent-${n}` }));
    const host = project().on('agents.get', () => ({ ...crew, agents: [...many, agent({})] }));
    const { user } = await open(host, '#/settings');
    await user.click(within(await screen.findByTestId('agents-all')).getByText(/30 agents/));
    await user.selectOptions(screen.getAllByTestId('agent-does')[17] as HTMLElement, 'person');
    await go('#/inbox', 'gate-card');
    expect(await go('#/settings', 'agents-all')).toHaveAttribute('open');
    expect(screen.getAllByTestId('agent-does')[17]).toHaveValue('person');
  });
});

describe('the Inbox', () => {
  it('tells mine from all, and keeps the choice', async () => {
    localStorage.clear();
    const host = project()
      .on('inbox.list', () =>
        inbox([
          gateCard({ run_id: 'run-1', question: 'Does legal accept it?', role: 'legal', asks: ['legal'] }),
          gateCard({
            run_id: 'run-2',
            question: 'Is the money there?',
            role: 'finance',
            asks: ['finance'],
            mine: false,
          }),
        ]),
      )
      .on('settings.get', () => ({ ...settings, roles: ['legal'] }))
      .on('gate.brief', () => gateBrief());
    const { user } = await open(host, '#/inbox');
    expect(await screen.findByRole('heading', { name: '1 question waits for you' })).toBeVisible();
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
  const search = async (user: ReturnType<typeof userEvent.setup>, words: string) => {
    await user.keyboard('{Control>}k{/Control}');
    await user.type(within(await screen.findByRole('dialog')).getByRole('combobox'), words);
  };

  it('says that it still searches, and only then that nothing fits', async () => {
    let answer: () => void = () => {};
    const host = project().on('runs.find', () => new Promise((found) => (answer = () => found({ runs: [] }))));
    const { user } = await open(host, '#/settings');
    await search(user, 'zzz');
    expect(await screen.findByText('Searching the runs…')).toBeVisible();
    await waitFor(() => expect(host.called('runs.find')).toContainEqual({ query: 'zzz', limit: 12 }));
    expect(screen.queryByText(/Nothing matches/)).toBeNull();
    answer();
    expect(await screen.findByText('Nothing matches “zzz”.')).toBeVisible();
  });

  it('says why the runs could not be searched', async () => {
    const host = project().on('runs.find', () => {
      throw { code: 'store_locked', message: 'The history is in use.', hint: null };
    });
    const { user } = await open(host, '#/settings');
    await search(user, 'zzz');
    expect(await screen.findByText('The runs could not be searched: The history is in use.')).toBeVisible();
  });

  it('says of a run that it is a rehearsal', async () => {
    const host = project().on('runs.find', () => ({ runs: [runRow({ rehearsal: true })] }));
    const { user } = await open(host, '#/settings');
    await search(user, 'shape');
    expect(await screen.findByText(/^Rehearsal · Shape a request · done/)).toBeVisible();
  });

  it('finds runs by workflow and subject where they are kept, and says which decision is which', async () => {
    const host = project().on('runs.find', ({ query }: { query: string }) => ({
      runs: query === 'supplier north' ? [runRow({ run_id: 'run-77', subject: 'Northwind Hosting AB' })] : [],
    }));
    const { user } = await open(host, '#/settings');
    await user.keyboard('{Control>}k{/Control}');
    const search = within(await screen.findByRole('dialog')).getByRole('combobox');
    expect(screen.getByText(/ready to build from\? · Shape a request · Northwind Hosting AB/)).toBeVisible();
    await user.type(search, 'supplier north');
    // Two runs without a subject differ in when they began.
    expect(await screen.findByText(/^Shape a request · Northwind Hosting AB · done · .*2026/)).toBeVisible();
    expect(host.called('runs.find')).toContainEqual({ query: 'supplier north', limit: 12 });
    await user.keyboard('{Enter}');
    await waitFor(() => expect(location.hash).toBe('#/run/run-77'));
  });
});
