import { useHost, type StartBrief } from '$lib/api';
import { step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import StartDialog from './StartDialog.svelte';

const plan = (over: Partial<StartBrief> = {}): StartBrief => ({
  path: 'flows/shape.yaml',
  title: 'Shape a request',
  errors: [],
  agents: [
    {
      agent: { name: 'publisher', engine: 'command', command: 'python3 publish.py' },
      steps: [step('publish', '7')],
      words: 'runs a command on this machine',
    },
  ],
  asks: [{ step: step('critique'), question: 'Are these ready?', asks: ['legal'], purpose: 'approval', at: 'after' }],
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
  render(StartDialog, { open: true, path: brief.path, title: brief.title, onstarted });
  await screen.findByText('Who is asked');
  return { host, onstarted, user: userEvent.setup() };
}

describe('before a start', () => {
  it('shows every command, file and person, and starts nothing by itself', async () => {
    const { host } = await open(plan());
    const dialog = screen.getByRole('dialog');
    for (const words of ['python3 publish.py', 'Are these ready?', 'legal', 'out/requirements.md']) {
      expect(dialog).toHaveTextContent(words);
    }
    expect(host.called('run.start')).toEqual([]);
  });

  it('offers the first scenario that can be used, and takes another choice', async () => {
    const { host, onstarted, user } = await open(plan());
    const choice = screen.getByTestId('start-scenario');
    expect(choice).toHaveValue('second.yaml');
    expect(choice).toHaveAccessibleDescription('The critic is satisfied in round 2.');
    expect(screen.getByRole('option', { name: /broken/ })).toBeDisabled();
    await user.selectOptions(choice, '');
    await user.click(screen.getByTestId('start-confirm'));
    expect(host.called('run.start')).toEqual([{ path: 'flows/shape.yaml', scenario: undefined }]);
    expect(onstarted).toHaveBeenCalledWith('run-9');
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
});
