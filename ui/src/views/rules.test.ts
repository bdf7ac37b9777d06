import {
  useHost,
  type GatePolicyView,
  type GuardrailsChange,
  type GuardrailsView,
  type PermissionsChange,
  type PermissionsView,
  type SettingsField,
  type TriedCommand,
  type TriedText,
} from '$lib/api';
import { findings } from '$lib/axe';
import { settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import { unsavedForms } from '$lib/unsaved.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../App.svelte';

const field = (over: Partial<SettingsField>): SettingsField => ({
  id: 'enabled',
  section: 'All of it',
  label: 'Do these rules hold?',
  help: '',
  control: {
    kind: 'choice',
    words: [
      { word: 'true', label: 'Yes, they hold' },
      { word: 'false', label: 'No, nothing is looked for' },
    ],
    unsaid: 'Not said',
  },
  value: 'true',
  ...over,
});
const follows = (id: string, label: string): SettingsField =>
  field({
    id,
    section: 'Personal data',
    label,
    value: '',
    control: {
      kind: 'choice',
      words: [
        { word: 'block', label: 'The step fails' },
        { word: 'off', label: 'It is not looked for' },
      ],
      unsaid: 'Not said: the step fails',
    },
  });

const guardrails: GuardrailsView = {
  revision: 'g1',
  words: 'They hold for what goes into every step and for what comes out of it.',
  fields: [
    field({}),
    follows('pii.patterns.email', 'Mail addresses'),
    field({ id: 'rules.blocklist', section: 'Own', label: 'Words', control: { kind: 'texts' }, value: 'rm -rf' }),
  ],
  more: ['inputs'],
  writable: true,
};
const permissions: PermissionsView = {
  revision: 'p1',
  fields: [field({ id: 'mode', section: 'Where no rule says anything', label: 'What no rule speaks of', value: '' })],
  rules: [
    { of: 'run', answer: 'deny', pattern: 'curl *', words: 'Running `curl *` is refused, whoever says yes.' },
    { of: 'run', answer: 'allow', pattern: 'npm test', words: 'Running `npm test` is let through.' },
  ],
  more: [],
  writable: true,
};
const gates: GatePolicyView = {
  revision: 'h1',
  words: ['`hitl.mode` is “off”, and any word but `blocking` takes every gate away.'],
  fields: [
    field({ id: 'required_phases', section: 'Where', label: 'Phases', control: { kind: 'texts' }, value: 'Plan' }),
  ],
  more: ['hitl.mode'],
  writable: true,
};
const triedText: TriedText = {
  words: 'A step with this text fails.',
  reports: [
    {
      name: 'Output check',
      status: 'failed',
      words: '1 thing was found that may not stand there',
      findings: [{ kind: 'personal data', rule: 'email', found: 'a•••@x.org', source: 'the text', blocks: true }],
    },
  ],
};
const triedCommand: TriedCommand = {
  words: 'The step fails, and nothing of it is run.',
  verdict: 'refused',
  needs: [
    { words: 'run `curl x.org`', verdict: 'refused', by: 'deny rule `curl *`' },
    { words: 'run `npm test`', verdict: 'allowed', by: 'allow rule `npm test`' },
  ],
};

function project(): FakeHost {
  return new FakeHost()
    .on('settings.get', () => settings)
    .on('agents.get', () => ({ revision: 'a1', agents: [], writable: true }))
    .on('context.get', () => ({ revision: 'c1', fields: [], more: [], writable: true }))
    .on('people.list', () => ({ own: { name: 'R', fingerprint: '' }, people: [] }))
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('guardrails.get', () => guardrails)
    .on('guardrails.set', () => ({ ...guardrails, revision: 'g2' }))
    .on('guardrails.try', () => triedText)
    .on('permissions.get', () => permissions)
    .on('permissions.set', () => permissions)
    .on('permissions.try', () => triedCommand)
    .on('gates.get', () => gates)
    .on('gates.set', () => ({ ...gates, revision: 'h2' }));
}

async function open(host: FakeHost, hash = '#/settings?at=rules') {
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

const FAULT = 'gatehouse.yaml cannot be used: line 2: no value.';

describe('what texts must not hold', () => {
  it('is told, and changed field by field', async () => {
    const host = project();
    const { page, user } = await open(host);
    expect(await screen.findByTestId('guardrails-words')).toHaveTextContent('They hold for what goes into every step');
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Rules of this project');
    expect(screen.getByTestId('settings-guardrails')).toHaveTextContent('What else gatehouse.yaml says');
    expect(await findings(page.container)).toEqual([]);
    await user.selectOptions(screen.getByTestId('guardrails-pii.patterns.email'), 'off');
    await user.click(screen.getByTestId('guardrails-save'));
    const change: GuardrailsChange = { revision: 'g1', values: { 'pii.patterns.email': 'off' } };
    expect(host.called('guardrails.set')).toEqual([change]);
    await waitFor(() => expect(screen.getByTestId('guardrails-save')).toBeDisabled());
  });

  it('takes a pattern of the project’s own, and says beside it why it cannot', async () => {
    const host = project().on('guardrails.set', () => {
      throw { code: 'edit_refused', message: 'gatehouse.yaml was not changed: `[` is no pattern.' };
    });
    const { user } = await open(host);
    expect(await screen.findByTestId('guardrails-add')).toBeDisabled();
    await user.type(screen.getByTestId('guardrails-add-name'), ' ticket ');
    await user.type(screen.getByTestId('guardrails-add-pattern'), '[[');
    await user.click(screen.getByTestId('guardrails-add'));
    expect(await screen.findByRole('alert')).toHaveTextContent('is no pattern');
    expect(screen.getByTestId('guardrails-add-pattern')).toHaveValue('[');
    host.on('guardrails.set', () => ({ ...guardrails, revision: 'g2' }));
    await user.click(screen.getByTestId('guardrails-add'));
    await waitFor(() => expect(screen.getByTestId('guardrails-add-name')).toHaveValue(''));
    expect(screen.queryByRole('alert')).toBeNull();
    const change: GuardrailsChange = { revision: 'g1', values: {}, add: { name: 'ticket', pattern: '[' } };
    expect(host.called('guardrails.set')).toEqual([change, change]);
  });

  it('asks first whether anything holds where nothing is written', async () => {
    const none = { ...guardrails, words: 'They do not hold.', fields: [field({ value: '' })], more: [] };
    await open(project().on('guardrails.get', () => none));
    expect(await screen.findByTestId('guardrails-enabled')).toHaveValue('');
    expect(screen.queryByTestId('guardrails-add')).toBeNull();
  });

  it('finds in a text what the project’s rules find, and says it of that text alone', async () => {
    const host = project();
    const { page, user } = await open(host);
    await user.type(await screen.findByTestId('guardrails-text'), 'anna@x.org');
    await user.click(screen.getByTestId('guardrails-try'));
    const said = screen.getByTestId('guardrails-tried');
    await waitFor(() => expect(said).toHaveTextContent('A step with this text fails.'));
    expect(said).toHaveAttribute('role', 'status');
    expect(said).toHaveTextContent('personal data (email) in the text: stops the step');
    expect(host.called('guardrails.try')).toEqual([{ text: 'anna@x.org' }]);
    expect(await findings(page.container)).toEqual([]);
    await user.type(screen.getByTestId('guardrails-text'), '!');
    expect(said).toBeEmptyDOMElement();
  });

  it('is only read where nothing can be written, and can still be tried', async () => {
    await open(project().on('guardrails.get', () => ({ ...guardrails, writable: false })));
    expect(await screen.findByTestId('guardrails-enabled')).toBeDisabled();
    expect(screen.getByTestId('guardrails-add-name')).toBeDisabled();
    expect(screen.getByTestId('guardrails-text')).toBeEnabled();
  });

  it('is not shown where the file cannot be used', async () => {
    const broken = { fields: [], writable: false, fault: FAULT };
    await open(
      project()
        .on('guardrails.get', () => ({ ...guardrails, ...broken }))
        .on('permissions.get', () => ({ ...permissions, ...broken, rules: [] }))
        .on('gates.get', () => ({ ...gates, ...broken })),
    );
    await waitFor(() => expect(screen.getByTestId('settings-guardrails')).toHaveTextContent(FAULT));
    await waitFor(() => expect(screen.getByTestId('settings-permissions')).toHaveTextContent(FAULT));
    for (const gone of ['guardrails-enabled', 'guardrails-text', 'permissions-mode', 'permissions-command']) {
      expect(screen.queryByTestId(gone)).toBeNull();
    }
  });
});

describe('what steps may do', () => {
  const remaining = { ...permissions, revision: 'p2', rules: permissions.rules.slice(1) };

  it('is a line a rule, which goes and leaves the focus in the list', async () => {
    const host = project().on('permissions.set', () => remaining);
    const { page, user } = await open(host);
    const [denied] = await screen.findAllByTestId('permission');
    if (!denied) throw new Error('two rules');
    expect(denied).toHaveTextContent('Running curl * is refused, whoever says yes.');
    expect(await findings(page.container)).toEqual([]);
    await user.click(within(denied).getByRole('button', { name: /^Take out: Running/ }));
    await waitFor(() => expect(screen.getAllByTestId('permission')).toHaveLength(1));
    expect(screen.getByRole('group', { name: 'What steps may do' })).toHaveFocus();
    const change: PermissionsChange = {
      revision: 'p1',
      values: {},
      remove: { of: 'run', answer: 'deny', pattern: 'curl *' },
    };
    expect(host.called('permissions.set')).toEqual([change]);
  });

  it('takes a new rule, and what holds where no rule says anything', async () => {
    const host = project();
    const { user } = await open(host);
    await user.selectOptions(await screen.findByTestId('permissions-add-of'), 'write');
    await user.selectOptions(screen.getByTestId('permissions-add-answer'), 'deny');
    await user.type(screen.getByTestId('permissions-add-pattern'), ' docs/** ');
    await user.click(screen.getByTestId('permissions-add'));
    await waitFor(() => expect(screen.getByTestId('permissions-add-pattern')).toHaveValue(''));
    await user.selectOptions(screen.getByTestId('permissions-mode'), 'true');
    await user.click(screen.getByTestId('permissions-save'));
    const changes: PermissionsChange[] = [
      { revision: 'p1', values: {}, add: { of: 'write', answer: 'deny', pattern: 'docs/**' } },
      { revision: 'p1', values: { mode: 'true' } },
    ];
    await waitFor(() => expect(host.called('permissions.set')).toEqual(changes));
  });

  it('shows what would become of a command, and which rule decides', async () => {
    const host = project();
    const { page, user } = await open(host);
    await user.type(await screen.findByTestId('permissions-command'), 'npm test; curl x.org');
    await user.click(screen.getByTestId('permissions-try'));
    const said = screen.getByTestId('permissions-tried');
    await waitFor(() => expect(said).toHaveTextContent('The step fails, and nothing of it is run.'));
    const [first] = within(said).getAllByRole('listitem');
    expect(first).toHaveAttribute('data-verdict', 'refused');
    expect(first).toHaveTextContent('run curl x.org deny rule curl *');
    expect(host.called('permissions.try')).toEqual([{ command: 'npm test; curl x.org' }]);
    expect(await findings(page.container)).toEqual([]);
    await user.type(screen.getByTestId('permissions-command'), ' -v');
    expect(said).toBeEmptyDOMElement();
  });

  it('is read again when the other form has changed the file', async () => {
    let now = permissions;
    const host = project().on('permissions.get', () => now);
    const { user } = await open(host);
    await user.type(await screen.findByTestId('permissions-add-pattern'), 'make');
    now = remaining;
    host.send({ kind: 'settings' });
    await waitFor(() => expect(screen.getAllByTestId('permission')).toHaveLength(1));
    await user.click(screen.getByTestId('permissions-add'));
    expect(host.called('permissions.set')).toMatchObject([{ revision: 'p2' }]);
  });
});

describe('which gates stop a run', () => {
  it('is filled in, with what takes gates away said above it', async () => {
    const host = project();
    const { user } = await open(host);
    expect(await screen.findByTestId('gates-words')).toHaveTextContent('takes every gate away');
    await user.type(screen.getByTestId('gates-required_phases'), '{Enter}Build');
    await user.click(screen.getByTestId('gates-save'));
    expect(host.called('gates.set')).toEqual([{ revision: 'h1', values: { required_phases: 'Plan\nBuild' } }]);
  });
});

describe('what is typed there and not saved', () => {
  it('is kept, and said where the page is opened from', async () => {
    const { user } = await open(project(), '#/settings');
    await user.click(await screen.findByTestId('settings-to-rules'));
    await user.selectOptions(await screen.findByTestId('guardrails-enabled'), 'false');
    await user.type(await screen.findByTestId('permissions-add-pattern'), 'make');
    await user.click(within(screen.getByRole('main')).getByRole('link', { name: 'Settings' }));
    expect(await screen.findByTestId('settings-rules')).toHaveTextContent('What you typed there is not saved yet.');
    await user.click(screen.getByTestId('settings-to-rules'));
    expect(await screen.findByTestId('guardrails-enabled')).toHaveValue('false');
    expect(await screen.findByTestId('permissions-add-pattern')).toHaveValue('make');
    location.hash = '#/inbox';
    expect(await screen.findByTestId('toast')).toHaveTextContent('What you changed in the settings is not saved.');
  });
});
