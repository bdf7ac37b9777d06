import { useHost, type Question, type StartBrief } from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { Answers } from './answers.svelte';
import StartDialog from './StartDialog.svelte';

const question = (name: string, kind: Question['kind'], over: Partial<Question> = {}): Question => ({
  name,
  label: `The ${name}`,
  kind,
  required: false,
  default: null,
  options: [],
  help: null,
  ...over,
});

const QUESTIONS = [
  question('owner', 'text', { required: true, help: 'First name and last name.' }),
  question('story', 'long_text', { default: 'Once' }),
  question('budget', 'number', { default: 10 }),
  question('public', 'flag', { default: true }),
  question('risk', 'choice', { options: ['low', 'high'] }),
  question('due', 'date'),
];

async function open(start: (params: never) => unknown = () => ({ run_id: 'run-9' }), earlier?: StartBrief['earlier']) {
  const brief: StartBrief = {
    path: 'plan.yaml',
    title: 'Plan',
    errors: [],
    agents: [],
    asks: [],
    writes: [],
    uses: [],
    runbooks: [],
    can_prompt: false,
    scenarios: [],
    trusted: true,
    rehearse_first: null,
    unbound: [],
    questions: QUESTIONS,
    ...(earlier ? { earlier } : {}),
    programs: [{ command: 'sh prose.sh', words: 'is the project’s check “prose”', steps: [step('release', '2')] }],
    tools: [
      {
        step: step('release', '2'),
        tools: [
          {
            name: 'deploy',
            description: 'Ships it.',
            args: 'to: production',
            required: true,
            risk: 'high',
            verdict: 'asks',
            words: 'a person is asked first: it is of high risk',
            starts: 'sh deploy.sh',
          },
        ],
      },
    ],
  };
  const host = new FakeHost().on('run.brief', () => brief).on('run.start', start);
  useHost(host);
  const onstarted = vi.fn();
  const page = render(StartDialog, {
    open: true,
    like: earlier ? 'run-1' : null,
    path: brief.path,
    title: brief.title,
    onstarted,
    settingsHref: '#/settings',
    ontrust: async () => {},
  });
  await screen.findByTestId('start-questions');
  return { host, page, onstarted, user: userEvent.setup() };
}

const field = (name: string) => screen.getByTestId(`start-input-${name}`);

describe('what a workflow asks before it begins', () => {
  it('is a form with labels, help and what the author offers', async () => {
    await open();
    expect(field('owner')).toHaveAccessibleName('The owner');
    expect(field('owner')).toHaveAccessibleDescription('First name and last name.');
    expect(field('owner')).toBeRequired();
    expect(field('story')).toHaveValue('Once');
    expect(field('budget')).toHaveValue('10');
    expect(field('public')).toHaveValue('true');
    expect(field('risk')).toHaveValue('');
    expect(field('due')).toHaveAttribute('type', 'date');
    expect(await findings(screen.getByRole('dialog'))).toEqual([]);
  });

  it('sends answers as what they are, and none for what is left open', async () => {
    const { host, onstarted, user } = await open();
    await user.type(field('owner'), 'Ada Lovelace');
    await user.clear(field('story'));
    await user.clear(field('budget'));
    await user.type(field('budget'), '12.5');
    await user.selectOptions(field('public'), 'false');
    await user.selectOptions(field('risk'), 'high');
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toMatchObject([
      { inputs: { owner: 'Ada Lovelace', story: '', budget: 12.5, public: false, risk: 'high' } },
    ]);
    expect(host.called('run.start')[0]).not.toHaveProperty('inputs.due');
    expect(onstarted).toHaveBeenCalledWith('run-9');
  });

  it('begins with what was entered in an earlier run, and keeps what is corrected', async () => {
    // A number that was taken once is taken again as it is, however it could be read.
    const answers = { owner: 'Adah', story: '', budget: 12.125, public: false, risk: 'high' };
    const { host, user } = await open(undefined, { answers, subject: 'Bread', rehearsal: true });
    expect(host.called('run.brief')).toEqual([{ path: 'plan.yaml', like: 'run-1' }]);
    expect(screen.getByTestId('start-earlier')).toHaveTextContent('is filled in');
    expect(screen.getByTestId('start-subject')).toHaveValue('Bread');
    expect(screen.getByRole('radio', { name: 'Rehearsal' })).toBeChecked();
    const texts = ['owner', 'story', 'budget', 'public', 'risk', 'due'].map((name) => [
      name,
      (field(name) as HTMLInputElement).value,
    ]);
    expect(Object.fromEntries(texts)).toEqual({ ...answers, budget: '12.125', public: 'false', due: '' });
    await user.clear(field('owner'));
    await user.type(field('owner'), 'Ada');
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toMatchObject([
      { rehearse: true, subject: 'Bread', inputs: { ...answers, owner: 'Ada' } },
    ]);
  });

  it.each(['12.000', '1,234', '99999999999999999999', '9007199254740993'])(
    'leaves %s as it is written: it is no other number without a word',
    async (written) => {
      const { host, user } = await open();
      await user.type(field('owner'), 'Ada');
      await user.clear(field('budget'));
      await user.type(field('budget'), written);
      await user.click(screen.getByTestId('start-confirm'));
      expect(host.called('run.start')).toMatchObject([{ inputs: { budget: written } }]);
    },
  );

  it('says what is wrong where it stands, and takes it back when it is mended', async () => {
    const { onstarted, user } = await open(() => {
      throw {
        code: 'invalid_inputs',
        message: 'The run cannot begin.',
        hint: null,
        fields: { owner: '“The owner” needs an answer.', budget: '“The budget” is answered with a number.' },
      };
    });
    await user.click(screen.getByTestId('start-confirm'));
    await waitFor(() => expect(field('owner')).toBeInvalid());
    expect(field('owner')).toHaveFocus();
    expect(field('owner')).toHaveAccessibleDescription(/“The owner” needs an answer/);
    expect(field('budget')).toBeInvalid();
    expect(screen.queryByText('The run cannot begin.')).toBeNull();
    await user.type(field('owner'), 'A');
    expect(field('owner')).toBeValid();
    expect(field('budget')).toBeInvalid();
    expect(onstarted).not.toHaveBeenCalled();
  });

  it('says what a guardrail stops at its question, and of anything else above them', async () => {
    const said = '“The owner” holds an account number (IBAN), which this project stops. Take it out and start again.';
    let fields: Record<string, string> = { owner: said };
    const { user } = await open(() => {
      throw { code: 'refused:guardrail', message: said, hint: null, fields };
    });
    await user.click(screen.getByTestId('start-confirm'));
    await waitFor(() => expect(field('owner')).toHaveAccessibleDescription(/holds an account number/));
    fields = {};
    await user.click(screen.getByTestId('start-confirm'));
    expect(await screen.findByText(said)).toBeVisible();
  });

  it('names every program that is started beside', async () => {
    await open();
    expect(screen.getByTestId('start-programs')).toHaveTextContent('sh prose.sh is the project’s check “prose” step 2');
  });

  it('shows every tool with what it risks and what it starts', async () => {
    await open();
    const tools = screen.getByTestId('start-tools');
    for (const words of ['deploy', 'high risk', 'asks first', 'sh deploy.sh', 'to: production']) {
      expect(tools).toHaveTextContent(words);
    }
  });
});

it('the questions of a run are shown with what is written so far, and never with the marks of their places', () => {
  const answers = new Answers([question('trial', 'text'), question('site', 'text', { default: 'Basel' })]);
  const asked = 'May {{trial}} begin in {{ site }}, and {{other}}?';
  expect(answers.filled(asked)).toBe('May [The trial] begin in Basel, and {{other}}?');
  answers.write('trial', 'NCT-7');
  expect(answers.filled(asked)).toBe('May NCT-7 begin in Basel, and {{other}}?');
});
