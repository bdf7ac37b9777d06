import type { DecidedCard, GateBrief, GateCard, InboxView, RoundView } from '$lib/api';
import { findings } from '$lib/axe';
import { answeredBy, gateBrief, gateCard, runRow, settings } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { announcer } from '$lib/ui/announce.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import App from '../App.svelte';
import { session } from '../app/session.svelte';
import { tour } from '../features/inbox/tour.svelte';
import { alive, momentsPass, person } from '../features/gate/__fixtures__/alive';

// The whole window is mounted each time.
vi.setConfig({ testTimeout: 20_000 });
momentsPass();

/** A project where two decisions wait, and answers take effect. */
function project(): FakeHost {
  const waiting = [
    gateCard({ run_id: 'run-1', question: 'Are these requirements ready?' }),
    gateCard({ run_id: 'run-2', question: 'May the contract be signed?' }),
  ];
  const inbox: InboxView = { waiting, decided: [], first_try: null };
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

/** What a decision that waited has become. */
function decidedCard(over: Partial<GateCard> = {}): DecidedCard {
  const { run_id, gate, round, purpose, question, workflow_title, step, instance, rehearsal } = gateCard(over);
  const decision = answeredBy('Reviewer') as RoundView;
  const of = { run_id, gate, round, purpose, question, workflow_title, step, instance, rehearsal };
  return { ...of, given_by: 'person', decision };
}

async function open(host: FakeHost) {
  location.hash = '#/inbox';
  const page = render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  return { page, user: person() };
}

describe('the Inbox', () => {
  afterEach(() => {
    location.hash = '';
    localStorage.clear();
    tour.close();
    // What the whole window knows outlives a test's window.
    session.inbox.value = null;
  });
  const question = (name: string) => screen.findByRole('heading', { level: 1, name });
  const pressed = async (user: ReturnType<typeof person>, id = 'gate-approve') => {
    await screen.findByTestId(id);
    await alive();
    await user.click(screen.getByTestId(id));
  };

  it('tells runs apart that ask the same', async () => {
    const ids = ['01a22bec-b210-7d6b-b19d-489222cdc1d4', '01a22bec-b210-7d6b-b19d-00001df0fad2'];
    const same = ids.map((run_id) => gateCard({ run_id, question: 'May it be sold?' }));
    const waiting = [...same, gateCard({ run_id: 'run-3', question: 'Another one?' })];
    await open(project().on('inbox.list', () => ({ waiting, decided: [], first_try: null })));
    const named = await screen.findAllByTestId('card-run');
    expect(named.map((one) => one.textContent)).toEqual(['run …22cdc1d4', 'run …1df0fad2']);
  });

  it('tells a question of a runbook from work that is to be carried out', async () => {
    const asked = { purpose: 'outcome', question: 'Is it up?' } as const;
    const waiting = [
      gateCard({ ...asked, run_id: 'run-1', is_question: true }),
      gateCard({ ...asked, run_id: 'run-2', question: 'Swap the disk' }),
    ];
    await open(project().on('inbox.list', () => ({ waiting, decided: [], first_try: null })));
    const cards = await screen.findAllByTestId('gate-card');
    expect(cards[0]).toHaveTextContent('Question');
    expect(cards[1]).toHaveTextContent('Work');
  });

  it('opens on the first question, with the count on the door', async () => {
    await open(project());
    expect(await screen.findByRole('heading', { level: 1, name: 'Are these requirements ready?' })).toBeVisible();
    expect(screen.getByRole('heading', { name: '2 questions wait for you' })).toBeVisible();
    expect(screen.getByTestId('nav-inbox')).toHaveTextContent('2');
    expect(location.hash).toBe('#/inbox/run-1/critique');
  });

  it('stays on what was decided after an answer, and offers the next decision beside it', async () => {
    // Once the moment is sat out: it begins anew with the next decision.
    vi.useRealTimers();
    const { user } = await open(project());
    await pressed(user);
    const done = await screen.findByTestId('gate-answered');
    expect(done).toHaveTextContent('You approved');
    expect(screen.queryByTestId('gate-answers')).toBeNull();
    expect(location.hash).toBe('#/inbox/run-1/critique?round=1');
    // Pressed again, by hand or by key, nothing happens: what could be pressed is somewhere else.
    await user.keyboard('{Enter}{Enter} ');
    expect(location.hash).toBe('#/inbox/run-1/critique?round=1');
    await waitFor(() => expect(screen.getAllByTestId('gate-card')).toHaveLength(1));
    await user.click(screen.getByTestId('gate-next'));
    expect(await question('May the contract be signed?')).toBeVisible();
    expect(screen.getByTestId('gate-answers')).toHaveAttribute('data-live', 'false');
    await pressed(user);
    expect(await screen.findByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
    expect(screen.getByTestId('gate-answered')).toHaveTextContent('No more questions wait for you.');
  });

  it('after an answer in a run its own next question comes first, also when it appears later', async () => {
    const host = project();
    const { user } = await open(host);
    const answered = gateBrief({ run_id: 'run-1', run_status: 'running', answered: answeredBy('Reviewer') });
    host.on('gate.answer', () => answered).on('gate.brief', () => answered);
    await pressed(user);
    expect(await screen.findByText(/the question appears here/)).toBeVisible();
    expect(screen.getByTestId('gate-next')).toHaveAttribute('href', '#/inbox/run-2/critique');
    const waiting = [
      gateCard({ run_id: 'run-2', question: 'May the contract be signed?' }),
      gateCard({ run_id: 'run-1', gate: 'release', question: 'And now?' }),
    ];
    host.on('inbox.list', () => ({ waiting, decided: [], first_try: null }));
    host.send({ kind: 'inbox', waiting: 2, opened: null });
    await waitFor(() => expect(screen.getByTestId('gate-next')).toHaveAttribute('href', '#/inbox/run-1/release'));
    expect(screen.getByTestId('gate-answered')).toHaveTextContent('And now?');
    // It waits to be opened.
    expect(location.hash).toBe('#/inbox/run-1/critique?round=1');
    await user.keyboard('j');
    await waitFor(() => expect(location.hash).toBe('#/inbox/run-1/release'));
  });

  it('says that a file was changed beside Gatehouse while the question is open', async () => {
    const host = project();
    await open(host);
    await screen.findByTestId('gate-approve');
    const [first, ...more] = gateBrief().artifacts;
    host.on('gate.brief', () =>
      gateBrief({ run_id: 'run-1', artifacts: [{ ...first!, differs_on_disk: true }, ...more] }),
    );
    expect(screen.queryByText(/was changed on disk\./)).toBeNull();
    window.dispatchEvent(new Event('focus'));
    expect(await screen.findByText(/was changed on disk\./)).toBeVisible();
  });

  it('goes on by itself where the person has chosen so, and the answers are asleep there too', async () => {
    const host = project().on('settings.get', () => ({ ...settings, auto_next: true }));
    host.on('gate.answer', ({ run_id }: { run_id: string }) =>
      gateBrief({ run_id, run_status: 'done', answered: answeredBy('Reviewer') }),
    );
    const { user } = await open(host);
    await pressed(user);
    expect(await question('May the contract be signed?')).toBeVisible();
    expect(screen.getByTestId('gate-answers')).toHaveAttribute('data-live', 'false');
    expect(host.called('gate.answer')).toHaveLength(1);
    // What was done is said as well as where it went on.
    await waitFor(() =>
      expect(announcer.text).toBe(
        'You approved: Are these requirements ready to build from? Next question: May the contract be signed?',
      ),
    );
  });

  it('goes on by itself only into what asks this person', async () => {
    const inbox = {
      waiting: [
        gateCard({ run_id: 'run-1', question: 'Are these requirements ready?' }),
        gateCard({ run_id: 'run-2', question: 'Does legal accept it?', mine: false, asks: ['legal'], role: 'legal' }),
      ],
    };
    const host = project()
      .on('settings.get', () => ({ ...settings, roles: ['finance'], auto_next: true }))
      .on('inbox.list', () => ({ ...inbox, decided: [], first_try: null }))
      .on('gate.answer', () => {
        inbox.waiting = inbox.waiting.slice(1);
        return gateBrief({ run_id: 'run-1', run_status: 'done', answered: answeredBy('Reviewer') });
      });
    const { user } = await open(host);
    await pressed(user);
    expect(await screen.findByText('You approved')).toBeVisible();
    await waitFor(() => expect(screen.getAllByTestId('gate-card')).toHaveLength(1));
    await new Promise((done) => setTimeout(done, 50));
    expect(location.hash).toBe('#/inbox/run-1/critique?round=1');
    // It is offered, with whom it asks.
    expect(screen.getByTestId('gate-next')).toHaveAttribute('href', '#/inbox/run-2/critique');
    expect(screen.getByTestId('gate-answered')).toHaveTextContent('asks legal');
  });

  it('offers what asks this person before the next question of the run that asks somebody else', async () => {
    const later = gateCard({ run_id: 'run-3', gate: 'mine', question: 'Is the money there?' });
    const theirs = gateCard({ run_id: 'run-1', gate: 'legal', question: 'Does legal accept it?', mine: false });
    const host = project()
      .on('settings.get', () => ({ ...settings, roles: ['finance'] }))
      .on('inbox.list', () => ({
        waiting: [gateCard({ run_id: 'run-1' }), theirs, later],
        decided: [],
        first_try: null,
      }));
    const { user } = await open(host);
    await pressed(user);
    expect(await screen.findByTestId('gate-next')).toHaveAttribute('href', '#/inbox/run-3/mine');
  });

  /** An answer after which the run goes on by itself; what it does next is told with `tell`. */
  async function goesOn() {
    const host = project().on('settings.get', () => ({ ...settings, auto_next: true }));
    const { user } = await open(host);
    const become = (brief: Partial<GateBrief>, waiting: GateCard[]) => {
      const answered = gateBrief({ run_id: 'run-1', answered: answeredBy('Reviewer'), ...brief });
      host.on('gate.answer', () => answered).on('gate.brief', () => answered);
      host.on('inbox.list', () => ({ waiting, decided: [], first_try: null }));
    };
    const tell = (...told: Parameters<typeof become>) => {
      become(...told);
      host.send(
        { kind: 'run', run_id: 'run-1', last: 9, status: told[0].run_status },
        { kind: 'inbox', waiting: told[1].length, opened: null },
      );
    };
    await screen.findByTestId('gate-approve');
    await alive();
    become({ run_status: 'running' }, []);
    await user.click(screen.getByTestId('gate-approve'));
    expect(await screen.findByText('You approved')).toBeVisible();
    // The list, asked for after the answer, has arrived.
    await waitFor(() => expect(screen.queryByTestId('gate-card')).toBeNull());
    return { user, tell };
  }
  const own = gateCard({ run_id: 'run-1', gate: 'release', question: 'And now?' });

  it('does not say that the work goes on where nobody carries it on', async () => {
    const { tell } = await goesOn();
    expect(screen.getByText(/^The work goes on/)).toBeVisible();
    tell({ run_status: 'running', left_open: 'This run was left open by somebody else.' }, []);
    expect(await screen.findByTestId('gate-left-open')).toHaveTextContent('left open by somebody else');
    expect(screen.queryByText(/^The work goes on/)).toBeNull();
  });

  it('waits for the next question of the run to go on by itself', async () => {
    const { tell } = await goesOn();
    tell({ run_status: 'blocked' }, [gateCard({ run_id: 'run-2' }), own]);
    await waitFor(() => expect(location.hash).toBe('#/inbox/run-1/release'));
  });

  it('does not take a page away from somebody who has begun to do something with it', async () => {
    const { user, tell } = await goesOn();
    await user.keyboard('{PageDown}');
    tell({ run_status: 'blocked' }, [own]);
    await waitFor(() => expect(screen.getByTestId('gate-next')).toHaveAttribute('href', '#/inbox/run-1/release'));
    await new Promise((done) => setTimeout(done, 50));
    expect(location.hash).toBe('#/inbox/run-1/critique?round=1');
  });

  it('goes on by itself once: what arrives later waits to be opened', async () => {
    const { tell } = await goesOn();
    tell({ run_status: 'done' }, []);
    expect(await screen.findByText('No more questions wait for you.')).toBeVisible();
    await new Promise((done) => setTimeout(done, 100));
    tell({ run_status: 'done' }, [gateCard({ run_id: 'run-2' })]);
    expect(await screen.findByTestId('gate-next')).toBeVisible();
    await new Promise((done) => setTimeout(done, 50));
    expect(location.hash).toBe('#/inbox/run-1/critique?round=1');
  });

  it('tells what was answered when another decision is looked at meanwhile', async () => {
    let give: () => void = () => {};
    const host = project().on(
      'gate.answer',
      () =>
        new Promise((resolve) => {
          const answered = answeredBy('Reviewer');
          give = () => resolve(gateBrief({ run_id: 'run-1', question: 'The first', answered }));
        }),
    );
    const { user } = await open(host);
    await pressed(user);
    await user.click(screen.getAllByTestId('gate-card')[1] as HTMLElement);
    expect(await question('May the contract be signed?')).toBeVisible();
    const asked = host.called('inbox.list').length;
    give();
    await waitFor(() => expect(announcer.text).toBe('You approved: The first'));
    expect(host.called('inbox.list').length).toBeGreaterThan(asked);
    expect(location.hash).toBe('#/inbox/run-2/critique');
  });

  it('moves the focus to the question when another decision takes the place of what had it', async () => {
    const { user } = await open(project());
    expect(document.activeElement?.id).not.toBe('gate-question');
    await pressed(user);
    await screen.findByTestId('gate-answered');
    (await screen.findByTestId('gate-next')).focus();
    await user.keyboard('{Enter}');
    expect(await question('May the contract be signed?')).toBeVisible();
    await waitFor(() => expect(document.activeElement?.id).toBe('gate-question'));
  });

  it('asks again who is meant when a name or roles have changed', async () => {
    const host = project();
    await open(host);
    const asked = host.called('inbox.list').length;
    host.send({ kind: 'settings' });
    await waitFor(() => expect(host.called('inbox.list').length).toBeGreaterThan(asked));
  });

  it('tells decisions of others and of rehearsals apart, in the list, in the count and when one arrives', async () => {
    const theirs = { mine: false, asks: ['legal'], role: 'legal' };
    const waiting = [gateCard({ run_id: 'run-1' }), gateCard({ run_id: 'run-2', rehearsal: true, ...theirs })];
    const host = project()
      .on('settings.get', () => ({ ...settings, roles: ['finance'] }))
      .on('inbox.list', () => ({ waiting, decided: [], first_try: null }));
    await open(host);
    const cards = await screen.findAllByTestId('gate-card');
    expect(within(cards[0] as HTMLElement).queryByTestId('rehearsal')).toBeNull();
    expect(within(cards[1] as HTMLElement).getByTestId('rehearsal')).toBeVisible();
    expect(screen.getByTestId('inbox-besides')).toHaveTextContent(/^1 in a rehearsal$/);
    expect(screen.getByTestId('nav-inbox')).toHaveTextContent('1 question waits, 1 in a rehearsal');
    host.send({ kind: 'inbox', waiting: 2, opened: gateCard({ question: 'Is it legal?', ...theirs }) });
    await waitFor(() => expect(announcer.text).toBe('A decision waits for legal: Is it legal?'));
    host.send({ kind: 'inbox', waiting: 2, opened: gateCard({ question: 'Is it done?' }) });
    await waitFor(() => expect(announcer.text).toBe('A decision waits for you: Is it done?'));
  });

  it('counts no question twice where only rehearsals ask', async () => {
    const theirs = { own: false, mine: false, rehearsal: true };
    const waiting = [
      gateCard({ run_id: 'run-1', rehearsal: true }),
      gateCard({ run_id: 'run-2', ...theirs }),
      gateCard({ run_id: 'run-3', ...theirs }),
    ];
    await open(project().on('inbox.list', () => ({ waiting, decided: [], first_try: null })));
    expect(await screen.findByRole('heading', { name: '1 question waits for you' })).toBeVisible();
    expect(screen.getByTestId('inbox-besides')).toHaveTextContent(
      /^in a rehearsal · 2 more in rehearsals, for others$/,
    );
  });

  it('counts what the person may decide, on the door and in the heading', async () => {
    const waiting = [
      gateCard({ run_id: 'run-1' }),
      gateCard({ run_id: 'run-2', mine: false, another: true }),
      gateCard({ run_id: 'run-3', rehearsal: true }),
    ];
    const host = project().on('inbox.list', () => ({ waiting, decided: [], first_try: null }));
    const { user } = await open(host);
    expect(await screen.findByRole('heading', { name: '1 question waits for you' })).toBeVisible();
    expect(screen.getByTestId('inbox-besides')).toHaveTextContent('1 for somebody else · 1 in a rehearsal');
    expect(screen.getByTestId('nav-inbox')).toHaveTextContent('1 question waits, 1 for somebody else');
    expect(document.title).toMatch(/^\(1\) /);
    expect(screen.getAllByTestId('gate-card')[1]).toHaveTextContent('four eyes: somebody else approves');
    host.send({ kind: 'inbox', waiting: 3, opened: gateCard({ question: 'Pay?', mine: false, another: true }) });
    await waitFor(() => expect(announcer.text).toBe('A decision waits for somebody else: Pay?'));
    // What was answered does not wait.
    host.on('decisions.list', () => ({ decisions: [], total: 0, rehearsals: 0, unread: [] }));
    await user.click(screen.getByRole('radio', { name: /Answered/ }));
    expect(await screen.findByRole('heading', { name: 'Answered questions' })).toBeVisible();
    expect(screen.queryByTestId('inbox-besides')).toBeNull();
  });

  it('says on the card of a run that another one goes on from it', async () => {
    const said = 'Run run-2, which Ada began, goes back to “Shall we build?” of this one. This one has not ended.';
    const waiting = [gateCard({ run_id: 'run-1', gone_on_from: [said] }), gateCard({ run_id: 'run-2' })];
    await open(project().on('inbox.list', () => ({ waiting, decided: [], first_try: null })));
    const [first, second] = await screen.findAllByTestId('gate-card');
    expect(within(first!).getByTestId('card-gone-on')).toHaveTextContent(said);
    expect(within(second!).queryByTestId('card-gone-on')).toBeNull();
  });

  it('opens the second round of what was sent back as a decision of its own', async () => {
    const host = project();
    const { user } = await open(host);
    const first = answeredBy('Reviewer', { answer: 'changes', words: 'asked for changes' });
    const answered = gateBrief({ run_id: 'run-1', answered: first, run_status: 'blocked' });
    const again = [gateCard({ run_id: 'run-1', round: 2, question: 'Are these requirements ready?' })];
    host.on('gate.answer', () => {
      host.on('gate.brief', ({ round }: { round?: number }) =>
        round === 1 ? answered : gateBrief({ run_id: 'run-1', round: 2, question: 'Are these requirements ready?' }),
      );
      host.on('inbox.list', () => ({ waiting: again, decided: [], first_try: null }));
      return answered;
    });
    await screen.findByTestId('gate-comment');
    await user.type(screen.getByTestId('gate-comment'), 'Name the owner');
    await pressed(user, 'gate-changes');
    expect(await screen.findByText('You asked for changes')).toBeVisible();
    host.send({ kind: 'run', run_id: 'run-1', last: 9, status: 'blocked' });
    await waitFor(() => expect(screen.getByTestId('gate-next')).toHaveTextContent('Next in this run'));
    expect(screen.queryByTestId('gate-approve')).toBeNull();
    await user.click(screen.getByTestId('gate-card'));
    expect(await screen.findByTestId('gate-approve')).toBeVisible();
    expect(screen.getByTestId('gate-comment')).toHaveValue('');
  });

  /** A project in which so many decisions were made, the latest first, two a day. */
  function register(total: number) {
    const day = 24 * 60 * 60 * 1000;
    const made = Array.from({ length: total }, (_, i) => {
      const answered_at = Date.UTC(2026, 2, 20, 12) - Math.floor(i / 2) * day;
      const decision = answeredBy('Ada', { answered_at }) as RoundView;
      return { ...decidedCard({ run_id: `old-${i}`, question: `Old question ${i}` }), decision };
    });
    const host = project()
      .on('decisions.list', ({ most = 100 }: { most?: number }) => ({
        decisions: made.slice(0, most),
        total,
        rehearsals: 3,
      }))
      .on('decisions.by', () => ({ people: ['Ada', 'Grace'], workflows: ['A letter'] }))
      .on('gate.brief', ({ run_id }: { run_id: string }) =>
        gateBrief({ run_id, answered: run_id.startsWith('old') ? answeredBy('Ada') : null }),
      );
    return { host, made };
  }
  const toDecided = async (user: ReturnType<typeof person>) => {
    await screen.findByTestId('gate-approve');
    await user.click(screen.getByLabelText(/Answered/));
  };

  it('shows a decided decision beside what was decided, by day, and tells how many there are', async () => {
    const { host } = register(101);
    const { user, page } = await open(host);
    expect(host.called('decisions.list')).toEqual([]);
    await toDecided(user);
    expect(await screen.findByTestId('gate-answered')).toHaveTextContent('Ada');
    expect(screen.queryByTestId('gate-approve')).toBeNull();
    expect(location.hash).toBe('#/inbox/old-0/critique?round=1');
    expect(screen.getByTestId('decisions-count')).toHaveTextContent('101 decisions · 3 in rehearsals left out');
    const days = screen.getAllByTestId('decisions-day');
    expect(days).toHaveLength(50);
    expect(days[0]).toHaveTextContent('March 20, 2026');
    const lists = within(screen.getAllByRole('list', { name: /2026/ })[0] as HTMLElement);
    expect(lists.getAllByTestId('gate-card').map((one) => one.tabIndex)).toEqual([0, -1]);
    expect(lists.getAllByTestId('gate-card')[0]).toHaveTextContent('Mar 20, 2026');
    expect(await findings(page.container)).toEqual([]);
    await user.click(screen.getByTestId('decided-more'));
    await waitFor(() => expect(screen.getAllByTestId('gate-card')).toHaveLength(101));
    expect(screen.queryByTestId('decided-more')).toBeNull();
    await user.click(screen.getByLabelText(/Waiting/));
    expect(await screen.findByTestId('gate-approve')).toBeVisible();
  });

  it('narrows what was decided by what is chosen, and saves what fits as a table', async () => {
    const { host } = register(3);
    const { user } = await open(host);
    await toDecided(user);
    const asked = () => host.called('decisions.list').at(-1);
    await waitFor(() => expect(asked()).toEqual({ most: 100 }));
    await user.selectOptions(await screen.findByTestId('decisions-when'), 'From … to …');
    await user.type(screen.getByTestId('decisions-from'), '2026-03-01');
    await user.selectOptions(screen.getByTestId('decisions-who'), 'Grace');
    await user.selectOptions(screen.getByTestId('decisions-answer'), 'Rejected or refused');
    await user.selectOptions(screen.getByTestId('decisions-workflow'), 'A letter');
    await user.click(screen.getByTestId('decisions-rehearsals'));
    await user.type(screen.getByTestId('decisions-words'), 'owner ');
    const chosen = {
      since: '2026-03-01',
      by: 'Grace',
      answer: 'reject',
      workflow: 'A letter',
      words: 'owner',
      rehearsals: true,
    };
    await waitFor(() => expect(asked()).toEqual({ ...chosen, most: 100 }));
    host.on('decisions.save', () => ({ path: '/project/reports/decisions.csv', bytes: 2048 }));
    await user.click(screen.getByTestId('decisions-save'));
    expect(host.called('decisions.save')).toEqual([chosen]);
    expect(await screen.findByText(/Saved all that fit: \/project\/reports\/decisions\.csv/)).toBeVisible();
  });

  it('says what is left out where no decision is listed, and shows it when it is asked for', async () => {
    const { host, made } = register(2);
    host.on('decisions.list', ({ rehearsals = false, by }: { rehearsals?: boolean; by?: string }) => {
      const decisions = rehearsals && !by ? made : [];
      return { decisions, total: decisions.length, rehearsals: rehearsals || by ? 0 : 2 };
    });
    const { user } = await open(host);
    await toDecided(user);
    expect(await screen.findByText('Nothing has been decided for real')).toBeVisible();
    expect(screen.getByTestId('decisions-save')).toBeDisabled();
    await user.click(screen.getByTestId('decisions-show-rehearsals'));
    await waitFor(() => expect(screen.getAllByTestId('gate-card')).toHaveLength(2));
    await user.selectOptions(screen.getByTestId('decisions-who'), 'Grace');
    expect(await screen.findByText('No decision fits')).toBeVisible();
    await user.click(screen.getByTestId('decisions-clear'));
    await waitFor(() => expect(screen.getAllByTestId('gate-card')).toHaveLength(2));
    expect(screen.getByTestId('decisions-who')).toHaveValue('');
  });

  it('names the runs whose decisions cannot be read, and says why the list is not there', async () => {
    const { host } = register(1);
    const words = 'What “A memo” asks, and what was answered in it, is missing here. Event 1 cannot be read.';
    const unread = [{ run_id: 'run-9', words }];
    host.on('decisions.list', () => ({ decisions: [], total: 1, rehearsals: 0, unread }));
    const { user } = await open(host);
    await toDecided(user);
    expect(await screen.findByTestId('inbox-unread')).toHaveTextContent(words);
    expect(screen.queryByText('No decision fits')).toBeNull();
    host.on('decisions.list', () => {
      throw { code: 'bad_date', message: '“x” is no day.', hint: null };
    });
    await user.click(screen.getByTestId('decisions-rehearsals'));
    expect(await screen.findByText('“x” is no day.')).toBeVisible();
  });

  it('is one stop of Tab; arrows open the neighbour, and Enter goes into the brief', async () => {
    const { user } = await open(project());
    await question('Are these requirements ready?');
    const [first, second] = screen.getAllByTestId('gate-card');
    expect([first?.tabIndex, second?.tabIndex]).toEqual([0, -1]);
    first?.focus();
    await user.keyboard('{ArrowDown}');
    expect(await question('May the contract be signed?')).toBeVisible();
    await waitFor(() => expect(second).toHaveFocus());
    expect([first?.tabIndex, second?.tabIndex]).toEqual([-1, 0]);
    await user.keyboard('k');
    await waitFor(() => expect(first).toHaveFocus());
    await user.keyboard('{Enter}');
    await waitFor(() => expect(document.activeElement?.id).toBe('gate-question'));
    expect(document.activeElement).toHaveTextContent('Are these requirements ready?');
  });

  it('keeps the brief on screen when somebody else answers it, and says who', async () => {
    const host = project();
    await open(host);
    await screen.findByTestId('gate-approve');
    host.on('inbox.list', () => ({ waiting: [], decided: [], first_try: null }));
    host.on('gate.brief', () => gateBrief({ run_id: 'run-1', answered: answeredBy('Ada') }));
    host.send(
      { kind: 'inbox', waiting: 0, opened: null },
      { kind: 'run', run_id: 'run-1', last: 9, status: 'running' },
    );
    expect(await screen.findByTestId('gate-answered')).toHaveTextContent('Ada');
    expect(screen.queryByTestId('gate-approve')).toBeNull();
  });

  it('says of a run that cannot be read that it is missing, and never that nothing waits', async () => {
    const words = 'What “A memo” asks, and what was answered in it, is missing here. Event 1 cannot be read.';
    const unread = [{ run_id: 'run-9', words }];
    const host = project();
    host.on('inbox.list', () => ({ waiting: [], decided: [], first_try: null, unread }));
    await open(host);
    expect(await screen.findByTestId('inbox-unread')).toHaveTextContent(words);
    expect(screen.getByRole('link', { name: 'Check its record' })).toHaveAttribute('href', '#/report/run-9');
    expect(screen.queryByText('Nothing waits for you')).toBeNull();
    expect(screen.queryByText('No question waits for you')).toBeNull();
  });

  it('begins with a decision where nothing has happened yet, and goes on from there', async () => {
    const started: unknown[] = [];
    const offer = { path: 'ask.yaml', title: 'Ask somebody', scenario: 'ask.scenario.yaml' };
    const inbox: InboxView = { waiting: [], decided: [], first_try: offer };
    const host = project()
      .on('inbox.list', () => ({ ...inbox }))
      .on('run.start', (params: unknown) => {
        started.push(params);
        Object.assign(inbox, { waiting: [gateCard({ run_id: 'run-1', question: 'May it begin?' })], first_try: null });
        return { run_id: 'run-1' };
      });
    const { user } = await open(host);
    expect(screen.getByText(/“Ask somebody” is rehearsed up to its decision/)).toBeVisible();
    await user.click(screen.getByTestId('first-try'));
    expect(started).toEqual([{ path: 'ask.yaml', scenario: 'ask.scenario.yaml' }]);
    host.send({ kind: 'inbox', waiting: 1, opened: null });
    expect(await screen.findByTestId('gate-approve')).toBeVisible();
    expect(screen.queryByTestId('tour')).toBeNull();
    // After the first decision the tour leads on, and remembers what was seen.
    // It is the tour of this run, also when another was decided since.
    const decided = [decidedCard({ run_id: 'run-8' }), decidedCard({ run_id: 'run-1' })];
    Object.assign(inbox, { waiting: [], decided });
    host.send({ kind: 'inbox', waiting: 0, opened: null });
    expect(await screen.findByTestId('tour')).toHaveTextContent('Replay what happened');
    expect(screen.getByRole('link', { name: 'Look at its report' })).toHaveAttribute('href', '#/report/run-1');
    // What there is to see stands below what was asked: it pushes no question out of a low window.
    const [card] = screen.getAllByTestId('gate-card');
    expect(card?.compareDocumentPosition(screen.getByTestId('tour'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
    // Back at the list nothing is being started any more.
    await user.click(screen.getByTestId('nav-inbox'));
    expect(await screen.findByText('No question waits for you')).toBeVisible();
    expect(screen.queryByText('Starting the rehearsal…')).toBeNull();
    // However somebody came to the workflows, they have seen them.
    expect(tour.seen('library')).toBe(false);
    host.on('library.list', () => ({ project: 'a', folders: [], sessions: [], unreadable: [] }));
    host.on('pipeline.list', () => ({ pipelines: [], active: null }));
    await user.click(screen.getByTestId('nav-library'));
    await waitFor(() => expect(tour.seen('library')).toBe(true));
    await user.click(screen.getByTestId('nav-inbox'));
    await user.click(await screen.findByRole('button', { name: 'Close the tour' }));
    expect(screen.queryByTestId('tour')).toBeNull();
  });

  it('says so when the first rehearsal ends before it has asked, and leads to its run', async () => {
    const offer = { path: 'ask.yaml', title: 'Ask somebody', scenario: 'ask.scenario.yaml' };
    const inbox: InboxView = { waiting: [], decided: [], first_try: offer };
    let row = runRow({ run_id: 'run-1', status: 'running', ended_at: null });
    const host = project()
      .on('inbox.list', () => ({ ...inbox }))
      .on('runs.find', () => ({ runs: [row] }))
      .on('run.start', () => {
        inbox.first_try = null;
        return { run_id: 'run-1' };
      });
    const { user } = await open(host);
    await user.click(await screen.findByTestId('first-try'));
    expect(await screen.findByText('Starting the rehearsal…')).toBeVisible();
    expect(host.called('runs.find')).toEqual([{ query: 'run-1', limit: 1 }]);
    row = { ...row, status: 'failed', ended_at: row.created_at, error: 'The script names no such step.' };
    host.send({ kind: 'run', run_id: 'run-1', last: 4, status: 'failed' });
    expect(await screen.findByText('The script names no such step.')).toBeVisible();
    expect(screen.getByTestId('first-run')).toHaveAttribute('href', '#/run/run-1');
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
      .on('inbox.list', () => ({ waiting: [], decided: [], first_try: null }));
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
