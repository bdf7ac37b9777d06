import { ApiError, useHost, type GateBrief as Brief, type RoundView } from '$lib/api';
import { findings } from '$lib/axe';
import { answeredBy, gateBrief, gateCard } from '$lib/fixtures';
import { HostUnreachable } from '$lib/host';
import { FakeHost } from '$lib/host/fake';
import { cleanup, render, screen, within } from '@testing-library/svelte';
import { SvelteSet } from 'svelte/reactivity';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { alive, moment, momentsPass, passes, person, timeStands } from './__fixtures__/alive';
import { GateDesk, MOMENT_MS, TWICE_MS } from './desk.svelte';
import { drafts } from './drafts';
import GateBrief from './GateBrief.svelte';

// A busy machine needs longer than five seconds in all.
vi.setConfig({ testTimeout: 20_000 });
momentsPass();

/** A brief on screen, with a backend that answers as told. */
async function open(
  brief: Brief,
  answer: (params: never) => unknown = () => gateBrief({ answered: answeredBy('Reviewer') }),
  onname: (name: string) => Promise<ApiError | null> = async () => null,
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
    onname,
  });
  return { host, desk, onanswered, page, user: person() };
}

afterEach(() => localStorage.clear());

describe('a gate', () => {
  it('says of an earlier round that another question was asked then', async () => {
    const then = { ...(answeredBy('Petra') as RoundView), round: 1, question: 'May these documents be published?' };
    const now = { ...(answeredBy('Petra') as RoundView), round: 2, answer: null };
    await open(gateBrief({ round: 2, question: 'Shall we burn these documents?', rounds: [then, now] }));
    await alive();
    const said = screen.getAllByText(/Another question was asked then/);
    expect(said.map((one) => one.textContent)).toEqual([
      'Another question was asked then: “May these documents be published?”',
    ]);
  });

  it('says by when an answer is wanted, and that it is overdue once that has passed', async () => {
    const day = 86_400_000;
    const { page } = await open(gateBrief({ wanted_by: Date.now() + 20 * day }));
    expect(screen.getByTestId('wanted-by')).toHaveTextContent(/^Answer wanted by \w{3},? .+\d{1,2}:\d\d/);
    page.unmount();
    const late = await open(gateBrief({ wanted_by: Date.now() - 2 * day }));
    expect(screen.getByTestId('wanted-by')).toHaveTextContent(/^Overdue: answer was wanted by .+ \(2 days ago\)$/);
    expect(await findings(late.page.container)).toEqual([]);
    late.page.unmount();
    await open(gateBrief());
    expect(screen.queryByTestId('wanted-by')).toBeNull();
  });

  it('sends the answer bound to the round and to every artifact that was shown', async () => {
    const { host, onanswered, user } = await open(gateBrief({ round: 3 }));
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toEqual([
      {
        run_id: 'run-1',
        gate: 'critique',
        round: 3,
        answer: 'approve',
        comment: '',
        seen: ['aa11'],
        undrawn: [],
        by: 'Reviewer',
      },
    ]);
    expect(onanswered).toHaveBeenCalledOnce();
  });

  it.each([
    ['gate-changes', /what should change/],
    ['gate-reject', /why/],
  ])('asks for a comment before %s, beside the field and with the focus in it', async (button, words) => {
    const { host, user } = await open(gateBrief());
    await alive();
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

  it('says at the comment what the guardrails stop in it, and keeps the words', async () => {
    const said = 'Your comment holds a telephone number, which this project stops. Take it out and say it again.';
    const { desk, onanswered, user } = await open(gateBrief(), () => {
      throw { code: 'refused:guardrail', message: said, fields: { comment: said } };
    });
    await alive();
    const comment = screen.getByTestId('gate-comment');
    await user.type(comment, 'Call 555-123-4567');
    await user.click(screen.getByTestId('gate-changes'));
    await vi.waitFor(() => expect(comment).toHaveFocus());
    expect(comment).toBeInvalid();
    expect(comment).toHaveAccessibleDescription(said);
    expect(comment).toHaveValue('Call 555-123-4567');
    expect(desk.refused).toBeNull();
    expect(onanswered).not.toHaveBeenCalled();
    await user.type(comment, '!');
    expect(comment).toBeValid();
  });

  it('says beside the answers what the guardrails stop in more than the comment', async () => {
    const fields = { comment: 'Your comment holds one.', report: 'What you report holds another.' };
    const { desk, user } = await open(gateBrief(), () => {
      throw { code: 'refused:guardrail', message: Object.values(fields).join(' '), fields };
    });
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    expect(desk.commentError).toBe(fields.comment);
    expect(desk.refused?.message).toContain(fields.report);
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
    desk.show();
    await moment();
    expect(desk.live).toBe(true);
    expect(await desk.answer('approve', async () => null)).toBe(false);
    expect(desk.refused?.message).toBe('Ada approved this at 11:00.');
    expect(desk.brief.value?.answered?.by).toBe('Ada');
    const page = render(GateBrief, {
      desk,
      brief: desk.brief.value ?? gateBrief(),
      runHref: '',
      workflowHref: '',
      latestHref: '',
      onanswered: () => {},
      onname: async () => null,
    });
    expect(page.getByRole('alert')).toHaveTextContent('Ada approved this at 11:00.');
    expect(page.getByTestId('gate-answered')).toHaveTextContent('Ada');
    expect(page.queryByTestId('gate-approve')).toBeNull();
  });

  it('leads to the run around one that was answered, where nobody carries that on', async () => {
    const around = { run_id: 'run-9', title: 'Release', words: '“Release”, the run around this one, stands still.' };
    const brief = gateBrief({ answered: answeredBy('Ada'), around });
    useHost(new FakeHost().on('gate.brief', () => brief));
    const desk = new GateDesk(brief.run_id, brief.gate);
    await desk.brief.refresh();
    const page = render(GateBrief, {
      desk,
      brief,
      runHref: '',
      aroundHref: '#/run/run-9',
      workflowHref: '',
      latestHref: '',
      onanswered: () => {},
      onname: async () => null,
    });
    expect(page.getByTestId('gate-around')).toHaveTextContent('stands still');
    expect(page.getByRole('link', { name: 'Open “Release”' })).toHaveAttribute('href', '#/run/run-9');
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
    await alive();
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

  it('shows a document as it is written, in the first round too', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    artifact.written = '<pre>&lt;!-- without limit --&gt;</pre>';
    const { user } = await open(brief);
    expect(screen.queryByText('<!-- without limit -->')).toBeNull();
    await user.click(screen.getByLabelText('As written'));
    expect(screen.getByText('<!-- without limit -->')).toBeVisible();
  });

  it('says what cannot be shown, and saves a copy of exactly that version', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    const not_shown = 'This is an Excel workbook: it cannot be shown here.';
    Object.assign(artifact, { path: 'out/a.xlsx', kind: 'binary', html: null, not_shown });
    const { host, user } = await open(brief);
    host.on('run.file.save', () => ({ path: '/project/reports/a.xlsx', bytes: 9 }));
    expect(screen.getByText(not_shown)).toBeVisible();
    expect(screen.queryByTestId('artifact-remark')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Save a copy…' }));
    expect(host.called('run.file.save')).toEqual([{ run_id: brief.run_id, path: 'out/a.xlsx', digest: 'aa11' }]);
  });

  it('says of a Word document that is shown what of it is not drawn', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    const remark = 'This file is shown as its words; layout, fonts and pictures are not drawn. Save a copy …';
    Object.assign(artifact, { path: 'out/a.docx', kind: 'word', html: '<p>1.\u2003We pay.</p>', remark });
    await open(brief);
    expect(screen.getByText(/We pay\./)).toBeVisible();
    expect(screen.getByTestId('artifact-remark')).toHaveTextContent(remark);
  });

  it('says beside the answers of which files not all can be shown', async () => {
    const brief = gateBrief();
    Object.assign(brief.artifacts[0] ?? {}, {
      path: 'out/a.docx',
      kind: 'word',
      html: '<p>[picture]</p>',
      partly: true,
      not_shown_short: 'not all of it can be drawn',
    });
    await open(brief);
    await alive();
    expect(screen.getByTestId('gate-undrawn')).toHaveTextContent(
      'Not all shown so far: a.docx (not all of it can be drawn).',
    );
  });

  it('says which files it has not drawn, in sight of the answers and with the answer', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    const picture = (path: string, digest: string) => ({
      ...artifact,
      path,
      digest,
      kind: 'picture' as const,
      html: null,
    });
    brief.artifacts = [artifact, picture('out/a.png', 'bb22'), picture('out/b.png', 'cc33')];
    const { host, desk, user } = await open(brief);
    await alive();
    const says = (text: string) => expect(screen.getByTestId('gate-undrawn')).toHaveTextContent(text);
    const why = 'not all of it can be drawn';
    await vi.waitFor(() => says(`Not all shown so far: a.png (${why}), b.png (${why}). Answered now,`));
    desk.drew('bb22');
    await vi.waitFor(() => says(`Not all shown so far: b.png (${why}). Answered now,`));
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ seen: ['aa11', 'bb22', 'cc33'], undrawn: ['cc33'] }]);
  });

  it('names every file that cannot be shown beside the answers, each with why, and those of one name by their folders', async () => {
    const brief = gateBrief();
    const [artifact] = brief.artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    const binary = (path: string, digest: string, not_shown_short: string) => ({
      ...artifact,
      ...{ path, digest, not_shown_short, kind: 'binary' as const, html: null, not_shown: 'It cannot be shown here.' },
    });
    brief.artifacts = [
      { ...artifact, path: 'fr/plan.xlsx', digest: 'aa11' },
      binary('en/plan.xlsx', 'bb22', 'Excel workbook'),
      binary('long.txt', 'cc33', 'larger than 1 MiB'),
    ];
    const { host, user } = await open(brief);
    await alive();
    expect(screen.getByTestId('gate-undrawn')).toHaveTextContent(
      'Not all shown so far: en/plan.xlsx (Excel workbook), long.txt (larger than 1 MiB). Answered now,',
    );
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ undrawn: ['bb22', 'cc33'] }]);
  });

  it('begins with the whole of a file that was only named before, and its changes alone do not count as shown', async () => {
    const brief = gateBrief();
    const changes = { since: 'since round 1', html: '<p>what is new</p>', added: 1, removed: 0 };
    Object.assign(brief.artifacts[0] ?? {}, { changes, unseen_before: true });
    let tell = () => {};
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(readonly told: (seen: unknown[]) => void) {}
        observe(target: Element) {
          const before = tell;
          tell = () => (before(), this.told([{ isIntersecting: true, intersectionRatio: 1, target }]));
        }
        disconnect() {}
      },
    );
    const { desk, user } = await open(brief);
    expect(screen.queryByText('what is new')).toBeNull();
    await user.click(screen.getByText('Changes'));
    expect(screen.getByText('what is new')).toBeVisible();
    tell = () => {};
    await alive();
    tell();
    expect(desk.undrawn).toHaveLength(1);
    await user.click(screen.getByText('Whole text'));
    await vi.waitFor(() => {
      tell();
      expect(desk.undrawn).toEqual([]);
    });
    vi.unstubAllGlobals();
  });

  it('keeps what was on the screen while another question is looked at', async () => {
    const shown = new SvelteSet<string>();
    const brief = gateBrief();
    useHost(new FakeHost().on('gate.brief', () => brief));
    const first = new GateDesk(brief.run_id, brief.gate, null, shown);
    await first.brief.refresh();
    first.drew('aa11');
    const again = new GateDesk(brief.run_id, brief.gate, null, shown);
    await again.brief.refresh();
    expect(again.undrawn).toEqual([]);
    brief.round += 1;
    const later = new GateDesk(brief.run_id, brief.gate, null, shown);
    await later.brief.refresh();
    expect(later.undrawn.map(({ digest }) => digest)).toEqual(['aa11']);
  });

  it('says of a text whose end was never on the screen that not all of it was shown', async () => {
    let scroll = () => {};
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(readonly told: (seen: unknown[]) => void) {}
        observe(target: Element) {
          const tell = (isIntersecting: boolean) =>
            this.told([{ isIntersecting, intersectionRatio: isIntersecting ? 1 : 0, target }]);
          if (target.nextElementSibling) return tell(true);
          tell(false);
          scroll = () => tell(true);
        }
        disconnect() {}
      },
    );
    const { host, user } = await open(gateBrief());
    await alive();
    expect(screen.getByTestId('gate-undrawn')).toHaveTextContent(
      'Not all shown so far: requirements.md (not all seen yet).',
    );
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ seen: ['aa11'], undrawn: ['aa11'] }]);
    cleanup();
    const read = await open(gateBrief());
    await alive();
    scroll();
    await vi.waitFor(() => expect(screen.queryByTestId('gate-undrawn')).toBeNull());
    await read.user.click(screen.getByTestId('gate-approve'));
    expect(read.host.called('gate.answer')).toMatchObject([{ undrawn: [] }]);
    vi.unstubAllGlobals();
  });

  it('says with the answer what was undrawn when it was pressed, also where a name had to be saved first', async () => {
    const brief = gateBrief();
    brief.signer.name = '';
    Object.assign(brief.artifacts[0] ?? {}, { path: 'out/a.png', kind: 'picture', html: null });
    const { host, desk } = await open(brief);
    await alive();
    desk.name = 'Ada';
    await desk.answer('approve', async () => {
      desk.drew('aa11');
      desk.brief.put({ ...brief, artifacts: [] });
      return null;
    });
    expect(host.called('gate.answer')).toMatchObject([{ seen: ['aa11'], undrawn: ['aa11'] }]);
  });

  it('says with the answer that a picture could not be had', async () => {
    const brief = gateBrief();
    Object.assign(brief.artifacts[0] ?? {}, { path: 'out/a.png', kind: 'picture', html: null });
    const { host, user } = await open(brief);
    // It was not to be had at once.
    expect(await screen.findByTestId('artifact-not-shown')).toBeVisible();
    expect(host.called('run.file.bytes')).toEqual([{ run_id: 'run-1', path: 'out/a.png', digest: 'aa11' }]);
    await alive();
    expect(screen.getByTestId('gate-undrawn')).toBeVisible();
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ undrawn: ['aa11'] }]);
  });

  /** A runbook's prompt: the author's words stand on the buttons. */
  const outcome = (over: Partial<Brief> = {}) => {
    const preview = { allowed: true, refusal: null, needs_comment: false, runs: [], never_runs: [] };
    return gateBrief({
      purpose: 'outcome',
      is_question: true,
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
    expect(screen.getByText('You are asked this')).toBeVisible();
    expect(screen.getByTestId('gate-instructions')).toHaveTextContent('Look at the dashboard.');
    expect(screen.getByTestId('gate-command')).toHaveTextContent('Gatehouse does not run it');
    expect(screen.getByTestId('gate-pass')).toHaveTextContent('YES');
    expect(screen.queryByTestId('gate-approve')).toBeNull();
    expect(screen.getByText('“Roll back” comes next.')).toBeVisible();
    await alive();
    await user.click(screen.getByTestId('gate-fail'));
    expect(host.called('gate.answer')).toEqual([
      {
        run_id: 'run-1',
        gate: 'critique',
        round: 1,
        answer: 'fail',
        comment: '',
        seen: [],
        undrawn: [],
        by: 'Reviewer',
      },
    ]);
  });

  it('has whoever carried a step out report what decides the way on, with what follows from it', async () => {
    const options = [
      { value: 'GOOD', label: 'GOOD', words: '“Approve” comes next.' },
      { value: 'GOODISH', label: 'GOODISH', words: 'back to “Draft” for another round.' },
      { value: 'other', label: 'something else', words: 'back to “Draft” for another round.', any_other: true },
    ];
    const { host, user } = await open(outcome({ reports: [{ field: 'verdict', options }] }));
    await alive();
    // Nothing is chosen for anybody, and without it nothing goes on.
    expect(screen.getByTestId('gate-pass')).toBeDisabled();
    expect(screen.getByTestId('gate-fail')).toBeEnabled();
    await user.click(screen.getByLabelText('something else'));
    expect(screen.getByTestId('gate-reports')).toHaveTextContent('back to “Draft” for another round.');
    // What else it is, is said by whoever answers: a value that nobody said is not recorded.
    expect(screen.getByTestId('gate-pass')).toBeDisabled();
    await user.type(screen.getByLabelText('What it is: verdict'), 'GOODISH, but late');
    await user.click(screen.getByTestId('gate-pass'));
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'pass', report: { verdict: 'GOODISH, but late' } }]);
  });

  it('leaves open what may be, and says of a number that is none what is wrong with it', async () => {
    const reports = [
      { field: 'viscosity', options: [] },
      { field: 'note', options: [], optional: true },
    ];
    const said = '“viscosity”: `6,2` is written 6.2 here.';
    const { host, user } = await open(outcome({ reports }), () => {
      throw { code: 'refused:report_unfit', message: said, hint: null, fields: { viscosity: said } };
    });
    await alive();
    expect(screen.getByTestId('gate-pass')).toBeDisabled();
    await user.type(screen.getByLabelText('What came of it: viscosity'), '6,2');
    await user.click(screen.getByTestId('gate-pass'));
    expect(await screen.findByTestId('gate-refused')).toHaveTextContent(said.replaceAll('`', ''));
    expect(screen.getByLabelText('What came of it: viscosity')).toHaveValue('6,2');
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'pass', report: { viscosity: '6,2' } }]);
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
    await alive();
    await user.click(screen.getByTestId('gate-reject'));
    expect(host.called('gate.answer')).toEqual([]);
    expect(screen.getByTestId('gate-comment')).toHaveFocus();
    await user.click(screen.getByLabelText('during this run'));
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'approve', lasting: 'run' }]);
  });

  it('says that nothing of a command has been run only while it is asked for', async () => {
    const brief = permission();
    const { page } = await open(brief);
    expect(screen.getByTestId('gate-command')).toHaveTextContent('Nothing of it has been run yet.');
    page.unmount();
    await open({ ...brief, answered: answeredBy('Ada') });
    expect(screen.getByTestId('gate-command')).not.toHaveTextContent('Nothing of it has been run yet.');
  });

  it('says that what is shown comes from a script, whatever was answered at the start', async () => {
    await open(gateBrief({ rehearsal: true, scripted: 'waits for compliance' }));
    expect(screen.getByTestId('gate-rehearsal')).toHaveTextContent(
      'The script “waits for compliance” says what is shown and reported: it uses nothing that was entered at the start',
    );
  });

  it('shows what was entered at the start to whoever decides, and that a script does not use it', async () => {
    const entered = [{ name: 'Who is to be paid?', value: 'Acme Trading Panama SA' }];
    const { page } = await open(gateBrief({ entered }));
    const card = screen.getByTestId('gate-entered');
    expect(card).toHaveTextContent('What was entered at the start');
    expect(card).toHaveTextContent('Who is to be paid? Acme Trading Panama SA');
    expect(card).not.toHaveTextContent('does not use it');
    page.unmount();
    await open(gateBrief({ entered, rehearsal: true, scripted: 'everybody approves' }));
    expect(screen.getByTestId('gate-entered')).toHaveTextContent('The script “everybody approves” does not use it.');
  });

  it('signs what is final only when it is pressed again: a double click is one press', async () => {
    const brief = gateBrief();
    const answers = brief.answers.map((one) => (one.answer === 'reject' ? { ...one, for_good: true } : one));
    const { host, user } = await open({ ...brief, answers });
    await alive();
    await user.type(screen.getByTestId('gate-comment'), 'not this year');
    const reject = screen.getByTestId('gate-reject');
    await user.dblClick(reject);
    expect(host.called('gate.answer')).toEqual([]);
    expect(reject).toHaveTextContent('Reject for good');
    expect(screen.getByTestId('gate-sure')).toHaveTextContent('This is final');
    expect(reject).toHaveAccessibleDescription(/Press “Reject for good” once more/);
    // Whoever goes on to something else is not sure any more.
    await user.click(screen.getByTestId('gate-comment'));
    expect(reject).toHaveTextContent(/^Reject$/);
    // The keyboard does it as well.
    reject.focus();
    await user.keyboard('{Enter}');
    expect(host.called('gate.answer')).toEqual([]);
    const later = performance.now() + TWICE_MS;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    await user.keyboard('{Enter}');
    vi.mocked(performance.now).mockRestore();
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'reject', comment: 'not this year' }]);
  });

  it('asks once more what is said to be done without its files', async () => {
    const brief = outcome();
    const confirm = 'docs/signed.txt is not there. PASS all the same?';
    const answers = brief.answers.map((one) => (one.answer === 'pass' ? { ...one, confirm } : one));
    const { host, user } = await open({ ...brief, answers });
    await alive();
    const pass = screen.getByTestId('gate-pass');
    await user.click(pass);
    expect(host.called('gate.answer')).toEqual([]);
    expect(screen.getByTestId('gate-sure')).toHaveTextContent(confirm);
    expect(pass).not.toHaveTextContent('for good');
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + TWICE_MS);
    await user.click(pass);
    vi.mocked(performance.now).mockRestore();
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'pass' }]);
  });

  it('keeps a long name out of the button, which it would break in two', async () => {
    const name = 'Dr. Anna-Katharina Vollenweider-Oppenheimer';
    const brief = gateBrief();
    await open({ ...brief, signer: { ...brief.signer, name } });
    expect(screen.getByTestId('gate-approve')).toHaveTextContent(/^Approve$/);
    await alive();
    expect(screen.getByTestId('gate-answers')).toHaveTextContent(name);
  });

  it('says once what becomes of several answers alike', async () => {
    const options = ['Approve', 'Repair it', 'Reject'].map((label, i) => ({
      answer: i === 2 ? ('reject' as const) : ('choose' as const),
      way: String(i),
      label,
      reversibility: i === 2 ? 'final' : 'counts for this round',
    }));
    await open(gateBrief({ record: { id: 'a:1', options } }));
    const record = screen.getByTestId('gate-record');
    expect(record.querySelectorAll('dl dd')).toHaveLength(2);
    expect(record).toHaveTextContent('Approve, Repair it counts for this round');
  });

  it('of a rehearsal is marked at its question and where it is answered', async () => {
    const { page } = await open(gateBrief({ rehearsal: true }));
    const head = screen.getByRole('heading', { level: 1 }).closest('header') as HTMLElement;
    expect(within(head).getByTestId('rehearsal')).toBeVisible();
    expect(within(screen.getByTestId('gate-answers')).getByTestId('rehearsal')).toBeVisible();
    page.unmount();
    await open(gateBrief());
    expect(screen.queryByTestId('rehearsal')).toBeNull();
  });

  it('has no accessibility findings, whatever is asked', async () => {
    for (const brief of [gateBrief(), outcome(), permission()]) {
      const { page } = await open(brief);
      expect(await findings(page.container)).toEqual([]);
      page.unmount();
    }
  });
});

// The moment itself is what some of these are about: in them it passes as far as they say.
describe('answers that cannot be given by accident', () => {
  const bar = () => screen.getByTestId('gate-answers');

  it('sleep until the brief has been on screen for a moment, for the pointer and for the keyboard', async () => {
    timeStands();
    const { host, user } = await open(gateBrief());
    const approve = screen.getByTestId('gate-approve');
    expect(bar()).toHaveAttribute('data-live', 'false');
    expect(approve).toHaveAttribute('aria-disabled', 'true');
    expect(approve).toHaveAccessibleDescription('You can answer in a moment.');
    await user.click(approve);
    approve.focus();
    await user.keyboard('{Enter} ');
    expect(host.called('gate.answer')).toEqual([]);
    await alive();
    expect(approve).toHaveFocus();
    expect(approve).toHaveAttribute('aria-disabled', 'false');
    await user.keyboard('{Enter}');
    expect(host.called('gate.answer')).toHaveLength(1);
  });

  it('take no notice of a key that is held down', async () => {
    const { host } = await open(gateBrief());
    await alive();
    const approve = screen.getByTestId('gate-approve');
    // As a browser does it: a key that nobody prevents presses the button, once for each repetition.
    const press = (repeat: boolean) => {
      const key = new KeyboardEvent('keydown', { key: 'Enter', repeat, bubbles: true, cancelable: true });
      if (approve.dispatchEvent(key)) approve.click();
    };
    press(true);
    expect(host.called('gate.answer')).toEqual([]);
    press(false);
    await vi.waitFor(() => expect(host.called('gate.answer')).toHaveLength(1));
  });

  it('wake also while a busy run has the brief asked for again and again', async () => {
    vi.useRealTimers();
    const { host, desk, page } = await open(gateBrief());
    // Another object each time, which says the same.
    host.on('gate.brief', () => gateBrief());
    const refreshed = setInterval(() => {
      void desk.refresh().then(() => page.rerender({ brief: desk.brief.value ?? gateBrief() }));
    }, MOMENT_MS * 0.3);
    await alive();
    clearInterval(refreshed);
  });

  it('sleep again in the very moment in which the brief changes, and say what changed', async () => {
    const { host, desk, page, user } = await open(gateBrief());
    await alive();
    const [artifact] = gateBrief().artifacts;
    if (!artifact) throw new Error('the fixture has an artifact');
    const second = gateBrief({ round: 2, artifacts: [{ ...artifact, digest: 'bb22' }] });
    desk.brief.put(second);
    // Before anything is drawn anew: what stands on screen is not what would be signed.
    expect(await desk.answer('approve', async () => null)).toBe(false);
    await page.rerender({ brief: second });
    expect(bar()).toHaveAttribute('data-live', 'false');
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toEqual([]);
    expect(screen.getByTestId('gate-changed')).toHaveTextContent(
      'Changed while you were reading: round 2 began. requirements.md changed.',
    );
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    expect(host.called('gate.answer')).toMatchObject([{ round: 2, seen: ['bb22'] }]);
  });

  it('say that an answer was not taken that came after somebody else’s, once another round has begun', async () => {
    const { host, desk, page, user } = await open(gateBrief(), () => {
      throw { code: 'refused:already_answered', message: 'Ada asked for changes at 11:00.', hint: null };
    });
    const shows = async (brief: Brief) => {
      host.on('gate.brief', () => brief);
      await desk.refresh();
      await page.rerender({ brief });
    };
    await alive();
    await user.type(screen.getByTestId('gate-comment'), 'ok to print');
    host.on('gate.brief', () => gateBrief({ answered: answeredBy('Ada') }));
    await user.click(screen.getByTestId('gate-approve'));
    await shows(gateBrief({ answered: answeredBy('Ada') }));
    await shows(gateBrief({ round: 2 }));
    expect(screen.getByTestId('gate-changed')).toHaveTextContent(
      'Your “Approve” came too late and was not taken: round 2 began. Changed while you were reading: round 2 began.',
    );
    // Another answer is another matter.
    host.on('gate.answer', () => {
      throw { code: 'disk_full', message: 'The disk is full.', hint: null };
    });
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    expect(await screen.findByRole('alert')).toHaveTextContent('The disk is full.');
    expect(screen.queryByTestId('gate-late')).toBeNull();
  });

  it('say the same where another round began just before one was pressed', async () => {
    const { host, desk, page, user } = await open(gateBrief());
    await alive();
    const second = gateBrief({ round: 2 });
    desk.brief.put(second);
    await page.rerender({ brief: second });
    expect(screen.queryByTestId('gate-late')).toBeNull();
    await user.click(screen.getByTestId('gate-approve'));
    expect(screen.getByTestId('gate-late')).toHaveTextContent('Your “Approve” came too late and was not taken');
    expect(host.called('gate.answer')).toEqual([]);
  });

  it('are not woken by a moment that another brief was on screen for', async () => {
    timeStands();
    const { desk, page } = await open(gateBrief());
    await passes(MOMENT_MS * 0.7);
    const second = gateBrief({ round: 2 });
    desk.brief.put(second);
    await page.rerender({ brief: second });
    await passes(MOMENT_MS * 0.6);
    expect(bar()).toHaveAttribute('data-live', 'false');
    await alive();
  });

  it('leave what was decided on screen: nothing that acts takes the focus, and a newer round does not take its place', async () => {
    const { host, desk, page, user } = await open(gateBrief());
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    const answered = gateBrief({ answered: answeredBy('Reviewer'), run_status: 'done' });
    await page.rerender({
      brief: answered,
      next: { card: gateCard(), href: '#/inbox/run-2/g', sameRun: false },
    });
    const done = screen.getByTestId('gate-answered');
    expect(done).toHaveTextContent('You approved');
    expect(screen.queryByTestId('gate-approve')).toBeNull();
    const next = screen.getByTestId('gate-next');
    expect(next).toHaveAttribute('href', '#/inbox/run-2/g');
    expect(done).toContainElement(document.activeElement as HTMLElement);
    expect(document.activeElement?.tagName).not.toMatch(/^(A|BUTTON)$/);
    // Asked again, it asks for the round that was answered.
    await desk.refresh();
    expect(host.called('gate.brief').at(-1)).toMatchObject({ round: 1 });
  });

  it('say that the run ended with the answer, and that it can be gone on with', async () => {
    const came =
      'With this answer the run ended as failed. Nothing of it is lost: open the run to resume it where it stopped.';
    await open(gateBrief({ answered: answeredBy('Reviewer', { answer: 'fail' }), run_status: 'failed', came }));
    expect(screen.getByTestId('gate-came')).toHaveTextContent(came);
    expect(screen.getByRole('link', { name: 'Open the run' })).toHaveAttribute('href', '#/run/run-1');
  });

  it('tell what is offered next apart from what was just decided', async () => {
    const { page, user } = await open(gateBrief());
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    const card = gateCard({
      run_id: 'run-2',
      rehearsal: true,
      subject: 'Northwind Hosting AB',
      role: 'legal',
      workflow_title: 'Review a contract',
    });
    const answered = gateBrief({ answered: answeredBy('Reviewer') });
    await page.rerender({ brief: answered, next: { card, href: '#/inbox/run-2/g', sameRun: false } });
    const done = within(screen.getByTestId('gate-answered'));
    expect(done.getByTestId('rehearsal')).toBeVisible();
    expect(done.getByText('Northwind Hosting AB')).toBeVisible();
    expect(done.getByText(/asks legal · Review a contract/)).toBeVisible();
  });

  it('say that the run goes on, and offer its own question before any other', async () => {
    const { page, user } = await open(gateBrief());
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    const answered = gateBrief({ answered: answeredBy('Reviewer'), run_status: 'running' });
    const elsewhere = { card: gateCard(), href: '#/inbox/run-2/g', sameRun: false };
    await page.rerender({ brief: answered, next: elsewhere });
    expect(screen.getByTestId('gate-answered')).toHaveTextContent('If this run asks again, the question appears here.');
    await page.rerender({ brief: answered, next: { card: gateCard(), href: '#/inbox/run-1/h', sameRun: true } });
    expect(screen.getByTestId('gate-next')).toHaveTextContent('Next in this run');
    expect(screen.queryByText(/appears here/)).toBeNull();
  });
});

describe('a gate that asks somebody else', () => {
  const asks = (name: string) =>
    gateBrief({ asks: ['Maria Lopez'], role: 'Maria Lopez', asks_other: true, signer: { name, key_short: '7F3A…C2' } });

  it('says so before it is answered, beside the name that signs', async () => {
    await open(asks('Pat Kim'));
    await alive();
    expect(screen.getByTestId('gate-asks-other')).toHaveTextContent('This asks Maria Lopez. You answer as Pat Kim.');
    expect(screen.getByTestId('gate-approve')).toHaveAccessibleDescription(/You answer as Pat Kim/);
  });

  it('says whom it asks to whoever has no name yet', async () => {
    const { user } = await open(asks(''));
    const said = screen.getByTestId('gate-asks-other');
    await user.type(screen.getByTestId('gate-name'), 'Pat Kim');
    expect(said).toHaveTextContent(/^This asks Maria Lopez\.$/);
  });

  it('says nothing where the program finds that it asks whoever signs', async () => {
    await open({ ...asks('Pat Kim'), asks_other: false });
    expect(screen.queryByTestId('gate-asks-other')).toBeNull();
  });
});

describe('a refusal', () => {
  const nameless = () => gateBrief({ signer: { name: '', key_short: '7F3A…C2' } });

  it('asks for the name where it is given, and takes the one that is typed: saved and signed in one go', async () => {
    const brief = nameless();
    const saved: string[] = [];
    const { host, user, onanswered } = await open(brief, undefined, async (name) => {
      saved.push(name);
      return null;
    });
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    const name = screen.getByTestId('gate-name');
    expect(name).toHaveFocus();
    expect(name).toHaveAccessibleDescription(/Enter your name first/);
    expect(host.called('gate.answer')).toEqual([]);
    await user.type(name, 'Ada Lund');
    expect(name).toBeValid();
    expect(screen.getByTestId('gate-approve')).toHaveTextContent('Approve as Ada Lund');
    await user.click(screen.getByTestId('gate-approve'));
    expect(saved).toEqual(['Ada Lund']);
    expect(host.called('gate.answer')).toHaveLength(1);
    expect(onanswered).toHaveBeenCalledOnce();
  });

  it('keeps the name that is typed while one looks at something else, until it is saved', async () => {
    const first = await open(nameless());
    await first.user.type(screen.getByTestId('gate-name'), 'Ada Lund');
    first.page.unmount();
    const again = await open(nameless(), undefined, async () => null);
    expect(screen.getByTestId('gate-name')).toHaveValue('Ada Lund');
    await alive();
    await again.user.click(screen.getByTestId('gate-approve'));
    await vi.waitFor(() => expect(drafts.name()).toBe(''));
  });

  it('leaves the caret at the comment once the name is saved', async () => {
    const { host, user } = await open(nameless(), undefined, async () => {
      host.on('gate.brief', () => gateBrief());
      return null;
    });
    await user.type(screen.getByTestId('gate-name'), 'Ada Lund{Enter}');
    await vi.waitFor(() => expect(screen.getByTestId('gate-comment')).toHaveFocus());
  });

  it('says at the field why a name cannot be used, and sends nothing', async () => {
    const refused = new ApiError('bad_name', 'A name has at most 120 characters.');
    const { host, user } = await open(nameless(), undefined, async () => refused);
    await alive();
    await user.type(screen.getByTestId('gate-name'), 'x');
    await user.click(screen.getByTestId('gate-approve'));
    expect(screen.getByTestId('gate-name')).toHaveAccessibleDescription(/at most 120 characters/);
    expect(host.called('gate.answer')).toEqual([]);
  });

  it('of the backend stands beside the buttons, is read out, and leaves when what it speaks of has changed', async () => {
    const { desk, page, user } = await open(gateBrief(), () => {
      throw { code: 'refused:shown_changed', message: 'The files shown are other ones now.', hint: null };
    });
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    const refused = await screen.findByRole('alert');
    expect(refused).toHaveTextContent('The files shown are other ones now.');
    expect(screen.getByTestId('gate-answers')).toContainElement(refused);
    const changed = gateBrief({ artifacts: [] });
    desk.brief.put(changed);
    await page.rerender({ brief: changed });
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('for want of a connection leaves when the connection is back', async () => {
    let up = false;
    const { host, desk, user } = await open(gateBrief(), () => {
      throw new HostUnreachable();
    });
    host.on('gate.brief', () => {
      if (!up) throw new HostUnreachable();
      return gateBrief();
    });
    await alive();
    await user.click(screen.getByTestId('gate-approve'));
    expect(await screen.findByRole('alert')).toHaveTextContent('Gatehouse does not answer.');
    up = true;
    await desk.refresh();
    await vi.waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });
});

describe('a comment that is being written', () => {
  it('is there again when one comes back, for its round alone, and is forgotten once it was used', async () => {
    const first = await open(gateBrief());
    await first.user.type(screen.getByTestId('gate-comment'), 'Keep an eye on § 3');
    first.page.unmount();
    const other = await open(gateBrief({ gate: 'another' }));
    expect(screen.getByTestId('gate-comment')).toHaveValue('');
    other.page.unmount();
    const again = await open(gateBrief());
    expect(screen.getByTestId('gate-comment')).toHaveValue('Keep an eye on § 3');
    await alive();
    await again.user.click(screen.getByTestId('gate-approve'));
    expect(again.host.called('gate.answer')).toMatchObject([{ comment: 'Keep an eye on § 3' }]);
    again.page.unmount();
    await open(gateBrief());
    expect(screen.getByTestId('gate-comment')).toHaveValue('');
  });

  it('is not lost to a round that begins meanwhile, nor to somebody who answers first', async () => {
    const { host, desk, page, user } = await open(gateBrief());
    await user.type(screen.getByTestId('gate-comment'), 'Name the owner');
    host.on('gate.brief', () => gateBrief({ round: 2 }));
    await desk.refresh();
    await page.rerender({ brief: gateBrief({ round: 2 }) });
    // It is offered, and is nobody's answer to what is asked now.
    expect(screen.getByTestId('gate-comment')).toHaveValue('');
    expect(drafts.read('run-1', 'critique', 2)).toBe('');
    expect(screen.getByTestId('gate-begun')).toHaveTextContent('You had begun for round 1: “Name the owner”');
    await user.click(screen.getByRole('button', { name: 'Take it over' }));
    expect(screen.getByTestId('gate-comment')).toHaveValue('Name the owner');
    expect(screen.queryByTestId('gate-begun')).toBeNull();
    await user.clear(screen.getByTestId('gate-comment'));
    await user.type(screen.getByTestId('gate-comment'), 'Name the owner');
    const answered = gateBrief({ round: 2, answered: answeredBy('Bo', { round: 2 }) });
    host.on('gate.brief', () => answered);
    await desk.refresh();
    await page.rerender({ brief: answered });
    expect(screen.getByTestId('gate-unsent')).toHaveTextContent('Name the owner');
  });

  it('is not called unused when it is the very comment the answer was given with', async () => {
    const { desk, page, user } = await open(gateBrief());
    await user.type(screen.getByTestId('gate-comment'), 'Name the owner ');
    // Given in another tab, or here before this brief was opened again.
    const answered = gateBrief({ answered: answeredBy('Reviewer', { comment: 'Name the owner' }) });
    desk.brief.put(answered);
    await page.rerender({ brief: answered });
    expect(screen.getByTestId('gate-answered')).toBeVisible();
    expect(screen.queryByTestId('gate-unsent')).toBeNull();
  });

  it('goes when nobody has gone on with it for weeks', () => {
    vi.useFakeTimers({ now: Date.parse('2026-01-01'), toFake: ['Date'] });
    drafts.keep('run-1', 'critique', 1, 'old');
    vi.setSystemTime(Date.parse('2026-03-01'));
    drafts.keep('run-2', 'critique', 1, 'new');
    localStorage.setItem('gatehouse.draft.run-3/critique/1', 'of a time nobody knows');
    drafts.sweep();
    vi.useRealTimers();
    expect(drafts.read('run-1', 'critique', 1)).toBe('');
    expect(drafts.read('run-2', 'critique', 1)).toBe('new');
    expect(Object.keys(localStorage)).toEqual(['gatehouse.draft.run-2/critique/1']);
  });
});

it('a round in which nothing changed says so', async () => {
  const words = 'You asked: “a line of its own”. Neither file has changed since round 1.';
  const brief = gateBrief({ round: 2, unchanged: words });
  brief.artifacts = brief.artifacts.map((one) => ({ ...one, same_since: 1 }));
  await open(brief);
  expect(screen.getByTestId('gate-unchanged')).toHaveTextContent(words);
  expect(screen.getByTestId('artifact')).toHaveTextContent('not changed since round 1');
});

it('what was said of a round stays once it is answered', async () => {
  const words = 'You asked: “a line of its own”. Neither file has changed since round 1.';
  await open(gateBrief({ round: 2, unchanged: words, answered: answeredBy('Reviewer') }));
  expect(screen.getByTestId('gate-unchanged')).toHaveTextContent(words);
});

it('what has to be said of the way here stands before what is shown', async () => {
  const missed =
    'The loop at “Check” is used up (3 times back, the most it may go): the last status was FAIL. “Rent is wrong.”';
  const again = 'Ada asked for changes at “May we sign?”: “Name the owner.” This is the 2nd time that “Draft” is done.';
  const { page } = await open(gateBrief({ missed: [missed], again }));
  expect(screen.getByTestId('gate-missed')).toHaveTextContent(missed);
  expect(screen.getByTestId('gate-again')).toHaveTextContent(again);
  const [first] = screen.getAllByTestId('artifact');
  expect(
    screen.getByTestId('gate-again').compareDocumentPosition(first!) & Node.DOCUMENT_POSITION_FOLLOWING,
  ).toBeTruthy();
  page.unmount();
  await open(gateBrief({ missed: [missed], again, answered: answeredBy('Reviewer') }));
  expect(screen.getByTestId('gate-missed')).toHaveTextContent(missed);
  expect(screen.queryByTestId('gate-again')).toBeNull();
});

describe('the way on', () => {
  const preview = { allowed: true, refusal: null, needs_comment: false, runs: [], never_runs: [] };
  const asked = () =>
    gateBrief({
      purpose: 'way',
      question: 'Where shall it go on after “Triage”?',
      answers: [
        { ...preview, answer: 'choose', way: 'advance:fix', label: 'Go on to “Fix”', words: '“Fix” runs next.' },
        { ...preview, answer: 'choose', way: 'terminate', label: 'End here', words: 'The flow ends here, as done.' },
        { ...preview, answer: 'changes', label: 'Request changes', needs_comment: true, words: 'Again.' },
        { ...preview, answer: 'reject', label: 'Reject', needs_comment: true, words: 'The run ends as refused.' },
      ],
    });

  it('is chosen by the person, who is offered none first', async () => {
    const { host, user, page } = await open(asked());
    await alive();
    const choose = screen.getByTestId('gate-choose');
    expect(choose).toHaveTextContent('Choose this way');
    expect(choose).toBeDisabled();
    expect(screen.getByTestId('gate-answers')).toHaveTextContent('Choose where it goes on.');
    expect(screen.getAllByRole('radio').every((radio) => !(radio as HTMLInputElement).checked)).toBe(true);
    await user.click(screen.getByLabelText('Go on to “Fix”'));
    expect(choose).toBeEnabled();
    expect(choose).toHaveTextContent('Go on to “Fix”');
    expect(await findings(page.container)).toEqual([]);
    await user.click(choose);
    expect(host.called('gate.answer')).toMatchObject([{ answer: 'choose', way: 'advance:fix' }]);
  });
});
