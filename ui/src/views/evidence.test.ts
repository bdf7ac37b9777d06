import { useHost, type EvidenceList, type EvidenceView } from '$lib/api';
import { findings } from '$lib/axe';
import { evidence, settings, support } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { toasts } from '$lib/ui/toasts.svelte';
import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it } from 'vitest';
import App from '../App.svelte';

const expired = evidence({
  id: 'ev:brief:1',
  claim: 'The brief is complete.',
  validity: { status: 'expired', until: '2026-03-01', until_at: null, words: 'expired 9 days ago', soon: false },
  counts: 0,
});
const drifted = evidence({
  id: 'ev:design:1',
  claim: 'The design bears the load.',
  level: 'L0',
  about: [
    {
      path: 'docs/design.md',
      name: 'design.md',
      digest: 'dd',
      drift: 'changed',
      words: 'design.md has changed since.',
    },
  ],
});
const replaced = evidence({ id: 'ev:prd:0', claim: 'An older claim.', superseded: true });

function project(items: EvidenceView[], promote: (params: never) => unknown = () => ({})): FakeHost {
  const list: EvidenceList = {
    now: 0,
    items,
    runs:
      items.length === 0
        ? []
        : [
            {
              run_id: 'run-1',
              workflow_title: 'Plan a product',
              status: 'done',
              created_at: 0,
              rehearsal: false,
              support: support(),
            },
          ],
    signer: 'Reviewer',
  };
  return new FakeHost()
    .on('settings.get', () => settings)
    .on('inbox.list', () => ({ waiting: [], decided: [], decided_total: 0, first_try: null }))
    .on('evidence.list', () => list)
    .on('evidence.promote', promote);
}

async function open(host: FakeHost, hash = '#/evidence') {
  location.hash = hash;
  // The window remembers who sits there: a view that is mounted at once asks before the window has connected.
  useHost(host);
  const page = render(App, { host });
  await waitFor(() => expect(document.documentElement.dataset.uiReady).toBe('ready'));
  await waitFor(() => expect(host.called('evidence.list').length).toBeGreaterThan(0));
  return { page, user: userEvent.setup() };
}

const claims = () => screen.queryAllByTestId('evidence').map((one) => one.getAttribute('aria-label'));

describe('the Evidence screen', () => {
  afterEach(() => {
    location.hash = '';
  });

  it('keeps what comes from rehearsals apart: it is never in force', async () => {
    const rehearsed = evidence({
      id: 'ev:prd:9',
      claim: 'It was only played.',
      rehearsal: true,
      promote: { to: null, words: null, refusal: { code: 'cannot_promote', message: 'It comes from a rehearsal.' } },
    });
    const { user } = await open(project([evidence(), rehearsed]));
    await waitFor(() => expect(claims()).toHaveLength(1));
    expect(screen.queryByTestId('rehearsal')).toBeNull();
    await user.click(screen.getByRole('radio', { name: /From rehearsals/ }));
    expect(claims()).toEqual([expect.stringContaining('It was only played.')]);
    expect(screen.getByTestId('rehearsal')).toHaveTextContent('Rehearsal');
  });

  it('shows what counts, in the order it came, and what needs somebody on demand', async () => {
    const { page, user } = await open(project([expired, evidence(), drifted, replaced]));
    await waitFor(() => expect(claims()).toHaveLength(3));
    expect(claims()[0]).toBe('The brief is complete.');
    await user.click(screen.getByRole('radio', { name: /Needs attention/ }));
    expect(claims()).toEqual(['The brief is complete.', 'The design bears the load.']);
    expect(screen.getByText('design.md has changed since.')).toBeVisible();
    await user.click(screen.getByRole('radio', { name: /Replaced/ }));
    expect(claims()).toEqual(['An older claim.']);
    await user.click(screen.getByRole('radio', { name: /In force/ }));
    await user.selectOptions(screen.getByTestId('evidence-level'), 'L0');
    expect(claims()).toEqual(['The design bears the load.']);
    expect(await findings(page.container)).toEqual([]);
  });

  it('is saved as a table, what is shown of it', async () => {
    toasts.list = [];
    const host = project([expired, evidence(), drifted, replaced]);
    host.on('evidence.save', () => ({ path: '/project/reports/evidence.csv', bytes: 2048 }));
    const { user } = await open(host);
    await waitFor(() => expect(claims()).toHaveLength(3));
    await user.click(screen.getByRole('radio', { name: /Replaced/ }));
    await user.click(screen.getByTestId('evidence-save'));
    expect(host.called('evidence.save')).toEqual([{ shown: [`${replaced.run_id}/${replaced.id}`] }]);
    await waitFor(() => expect(toasts.list[0]?.text).toContain('/project/reports/evidence.csv'));
    await user.type(screen.getByRole('searchbox', { name: 'Search evidence' }), 'nothing like this');
    expect(screen.getByTestId('evidence-save')).toBeDisabled();
  });

  it('says what evidence is where there is none', async () => {
    await open(project([]));
    expect(await screen.findByText('No evidence has been recorded yet')).toBeVisible();
    expect(screen.getByText(/a person who approves the file raises it to “confirmed by a person”/)).toBeVisible();
  });

  it('goes by the name of the file, and says in plain words how strong it is', async () => {
    const record = evidence({ subject: 'Order ahead' });
    const { user } = await open(project([record]));
    const shown = await screen.findByTestId('evidence');
    expect(within(shown).getByText('prd.md', { selector: '.claim' })).toHaveAttribute('title', 'docs/prd.md');
    expect(within(shown).getByTestId('evidence-subject')).toHaveTextContent('Order ahead');
    expect(within(shown).getByText('checked automatically')).toBeVisible();
    expect(shown).not.toHaveTextContent(/L1|substantiated/);
    // What evidence is stays within reach when there is some.
    await user.click(screen.getByText('What is evidence?'));
    expect(within(screen.getByTestId('evidence-what')).getByText(/as strong as the weakest/)).toBeVisible();
  });

  it('asks for the evidence of one run when it is opened for it', async () => {
    const host = project([evidence()]);
    await open(host, '#/evidence/run-1');
    await waitFor(() => expect(host.called('evidence.list')).toContainEqual({ run_id: 'run-1' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Plan a product' })).toBeVisible();
  });

  it('promotes one level, with a reason and no sooner', async () => {
    const raised = evidence({ level: 'L2', promote: { to: null, words: null, refusal: null } });
    const host = project([evidence()], () => ({ now: 0, items: [raised], runs: [], signer: 'Reviewer' }));
    const { user } = await open(host);
    await user.click(await screen.findByTestId('evidence-promote'));
    const dialog = within(await screen.findByRole('dialog'));
    expect(
      dialog.getByText('prd.md is “checked automatically”. If you confirm it, it counts as “confirmed by a person”.'),
    ).toBeVisible();
    await user.click(dialog.getByTestId('promote-confirm'));
    expect(host.called('evidence.promote')).toEqual([]);
    expect(dialog.getByTestId('promote-reason')).toBeInvalid();
    expect(dialog.getByTestId('promote-reason')).toHaveFocus();
    await user.type(dialog.getByTestId('promote-reason'), ' read every line ');
    await user.click(dialog.getByTestId('promote-confirm'));
    expect(host.called('evidence.promote')).toEqual([
      { run_id: 'run-1', evidence: 'ev:prd:1', to: 'L2', reason: 'read every line', by: 'Reviewer' },
    ]);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(screen.queryByTestId('evidence-promote')).toBeNull();
  });

  it('says before it is confirmed that a file has changed since, also where that was after the list was read', async () => {
    const record = evidence();
    const host = project([record]);
    const { user } = await open(host);
    const about = record.about.map((file) => ({ ...file, drift: 'changed' as const }));
    host.on('evidence.list', () => ({ now: 0, items: [{ ...record, about }], runs: [], signer: 'Reviewer' }));
    await user.click(await screen.findByTestId('evidence-promote'));
    expect(await screen.findByTestId('promote-changed')).toHaveTextContent(
      'You confirm the version that was recorded, not the file as it is now.',
    );
  });

  it('says where other records are when nothing is under a filter', async () => {
    const { user } = await open(project([evidence({ rehearsal: true })]));
    await user.click(await screen.findByTestId('evidence-elsewhere'));
    expect(await screen.findByTestId('evidence')).toBeVisible();
  });

  it('says what it is now as the record says it, not as the level is called', async () => {
    const claimed = evidence({
      level: 'L0',
      level_words: 'only claimed',
      promote: { to: 'L1', words: 'confirmed once by a person', refusal: null },
    });
    const once = { ...claimed, level: 'L1' as const, level_words: 'confirmed once by a person' };
    const host = project([claimed], () => ({ now: 0, items: [once], runs: [], signer: 'Reviewer' }));
    const { user } = await open(host);
    await user.click(await screen.findByTestId('evidence-promote'));
    await user.type(await screen.findByTestId('promote-reason'), 'read it');
    await user.click(screen.getByTestId('promote-confirm'));
    expect((await screen.findAllByText('prd.md is “confirmed once by a person” now.')).length).toBeGreaterThan(0);
  });

  it('keeps the dialog and says why when it is refused', async () => {
    const host = project([evidence()], () => {
      throw { code: 'refused:cannot_promote', message: 'The step has run again since.', hint: null };
    });
    const { user } = await open(host);
    await user.click(await screen.findByTestId('evidence-promote'));
    await user.type(await screen.findByTestId('promote-reason'), 'sure');
    await user.click(screen.getByTestId('promote-confirm'));
    expect(await screen.findByText('The step has run again since.')).toBeVisible();
    expect(screen.getByRole('dialog')).toBeVisible();
  });
});
