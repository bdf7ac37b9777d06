import { useHost, type DecisionView, type GateBrief as Brief } from '$lib/api';
import { findings } from '$lib/axe';
import { answeredBy, gateBrief, step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import { GateDesk } from './desk.svelte';
import GateBrief from './GateBrief.svelte';

const legal = (round: number, over: Partial<DecisionView['decision']> = {}): DecisionView => ({
  gate: 'contract:redline:hitl',
  purpose: 'approval',
  question: 'Does legal accept it?',
  step: step('redline', '2'),
  visit: round,
  role: 'legal',
  decision: { ...(answeredBy('Ada Lund') as NonNullable<Brief['answered']>), round, ...over },
  files: [{ path: '.gatehouse/runs/01a1/contract/redlines.md', name: 'redlines.md', digest: 'aa11' }],
});

async function open(brief: Brief, host = new FakeHost()) {
  useHost(host.on('gate.brief', () => brief));
  const desk = new GateDesk(brief.run_id, brief.gate);
  await desk.brief.refresh();
  const page = render(GateBrief, {
    desk,
    brief,
    runHref: '#/run/run-1',
    workflowHref: '#/workflow/a',
    latestHref: '#/inbox/run-1/critique',
    gateHref: (gate: string, round: number) => `#/inbox/run-1/${gate}/${round}`,
    onanswered: () => {},
    onname: async () => null,
  });
  return { host, page, user: userEvent.setup() };
}

describe('around the question', () => {
  it('says what it is about, whose role is asked and what to know of who decides', async () => {
    await open(
      gateBrief({
        subject: 'Northwind Hosting AB',
        role: 'finance or controlling',
        remarks: ['Ada Lund has also answered for legal in this run.'],
      }),
    );
    expect(screen.getByTestId('gate-subject')).toHaveTextContent('Northwind Hosting AB');
    expect(screen.getByTestId('gate-role')).toHaveTextContent('asks finance or controlling');
    expect(screen.getByTestId('gate-remark')).toHaveTextContent('Ada Lund has also answered for legal in this run.');
  });

  it('tells what warns of nothing apart from what does', async () => {
    await open(gateBrief({ remarks: ['A warning.'], notes: ['Ada Lund answered for legal.'] }));
    expect(screen.getAllByTestId('gate-remark').map((one) => one.textContent.trim())).toEqual(['A warning.']);
    expect(screen.getByTestId('gate-note')).toHaveTextContent('Ada Lund answered for legal.');
  });

  it('shows the script of an earlier step that printed nothing, where a question has no words of its own', async () => {
    const text = 'echo "Recall notice" > docs/recall/notice.md';
    const before = [{ step: step('notice', '3'), status: 'done' as const, text, is_script: true }];
    await open(gateBrief({ purpose: 'outcome', is_question: true, question: 'May the notice go out?', before }));
    const card = screen.getByTestId('gate-before');
    expect(card).toHaveTextContent('It said nothing. Its script:');
    expect(card).toHaveTextContent(text);
    expect(screen.queryByText(/says no more about this step/)).toBeNull();
  });

  it('shows earlier decisions with their words, and the file they were about on demand', async () => {
    const brief = gateBrief({
      earlier: [
        legal(1, { answer: 'changes', words: 'asked for changes', comment: 'Name the owner.' }),
        legal(2, { comment: 'Keep an eye on § 3.', remark: 'Bo Berg answered with the key of Ada Lund.' }),
      ],
    });
    const host = new FakeHost().on('run.file', () => ({
      path: '.gatehouse/runs/01a1/contract/redlines.md',
      bytes: 12,
      digest: 'aa11',
      kind: 'markdown',
      html: '<p>The limit of § 11.</p>',
      changes: null,
      differs_on_disk: false,
    }));
    const { page, user } = await open({ ...brief, rehearsal: true }, host);
    const earlier = within(screen.getByTestId('gate-earlier'));
    const [first, second] = earlier.getAllByTestId('decision');
    for (const words of ['asked for changes', 'for legal', 'Ada Lund', 'Name the owner.', 'round 1'])
      expect(first).toHaveTextContent(words);
    expect(second).toHaveTextContent('Keep an eye on § 3.');
    expect(second).toHaveTextContent('Bo Berg answered with the key of Ada Lund.');
    expect(second).not.toHaveTextContent('.gatehouse');
    expect(earlier.getAllByRole('link')[1]).toHaveAttribute('href', '#/inbox/run-1/contract:redline:hitl/2');
    expect(await findings(page.container)).toEqual([]);
    await user.click(earlier.getAllByRole('button', { name: 'Show redlines.md' })[0] as HTMLElement);
    expect(await screen.findByText('The limit of § 11.')).toBeVisible();
    // The file lies over the brief and its mark: it has a mark of its own.
    expect(within(screen.getByRole('dialog')).getByTestId('rehearsal')).toBeVisible();
    expect(host.called('run.file')).toEqual([
      { run_id: 'run-1', path: '.gatehouse/runs/01a1/contract/redlines.md', digest: 'aa11' },
    ]);
  });

  it('says where another version of a file was decided on, and shows that one', async () => {
    const first = legal(1);
    const earlier = { ...first, files: first.files.map((one) => ({ ...one, earlier: true })) };
    const host = new FakeHost().on('run.file', () => {
      throw { code: 'not_found', message: 'This run knows no such file.', hint: null };
    });
    const { user } = await open(gateBrief({ earlier: [earlier, legal(2)] }), host);
    const [before, now] = screen.getAllByTestId('decision');
    expect(before).toHaveTextContent('redlines.md (another version by now)');
    expect(now).not.toHaveTextContent('another version');
    await user.click(screen.getByRole('button', { name: 'Show redlines.md as it was then' }));
    expect(await screen.findByText(/^As it was then: the file is another one/)).toBeVisible();
    expect(host.called('run.file')).toMatchObject([{ digest: 'aa11' }]);
  });

  it('keeps a long history short until somebody wants all of it', async () => {
    const { user } = await open(gateBrief({ earlier: Array.from({ length: 9 }, (_, i) => legal(i + 1)) }));
    expect(screen.getAllByTestId('decision')).toHaveLength(6);
    await user.click(screen.getByRole('button', { name: 'Show 3 more' }));
    expect(screen.getAllByTestId('decision')).toHaveLength(9);
  });

  it('makes the files of earlier steps reachable, and says which are only read', async () => {
    const host = new FakeHost().on('run.file', () => {
      throw { code: 'not_found', message: 'This run knows no such file.', hint: null };
    });
    const { user } = await open(
      gateBrief({
        materials: [
          {
            step: step('extract_terms', '1'),
            made: [{ path: 'out/terms.md', name: 'terms.md', digest: 'bb' }],
            read: [{ path: 'drafts/northwind.md', name: 'northwind.md' }],
          },
        ],
      }),
      host,
    );
    const files = within(screen.getByTestId('gate-materials'));
    expect(files.getByRole('button', { name: 'Show terms.md' })).toHaveAttribute('title', 'out/terms.md');
    await user.click(files.getByRole('button', { name: 'Show northwind.md' }));
    expect(host.called('run.file')).toEqual([{ run_id: 'run-1', path: 'drafts/northwind.md' }]);
    expect(await screen.findByText('This run knows no such file.')).toBeVisible();
  });
});
