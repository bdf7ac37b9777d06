import { useHost, type GateBrief as Brief } from '$lib/api';
import { findings } from '$lib/axe';
import { evidence, gateBrief, support, toolCall } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { render, screen, within } from '@testing-library/svelte';
import { describe, expect, it, vi } from 'vitest';
import { alive, momentsPass, person } from './__fixtures__/alive';
import { GateDesk } from './desk.svelte';
import GateBrief from './GateBrief.svelte';

momentsPass();

async function open(brief: Brief) {
  const host = new FakeHost().on('gate.brief', () => brief).on('gate.answer', () => brief);
  useHost(host);
  const desk = new GateDesk(brief.run_id, brief.gate);
  await desk.brief.refresh();
  const page = render(GateBrief, {
    desk,
    brief,
    runHref: '#/run/run-1',
    workflowHref: '#/workflow/a',
    latestHref: '#/inbox/run-1/critique',
    evidenceHref: '#/evidence/run-1',
    stepHref: (step: string) => `#/run/run-1?step=${step}`,
    gateHref: (gate: string) => `#/inbox/run-1/${gate}`,
    onanswered: vi.fn(),
    onname: async () => null,
  });
  return { host, page, user: person() };
}

/** A gate that the policy sets before a step, with everything that stands beside what it shows. */
function policyGate(): Brief {
  const brief = gateBrief({
    phase: 'Phase 3 Solutioning',
    why: 'The project’s policy asks for a person in every step of the phase “Phase 3 Solutioning”.',
    why_code: 'policy required phase',
    support: support({ drifted: 1 }),
    evidence: [evidence()],
    checks: [
      { name: 'Template: docs/prd.md', status: 'done', detail: '' },
      { name: 'Types: src/a.py', status: 'skipped', detail: 'mypy is not on this machine' },
    ],
    guardrails: [
      {
        name: 'Output check',
        status: 'waiting',
        words: '1 thing was found to look at',
        findings: [{ kind: 'personal data', rule: 'email', found: 'a…@…', source: 'docs/prd.md', blocks: false }],
      },
    ],
    tools: [toolCall()],
    record: {
      id: 'plan:architecture:hitl:1',
      options: [{ answer: 'approve', label: 'Approve', reversibility: 'cannot be taken back' }],
    },
  });
  brief.answers = brief.answers.map((one) =>
    one.answer === 'approve'
      ? {
          ...one,
          raises: [
            { evidence: 'ev:prd:1', words: 'prd.md then counts as confirmed by a person', from: 'L1', to: 'L2' },
          ],
        }
      : one,
  );
  return brief;
}

describe('a gate of a policy', () => {
  it('says what decided, how strong the evidence is and what an approval raises', async () => {
    const { page } = await open(policyGate());
    expect(screen.getByTestId('gate-why')).toHaveTextContent('every step of the phase “Phase 3 Solutioning”');
    const strength = within(screen.getByTestId('gate-evidence'));
    expect(strength.getByText(/^Weakest evidence/)).toBeVisible();
    expect(strength.getByText('1 file behind it has changed')).toBeVisible();
    expect(strength.getByRole('link', { name: 'prd' })).toHaveAttribute('href', '#/run/run-1?step=prd');
    expect(screen.getByTestId('gate-raises')).toHaveTextContent('prd.md then counts as confirmed by a person');
    expect(await findings(page.container)).toEqual([]);
  });

  it('shows how the assurance comes about on demand', async () => {
    const { user } = await open(policyGate());
    const formula = screen.getByText('strength (assurance) = min(0.9, 0.72) = 0.72');
    expect(formula).not.toBeVisible();
    await user.click(screen.getByText('Strength 0.72 of 1'));
    expect(formula).toBeVisible();
  });

  it('never takes a check that could not be made for a pass', async () => {
    await open(policyGate());
    const checks = screen.getByTestId('gate-checks');
    const missing = within(checks).getByText('Types: src/a.py').closest('li');
    expect(missing).toHaveTextContent('not looked at');
    expect(missing).toHaveTextContent('mypy is not on this machine');
    expect(screen.getByTestId('guardrails')).toHaveTextContent('personal data (email) in docs/prd.md: warns');
    expect(screen.getByTestId('gate-record')).toHaveTextContent('cannot be taken back');
  });
});

describe('a tool that asks', () => {
  const asks = () => {
    const answer = { allowed: true, refusal: null, runs: [], never_runs: [] };
    return gateBrief({
      purpose: 'tool',
      gate: 'tool:deploy:release',
      question: 'May “Release” use the tool deploy?',
      tool: { name: 'deploy', risk: 'high', args: 'target: production', means: 'It is called once.' },
      artifacts: [],
      checks: [],
      answers: [
        { ...answer, answer: 'approve', label: 'Allow', needs_comment: false, words: 'deploy is called' },
        { ...answer, answer: 'reject', label: 'Refuse', needs_comment: true, words: 'the run ends as failed' },
      ],
    });
  };

  it('shows the call as it would be made, and what allowing it means', async () => {
    const { page } = await open(asks());
    const call = screen.getByTestId('gate-tool');
    for (const words of ['deploy', 'target: production', 'high risk', 'It is called once.']) {
      expect(call).toHaveTextContent(words);
    }
    expect(screen.queryByTestId('gate-lasting')).toBeNull();
    expect(await findings(page.container)).toEqual([]);
  });

  it('is allowed or refused, and a refusal needs words', async () => {
    const { host, user } = await open(asks());
    await alive();
    await user.click(screen.getByRole('button', { name: 'Refuse' }));
    expect(screen.getByTestId('gate-comment')).toHaveFocus();
    expect(host.called('gate.answer')).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Allow' }));
    expect(host.called('gate.answer')).toMatchObject([{ gate: 'tool:deploy:release', answer: 'approve' }]);
    expect(host.called('gate.answer')[0]).not.toHaveProperty('lasting');
  });
});
