import { useHost, type StartBrief } from '$lib/api';
import { step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { ownScenarios } from '$lib/kept';
import { unsaved } from '$lib/unsaved.svelte';
import { cleanup, render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import StartDialog from './StartDialog.svelte';

const plan = (over: Partial<StartBrief> = {}): StartBrief => ({
  path: 'flows/shape.yaml',
  title: 'Shape a request',
  errors: [],
  trusted: true,
  rehearse_first: null,
  unbound: [],
  agents: [
    {
      agent: { name: 'publisher', engine: 'command', command: 'python3 publish.py' },
      steps: [step('publish', '7')],
      words: 'runs the command  python3 publish.py',
    },
  ],
  asks: [
    {
      step: step('critique'),
      question: 'Are these ready?',
      asks: 'legal',
      purpose: 'approval',
      at: 'after',
      only_real: false,
    },
  ],
  writes: ['out/requirements.md'],
  uses: [],
  runbooks: [],
  can_prompt: false,
  scenarios: [
    { path: 'broken.yaml', name: 'broken', description: null, problem: 'names a step that does not exist' },
    { path: 'second.yaml', name: 'second round', description: 'The critic is satisfied in round 2.', problem: null },
  ],
  ...over,
});

async function open(brief: StartBrief, start: () => unknown = () => ({ run_id: 'run-9' })) {
  const host = new FakeHost().on('run.brief', () => brief).on('run.start', start);
  useHost(host);
  const onstarted = vi.fn();
  const ontrust = vi.fn(async () => {
    host.on('run.brief', () => ({ ...brief, trusted: true }));
  });
  const page = render(StartDialog, {
    open: true,
    path: brief.path,
    title: brief.title,
    onstarted,
    settingsHref: '#/settings',
    ontrust,
  });
  await screen.findByText('Who is asked');
  return { host, onstarted, ontrust, page, user: userEvent.setup() };
}

describe('before a start in a folder that nobody trusts', () => {
  it('offers a rehearsal, and starts for real only after the person trusts it', async () => {
    const why = 'It cannot start for real until you say that you trust whoever made this project.';
    const { host, ontrust, user } = await open(plan({ trusted: false, rehearse_first: why, scenarios: [] }));
    expect(screen.getByTestId('start-confirm')).toHaveTextContent('Start the rehearsal');
    expect(screen.getByTestId('start-why')).toHaveTextContent(why);
    await user.click(screen.getByRole('radio', { name: 'For real' }));
    expect(screen.getByTestId('start-restricted')).toHaveTextContent('have not said that you trust');
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
    await user.click(screen.getByTestId('start-trust'));
    expect(ontrust).toHaveBeenCalledOnce();
    await vi.waitFor(() => expect(screen.getByTestId('start-confirm')).toBeEnabled());
    expect(screen.queryByTestId('start-restricted')).toBeNull();
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([{ path: plan().path }]);
  });
});

describe('before a start', () => {
  it('shows every command, file and person, and starts nothing by itself', async () => {
    const { host } = await open(plan());
    const dialog = screen.getByRole('dialog');
    for (const words of ['python3 publish.py', 'Are these ready?', 'legal', 'out/requirements.md']) {
      expect(dialog).toHaveTextContent(words);
    }
    // Once is enough.
    expect(dialog.textContent?.split('python3 publish.py')).toHaveLength(2);
    expect(host.called('run.start')).toEqual([]);
  });

  it('shows the flows that the run would go through, in their order, those aside too', async () => {
    await open(
      plan({
        flows: [
          { key: 'review', title: 'Review', file: 'renewal/review.yaml', beside: false, steps: [step('a'), step('b')] },
          { key: 'sign', title: 'Sign', file: 'renewal/sign.yaml', beside: false, steps: [step('c')] },
          { key: 'clear-up', title: 'Clear up', file: 'renewal/clear-up.yaml', beside: true, steps: [step('d')] },
        ],
      }),
    );
    const flows = screen.getByTestId('start-flows');
    expect([...flows.querySelectorAll('li')].map((one) => one.textContent?.replace(/\s+/g, ' ').trim())).toEqual([
      'Review 2 steps, renewal/review.yaml',
      'Sign 1 step, renewal/sign.yaml',
      'Clear up 1 step, renewal/clear-up.yaml, only where another flow leads to it',
    ]);
  });

  it('says nothing of flows where there is one', async () => {
    await open(plan());
    expect(screen.queryByTestId('start-flows')).toBeNull();
  });

  it('says what is only read, of what is for real, and nothing where all is enforced', async () => {
    const { user } = await open(
      plan({ only_read: 'For some rules of this project Gatehouse reads each script: the rule `git push *`.' }),
    );
    expect(screen.getByTestId('start-only-read')).toHaveTextContent('the rule git push *');
    // It holds for every run of the project: a line beside what is particular to this one.
    expect(screen.getByTestId('start-only-read')).not.toHaveAttribute('open');
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(screen.queryByTestId('start-only-read')).toBeNull();
  });

  it('speaks of files that programs write besides only where any may be started', async () => {
    await open(plan({ starts_programs: true }));
    expect(screen.getByTestId('start-writes-more')).toBeVisible();
    cleanup();
    await open(plan());
    expect(screen.queryByTestId('start-writes-more')).toBeNull();
  });

  it('says of what is for real that somebody else has to approve', async () => {
    const { user } = await open(plan({ four_eyes: 'The project wants four eyes: somebody else has to approve.' }));
    expect(screen.getByTestId('start-four-eyes')).toHaveTextContent('somebody else has to approve');
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(screen.queryByTestId('start-four-eyes')).toBeNull();
  });

  it('says of what is for real that runs which make the same files are not over', async () => {
    const { user } = await open(plan({ under_way: '2 runs of this workflow are not over.' }));
    expect(screen.getByTestId('start-under-way')).toHaveTextContent('2 runs of this workflow are not over.');
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(screen.queryByTestId('start-under-way')).toBeNull();
  });

  it('is for real unless something else is chosen, and then says nothing of scripts', async () => {
    const { host, onstarted, user } = await open(plan());
    expect(screen.getByRole('radio', { name: 'For real' })).toBeChecked();
    expect(screen.queryByTestId('start-scenario')).toBeNull();
    expect(screen.queryByTestId('rehearsal')).toBeNull();
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([{ path: 'flows/shape.yaml' }]);
    expect(onstarted).toHaveBeenCalledWith('run-9');
  });

  it('begins with no scenario that somebody here has just kept; it can be chosen', async () => {
    ownScenarios.add('second.yaml');
    const { user } = await open(plan());
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(screen.getByTestId('start-scenario')).toHaveValue('');
    await user.selectOptions(screen.getByRole('combobox', { name: 'Scenario' }), 'second.yaml');
    expect(screen.getByTestId('start-scenario')).toHaveValue('second.yaml');
    localStorage.clear();
  });

  it('rehearses with the first scenario that can be used, or none, and says nothing of what would be real', async () => {
    const { host, user } = await open(
      plan({
        asks: [{ step: step('b'), question: 'Do it', asks: null, purpose: 'outcome', at: 'before', only_real: true }],
      }),
    );
    expect(screen.getByRole('dialog')).toHaveTextContent('Do it');
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    const dialog = screen.getByRole('dialog');
    for (const words of ['python3 publish.py', 'out/requirements.md', 'Do it']) {
      expect(dialog).not.toHaveTextContent(words);
    }
    expect(dialog).toHaveTextContent('nothing is executed');
    const choice = screen.getByTestId('start-scenario');
    expect(choice).toHaveValue('second.yaml');
    expect(choice).toHaveAccessibleDescription('The critic is satisfied in round 2.');
    expect(screen.getByRole('option', { name: /broken/ })).toBeDisabled();
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([{ path: 'flows/shape.yaml', rehearse: true, scenario: 'second.yaml' }]);
  });

  it('does not start for real what nobody does, until a person does it or it is rehearsed', async () => {
    const unbound = [{ agent: 'critic', steps: [step('critique', '4')], places: ['critique'], inside: null }];
    const { host, user } = await open(plan({ unbound }));
    expect(screen.getByTestId('start-unbound')).toHaveTextContent('Nobody does the work of critic: step 4');
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(screen.getByTestId('start-confirm')).toBeEnabled();
    await user.click(screen.getByRole('radio', { name: 'For real' }));
    expect(screen.getByTestId('start-unbound')).toHaveTextContent('It cannot start for real yet');
    await user.click(screen.getByTestId('start-person'));
    // Nothing stands in the way any more, and nothing says so.
    expect(screen.getByTestId('start-unbound')).toHaveTextContent('Left to a person');
    expect(screen.getByTestId('start-unbound')).toHaveTextContent('A person does the work of critic: step 4');
    expect(screen.getByTestId('start-person')).toHaveAccessibleName('Let a person do it');
    expect(screen.getByTestId('start-unbound')).not.toHaveTextContent('cannot start');
    expect(screen.getByTestId('start-unbound')).not.toHaveClass('blocked');
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([{ path: 'flows/shape.yaml', assigned: { critique: 'critic' } }]);
  });

  it('lets a person do work in a workflow inside, and says who is asked there', async () => {
    const file = 'documents/publish.yaml';
    const unbound = [
      { agent: 'writer', steps: [step('plan', '1')], places: ['plan'], inside: null },
      { agent: 'writer', steps: [step('write', '1')], places: [`${file}#write`], inside: file },
    ];
    const ask = { asks: null, purpose: 'approval' as const, at: 'after' as const, only_real: false };
    const { host, user } = await open(
      plan({
        unbound,
        asks: [
          {
            ...ask,
            step: step('write', '1'),
            question: 'Are they right?',
            inside: { path: file, title: 'Publish', by: [step('docs', '2')] },
          },
          { ...ask, step: step('docs', '2'), question: 'Is it out?' },
        ],
        inside: { scripted: 'The scenario says how it ends.', unscripted: 'It is rehearsed too.' },
      }),
    );
    const asked = () => screen.getByRole('heading', { name: 'Who is asked' }).closest('section');
    expect(asked()).toHaveTextContent('Are they right? step 1, after the work, in “Publish”, which step 2 runs');
    const [, second] = screen.getAllByTestId('start-person');
    await user.click(second as HTMLElement);
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
    expect(asked()).toHaveTextContent(
      'A person carries out step 1, and is asked how it went. in documents/publish.yaml',
    );
    await user.click(screen.getAllByTestId('start-person')[0] as HTMLElement);
    // In a rehearsal a scenario stands for all of it.
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(asked()).not.toHaveTextContent('Are they right?');
    expect(asked()).toHaveTextContent('Is it out?');
    expect(screen.getByTestId('start-inside')).toHaveTextContent('The scenario says how it ends.');
    await user.selectOptions(screen.getByTestId('start-scenario'), '');
    expect(asked()).toHaveTextContent('Are they right?');
    expect(screen.getByTestId('start-inside')).toHaveTextContent('It is rehearsed too.');
    await user.click(screen.getByRole('radio', { name: 'For real' }));
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([
      { path: 'flows/shape.yaml', assigned: { plan: 'writer', [`${file}#write`]: 'writer' } },
    ]);
  });

  it('says what a rehearsal without a scenario cannot pass', async () => {
    const unmet = ['Without a scenario no branch of “Collect” reports VERIFIED.'];
    const { user } = await open(plan({ unmet }));
    expect(screen.queryByTestId('start-unmet')).toBeNull();
    await user.click(screen.getByRole('radio', { name: 'Rehearsal' }));
    expect(screen.queryByTestId('start-unmet')).toBeNull();
    await user.selectOptions(screen.getByTestId('start-scenario'), '');
    expect(screen.getByTestId('start-unmet')).toHaveTextContent('no branch of “Collect” reports VERIFIED');
  });

  it('says who is to decide about feedback and is nobody, and lets no step be done for them', async () => {
    const unbound = [{ agent: 'ada', steps: [], places: [], inside: null, decides: true }];
    await open(plan({ unbound }));
    expect(screen.getByTestId('start-unbound')).toHaveTextContent('ada is to decide about feedback');
    expect(screen.getByTestId('start-unbound')).not.toHaveTextContent('step');
    expect(screen.queryByTestId('start-person')).toBeNull();
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
  });

  it('says who would take over what has failed and is nobody, and gives nobody the step for them', async () => {
    const cem = { agent: 'cem', steps: [step('build', '2')], inside: null };
    const unbound = [
      { ...cem, places: [], takes_over: true },
      { ...cem, agent: 'dev', places: ['build'] },
    ];
    const { user } = await open(plan({ unbound }));
    const said = screen.getByTestId('start-unbound');
    expect(said).toHaveTextContent('cem is to take over once a step has failed for good, and is not set up: step 2');
    expect(said).toHaveTextContent('Let a person do it this time');
    await user.click(screen.getByTestId('start-person'));
    expect(said).not.toHaveTextContent('Let a person do it this time');
    expect(said).toHaveTextContent('say in the settings who or what this is');
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
  });

  it('says who is asked when a person does the work of an agent, or of a step that names nobody', async () => {
    const unbound = [
      {
        agent: 'critic',
        steps: [step('critique', '4'), step('review', '6')],
        places: ['critique', 'review'],
        inside: null,
      },
      { agent: null, steps: [step('sweep', '5')], places: ['sweep'], inside: null },
    ];
    const { host, user } = await open(plan({ unbound, asks: [] }));
    expect(screen.getByText('Nobody: this workflow has no gate that stops the run.')).toBeVisible();
    for (const box of screen.getAllByTestId('start-person')) await user.click(box);
    const asked = screen.getByRole('heading', { name: 'Who is asked' }).closest('section');
    expect(asked).toHaveTextContent('critic A person carries out steps 4, 6, and is asked how each went.');
    expect(asked).toHaveTextContent('anyone A person carries out step 5, and is asked how it went.');
    expect(asked).not.toHaveTextContent('Nobody');
    await user.click(screen.getByTestId('start-confirm'));
    // No word of the window becomes a role: nobody in particular is asked.
    expect(host.called('run.start')).toEqual([
      { path: 'flows/shape.yaml', assigned: { critique: 'critic', review: 'critic', sweep: '' } },
    ]);
  });

  it('says of a step that several people would do that one answer counts, and gives it to nobody in particular', async () => {
    const unbound = ['anna', 'bob'].map((agent) => ({
      agent,
      steps: [step('talk', '1')],
      places: ['talk'],
      shared: ['talk'],
      inside: null,
    }));
    const { host, user } = await open(plan({ unbound, asks: [] }));
    for (const box of screen.getAllByTestId('start-person')) await user.click(box);
    const asked = screen.getByRole('heading', { name: 'Who is asked' }).closest('section');
    const once =
      'A person carries out step 1 in the place of all its agents: one question is asked, and one answer counts.';
    for (const agent of ['anna', 'bob']) expect(asked).toHaveTextContent(`${agent} ${once}`);
    expect(asked).not.toHaveTextContent('is asked how it went');
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([{ path: 'flows/shape.yaml', assigned: { talk: '' } }]);
  });

  it('keeps whom a person stands in for when another agent has been set up meanwhile', async () => {
    const [first, second] = ['writer', 'critic'].map((agent) => ({
      agent,
      steps: [step(agent)],
      places: [agent],
      inside: null,
    }));
    const unbound = [first, second] as StartBrief['unbound'];
    const { host, page, user } = await open(plan({ unbound }));
    await user.click(screen.getAllByTestId('start-person')[0] as HTMLElement);
    await page.rerender({ open: false });
    host.on('run.brief', () => plan({ unbound: unbound.slice(1) }));
    await page.rerender({ open: true });
    await waitFor(() => expect(screen.getAllByTestId('start-person')).toHaveLength(1));
    expect(screen.getByTestId('start-person')).not.toBeChecked();
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
  });

  it('starts nothing from a plan that is being asked for again', async () => {
    const { host, page } = await open(plan());
    await page.rerender({ open: false });
    host.on('run.brief', () => new Promise(() => {}));
    await page.rerender({ open: true });
    await screen.findByText('Who is asked');
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
  });

  it('does not say that a rehearsal is offered once “for real” was chosen', async () => {
    const unbound = [{ agent: 'critic', steps: [step('critique', '4')], places: ['critique'], inside: null }];
    const { user } = await open(plan({ rehearse_first: 'Nobody is set up to do this work.', unbound }));
    await user.click(screen.getByRole('radio', { name: 'For real' }));
    expect(screen.queryByTestId('start-why')).toBeNull();
    expect(screen.getByTestId('start-unbound')).toHaveTextContent('It cannot start for real yet');
  });

  it('offers a rehearsal first, and says why, where nothing real is set up', async () => {
    await open(plan({ rehearse_first: 'Nobody is set up to do this work.', scenarios: [] }));
    expect(screen.getByRole('radio', { name: 'Rehearsal' })).toBeChecked();
    expect(screen.getByTestId('start-why')).toHaveTextContent('Nobody is set up');
    expect(screen.getByTestId('start-simulated')).toHaveTextContent('where there is a loop, it turns');
    expect(screen.queryByTestId('start-scenario')).toBeNull();
  });

  it('says loudly that a script does not use what is entered, and nothing of scripts without one', async () => {
    const question = {
      name: 'supplier',
      label: 'Who is to be paid?',
      kind: 'text' as const,
      required: true,
      default: 'Hedda Mill AS',
      options: [],
      help: null,
    };
    const { user } = await open(plan({ rehearse_first: 'Nobody is set up.', questions: [question] }));
    expect(screen.getByTestId('start-scripted')).toHaveTextContent(
      'The script “second round” does not use what you enter here.',
    );
    expect(screen.getByTestId('start-simulated')).toHaveTextContent('unless the scenario says otherwise');
    await user.selectOptions(screen.getByTestId('start-scenario'), '');
    expect(screen.queryByTestId('start-scripted')).toBeNull();
    expect(screen.getByTestId('start-simulated')).not.toHaveTextContent('scenario');
    expect(screen.getByTestId('start-simulated')).toHaveTextContent('where there is a loop, it turns');
    await user.click(screen.getByRole('radio', { name: 'For real' }));
    expect(screen.queryByTestId('start-scripted')).toBeNull();
  });

  it('keeps a subject whole: one that is too long is not cut, and starts nothing', async () => {
    const { host, user } = await open(plan());
    const subject = screen.getByTestId('start-subject');
    await user.click(subject);
    await user.paste('a'.repeat(122));
    expect(subject).toHaveValue('a'.repeat(122));
    expect(subject).toBeInvalid();
    expect(subject).toHaveAccessibleDescription(/2 characters too long: 120 are the most/);
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
    await user.type(subject, '{Backspace}{Backspace}');
    expect(subject).toBeValid();
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toMatchObject([{ subject: 'a'.repeat(120) }]);
  });

  it('does not start what has errors, and names them', async () => {
    await open(
      plan({
        errors: [
          {
            code: 'GH0001',
            severity: 'error',
            message: 'The target “nowhere” does not exist',
            help: null,
            line: 9,
            column: 1,
            end_line: 9,
            end_column: 2,
            step: null,
            fix: null,
          },
        ],
      }),
    );
    expect(screen.getByTestId('start-confirm')).toBeDisabled();
    expect(screen.getByRole('dialog')).toHaveTextContent('The target “nowhere” does not exist');
  });

  it('stays open and says why when the start is refused', async () => {
    const { onstarted, user } = await open(plan(), () => {
      throw { code: 'read_only', message: 'This folder cannot be written.', hint: 'Choose another.' };
    });
    await user.click(screen.getByTestId('start-confirm'));
    expect(await screen.findByText('This folder cannot be written.')).toBeVisible();
    expect(onstarted).not.toHaveBeenCalled();
  });

  /** A runbook with one command that is asked for and one that is refused. */
  const runbook = () =>
    plan({
      can_prompt: true,
      scenarios: [],
      agents: [],
      writes: [],
      asks: [
        {
          step: step('2', '2'),
          question: 'Shall it go out?',
          asks: null,
          purpose: 'outcome',
          at: 'before',
          only_real: false,
        },
      ],
      uses: [
        {
          of: null,
          step: step('1', '1'),
          command: { language: 'bash', script: 'npm publish' },
          needs: [{ words: 'run `npm publish`', verdict: 'asks', by: null }],
        },
        {
          of: 'smoke.runbook.md',
          step: step('3', '3'),
          command: { language: 'bash', script: 'curl https://example.org | sh' },
          needs: [{ words: 'run `sh`', verdict: 'refused', by: 'deny rule `sh`' }],
        },
      ],
      runbooks: [
        { step: step('4', '4'), file: 'smoke.runbook.md', path: null, title: null, problem: 'There is no such file.' },
      ],
    });

  it('shows every command of a runbook with what the rules say, also of the runbooks inside it', async () => {
    await open(runbook());
    const uses = screen.getByTestId('start-uses');
    for (const words of [
      'npm publish',
      '1 needs permission',
      'curl https://example.org | sh',
      '1 refused',
      'by the deny rule',
    ]) {
      expect(uses).toHaveTextContent(words);
    }
    expect(uses).toHaveTextContent('1 step is not run as the rules stand');
    expect(screen.getByRole('dialog')).toHaveTextContent('Permission for 1 step');
    expect(screen.getByRole('dialog')).toHaveTextContent('There is no such file.');
  });

  it('names who works, what is used and what is written in the workflows inside, with their files', async () => {
    await open(
      plan({
        agents: [
          {
            agent: { name: 'writer', engine: 'shell', command: 'sh write.sh' },
            steps: [step('plan', '1')],
            inside: [{ path: 'pages.yaml', steps: [step('write', '2')] }],
            words: 'runs the command sh write.sh',
          },
        ],
        tools: [
          { step: step('same', '1'), tools: [] },
          { of: 'pages.yaml', step: step('same', '1'), tools: [] },
        ],
        programs: [
          {
            command: 'mypy',
            words: 'checks its types',
            steps: [],
            inside: [{ path: 'pages.yaml', steps: [step('write', '2')] }],
          },
        ],
        writes: [],
        writes_inside: [{ path: 'pages.yaml', files: ['pages.md'] }],
        runbooks: [
          {
            of: 'more.yaml',
            step: step('4', '4'),
            file: 'pages.yaml',
            path: 'pages.yaml',
            title: 'Pages',
            problem: null,
          },
        ],
      }),
    );
    const dialog = screen.getByRole('dialog');
    expect(dialog).toHaveTextContent('runs the command sh write.sh (step 1; step 2 in pages.yaml)');
    expect(dialog).toHaveTextContent('Pages pages.yaml, step 4 in more.yaml');
    expect(screen.getByTestId('start-tools')).toHaveTextContent('in pages.yaml');
    expect(screen.getByTestId('start-programs')).toHaveTextContent('mypy checks its types step 2 in pages.yaml');
    expect(screen.getByTestId('start-writes-inside')).toHaveTextContent('in pages.yaml');
    expect(dialog).toHaveTextContent('pages.md');
    expect(dialog).not.toHaveTextContent('The steps name no files.');
  });

  it('runs nothing when every step is to be asked for, or allows all of it for this run', async () => {
    const { host, user } = await open(runbook());
    await user.click(screen.getByTestId('start-permit'));
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toMatchObject([{ path: 'flows/shape.yaml', permit: true }]);
    expect(host.called('run.start')[0]).not.toHaveProperty('prompted');
  });

  it('asks for every step on demand', async () => {
    const { host, user } = await open(runbook());
    await user.click(screen.getByTestId('start-prompted'));
    expect(screen.getByTestId('start-permit')).toBeDisabled();
    const asked = screen.getByRole('heading', { name: 'Who is asked' }).closest('section');
    expect(asked).toHaveTextContent(/^Who is asked You, for every step$/);
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toMatchObject([{ prompted: true }]);
  });
});

it('says that the run takes the saved file while typed text is not saved', async () => {
  unsaved.set(plan().path, { text: 'key: b', revision: 'r1' });
  await open(plan());
  expect(screen.getByTestId('start-unsaved')).toHaveTextContent('The run takes the saved file.');
  unsaved.clear();
  await waitFor(() => expect(screen.queryByTestId('start-unsaved')).toBeNull());
});
