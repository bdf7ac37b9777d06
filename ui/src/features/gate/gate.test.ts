import { useHost, type GateBrief as Brief } from '$lib/api';
import { findings } from '$lib/axe';
import { answeredBy, gateBrief } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { GateDesk } from './desk.svelte';
import GateBrief from './GateBrief.svelte';

/** A brief on screen, with a backend that answers as told. */
async function open(
  brief: Brief,
  answer: (params: never) => unknown = () => gateBrief({ answered: answeredBy('Reviewer') }),
) {
  const host = new FakeHost().on('gate.brief', () => brief).on('gate.answer', answer);
  useHost(host);
  const desk = new GateDesk(brief.run_id, brief.gate);
  await desk.brief.refresh();
  const onanswered = vi.fn();
  const page = render(GateBrief, {
    desk,
    brief: desk.brief.value ?? brief,
    runHref: '#/run/run-1',
    workflowHref: '#/workflow/a',
    latestHref: '#/inbox/run-1/critique',
    onanswered,
    onname: async () => true,
  });
  return { host, desk, onanswered, page, user: userEvent.setup() };
}

describe('a gate', () => {
  it('sends the answer bound to the round and to every artifact that was shown', async () => {
    const { host, onanswered, user } = await open(gateBrief({ round: 3 }));
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toEqual([
      { run_id: 'run-1', gate: 'critique', round: 3, answer: 'approve', comment: '', seen: ['aa11'] },
    ]);
    expect(onanswered).toHaveBeenCalledOnce();
  });

  it.each([
    ['gate-changes', /what should change/],
    ['gate-reject', /why/],
  ])('asks for a comment before %s, beside the field and with the focus in it', async (button, words) => {
    const { host, user } = await open(gateBrief());
    await user.click(screen.getByTestId(button));
    expect(host.called('gate.answer')).toEqual([]);
    const comment = screen.getByTestId('gate-comment');
    expect(comment).toHaveFocus();
    expect(comment).toBeInvalid();
    expect(comment).toHaveAccessibleDescription(words);
    await user.type(comment, '  name the owner ');
    expect(comment).toBeValid();
    await user.click(screen.getByTestId(button));
    expect(host.called('gate.answer')).toMatchObject([{ comment: 'name the owner' }]);
  });

  it('shows an answer that is not allowed disabled, with the reason', async () => {
    const brief = gateBrief();
    const why = 'Give your name first: it stands on the decision.';
    brief.answers = brief.answers.map((one) => ({
      ...one,
      allowed: false,
      refusal: { code: 'name_required', message: why },
    }));
    await open(brief);
    const approve = screen.getByTestId('gate-approve');
    expect(approve).toBeDisabled();
    expect(approve).toHaveAccessibleDescription(why);
  });

  it('tells the second of two people who was first, and when', async () => {
    let asked = 0;
    const host = new FakeHost()
      .on('gate.brief', () => (asked++ === 0 ? gateBrief() : gateBrief({ answered: answeredBy('Ada') })))
      .on('gate.answer', () => {
        throw { code: 'refused:already_answered', message: 'Ada approved this at 11:00.', hint: null };
      });
    useHost(host);
    const desk = new GateDesk('run-1', 'critique');
    await desk.brief.refresh();
    expect(await desk.answer('approve')).toBe(false);
    expect(desk.refused?.message).toBe('Ada approved this at 11:00.');
    expect(desk.brief.value?.answered?.by).toBe('Ada');
    const page = render(GateBrief, {
      desk,
      brief: desk.brief.value ?? gateBrief(),
      runHref: '',
      workflowHref: '',
      latestHref: '',
      onanswered: () => {},
      onname: async () => true,
    });
    expect(page.getByRole('alert')).toHaveTextContent('Ada approved this at 11:00.');
    expect(page.getByTestId('gate-answered')).toHaveTextContent('Ada');
    expect(page.queryByTestId('gate-approve')).toBeNull();
  });

  it('names a file, not the folder of its run', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    artifact.path = '.gatehouse/runs/01a1fd7d-dbd9/shape/critique.md';
    await open(brief);
    expect(screen.getByRole('heading', { name: 'critique.md' })).toBeVisible();
    expect(screen.queryByText(/01a1fd7d/)).toBeNull();
    expect(screen.getByText(/^shape · /)).toBeVisible();
  });

  it('gives one answer, however often the button is pressed', async () => {
    let give: (brief: Brief) => void = () => {};
    const { host, user } = await open(gateBrief(), () => new Promise<Brief>((resolve) => (give = resolve)));
    await user.dblClick(screen.getByTestId('gate-approve'));
    give(gateBrief({ answered: answeredBy('Reviewer') }));
    expect(host.called('gate.answer')).toHaveLength(1);
  });

  it('shows what changed first, and the whole text on demand', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    artifact.changes = { since: 'since round 1', html: '<p><ins>up to 5 000</ins></p>', added: 1, removed: 0 };
    const { user } = await open(brief);
    expect(screen.getByText('up to 5 000')).toBeVisible();
    await user.click(screen.getByLabelText('Whole text'));
    expect(screen.queryByText('up to 5 000')).toBeNull();
    expect(screen.getByText('The customer can export invoices.')).toBeVisible();
  });

  /** A runbook's prompt: the author's words stand on the buttons. */
  const outcome = (over: Partial<Brief> = {}) => {
    const preview = { allowed: true, refusal: null, needs_comment: false, runs: [], never_runs: [] };
    return gateBrief({
      purpose: 'outcome',
      question: 'Is it healthy?',
      instructions_html: '<p>Look at the <strong>dashboard</strong>.</p>',
      command: 'curl --fail https://example.org/health',
      artifacts: [],
      checks: [],
      answers: [
        { ...preview, answer: 'pass', label: 'YES', words: 'The runbook is complete.' },
        { ...preview, answer: 'fail', label: 'NO', words: '“Roll back” comes next.' },
      ],
      ...over,
    });
  };

  it('asks how a step went in the author’s words, shows what to do, and wants no comment', async () => {
    const { host, user } = await open(outcome());
    expect(screen.getByText('You are asked to carry this out')).toBeVisible();
    expect(screen.getByTestId('gate-instructions')).toHaveTextContent('Look at the dashboard.');
    expect(screen.getByTestId('gate-command')).toHaveTextContent('Gatehouse does not run it');
    expect(screen.getByTestId('gate-pass')).toHaveTextContent('YES');
    expect(screen.queryByTestId('gate-approve')).toBeNull();
    expect(screen.getByText('“Roll back” comes next.')).toBeVisible();
    await user.click(screen.getByTestId('gate-fail'));
    expect(host.called('gate.answer')).toEqual([
      { run_id: 'run-1', gate: 'critique', round: 1, answer: 'fail', comment: '', seen: [] },
    ]);
  });

  /** A step that may not do something without being allowed to. */
  const permission = () => {
    const preview = { allowed: true, refusal: null, runs: [], never_runs: [] };
    return outcome({
      purpose: 'permission',
      question: 'May “Clean up” do this?',
      needs: ['run rm -r build'],
      answers: [
        { ...preview, answer: 'approve', label: 'Allow', needs_comment: false, words: 'It is carried out.' },
        { ...preview, answer: 'reject', label: 'Refuse', needs_comment: true, words: 'It counts as failed.' },
      ],
    });
  };

  it('allows what a step wants for as long as is chosen, and refuses only with a reason', async () => {
    const { host, user } = await open(permission());
    expect(screen.getByTestId('gate-needs')).toHaveTextContent('run rm -r build');
    await user.click(screen.getByTestId('gate-reject'));
    expect(host.called('gate.answer')).toEqual([]);
    expect(screen.getByTestId('gate-comment')).toHaveFocus();
    await user.click(screen.getByLabelText('This run'));
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'approve', lasting: 'run' }]);
  });

  it('has no accessibility findings, whatever is asked', async () => {
    for (const brief of [gateBrief(), outcome(), permission()]) {
      const { page } = await open(brief);
      expect(await findings(page.container)).toEqual([]);
      page.unmount();
    }
  });
});
