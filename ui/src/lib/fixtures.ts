import type {
  EvidenceView,
  GateBrief,
  GateCard,
  RunRowView,
  SettingsView,
  StepRef,
  SupportView,
  ToolCallView,
  WorkflowView,
} from '$lib/api';

/** Small, complete values of the API's types for unit tests. Fixtures of whole runs come from the real backend (Playwright). */
export const step = (id: string, number = '4'): StepRef => ({ id, number, name: id.replaceAll('_', ' ') });

export function gateCard(over: Partial<GateCard> = {}): GateCard {
  return {
    run_id: 'run-1',
    gate: 'critique',
    round: 1,
    purpose: 'approval',
    question: 'Are these requirements ready to build from?',
    workflow_title: 'Shape a request',
    step: step('critique'),
    instance: null,
    waiting_since: Date.parse('2026-03-10T10:00:00Z'),
    asks: [],
    mine: true,
    own: over.mine ?? true,
    started_by: 'Ada',
    rehearsal: false,
    ...over,
  };
}

export function gateBrief(over: Partial<GateBrief> = {}): GateBrief {
  const answer = { allowed: true, refusal: null, runs: [], never_runs: [] };
  return {
    run_id: 'run-1',
    run_status: 'blocked',
    rehearsal: false,
    gate: 'critique',
    round: 1,
    workflow_title: 'Shape a request',
    workflow_path: 'flows/shape.yaml',
    step: step('critique'),
    instance: null,
    steps_total: 7,
    purpose: 'approval',
    question: 'Are these requirements ready to build from?',
    instructions_html: null,
    command: null,
    needs: [],
    why: 'You are asked because the step asks for a person.',
    why_code: 'explicit human gate',
    waiting_since: Date.parse('2026-03-10T10:00:00Z'),
    asks: [],
    before: [],
    said: null,
    report: [],
    artifacts: [
      {
        path: 'out/requirements.md',
        bytes: 1900,
        digest: 'aa11',
        kind: 'markdown',
        html: '<p>The customer can export invoices.</p>',
        changes: null,
        differs_on_disk: false,
      },
    ],
    checks: [{ name: 'Template complete', status: 'done', detail: '' }],
    answers: [
      { ...answer, answer: 'approve', label: 'Approve', needs_comment: false, words: '“Write scenarios” runs next' },
      { ...answer, answer: 'changes', label: 'Request changes', needs_comment: true, words: '“Author” runs again' },
      {
        ...answer,
        answer: 'reject',
        label: 'Reject',
        needs_comment: true,
        words: 'the run ends as failed',
        never_runs: [step('publish')],
      },
    ],
    rounds: [],
    answered: null,
    asks_other: false,
    signer: { name: 'Reviewer', key_short: '7F3A…C2' },
    ...over,
  };
}

export function answeredBy(by: string, over: Partial<NonNullable<GateBrief['answered']>> = {}): GateBrief['answered'] {
  return {
    round: 1,
    opened_at: Date.parse('2026-03-10T10:00:00Z'),
    answer: 'approve',
    words: 'approved',
    instance: null,
    by,
    answered_at: Date.parse('2026-03-10T11:00:00Z'),
    comment: null,
    via: 'desktop',
    key_short: '7F3A…C2',
    signature_valid: true,
    ...over,
  };
}

export function evidence(over: Partial<EvidenceView> = {}): EvidenceView {
  return {
    id: 'ev:prd:1',
    run_id: 'run-1',
    workflow_title: 'Plan a product',
    name: 'prd.md',
    step: step('prd', '2'),
    visit: 1,
    recorded_at: Date.parse('2026-03-10T10:00:00Z'),
    claim: 'The requirements are complete.',
    quoted: '“The requirements are complete”',
    level: 'L1',
    level_words: 'checked automatically',
    asked: 'L2',
    source: 'writer',
    date: '2026-03-10',
    holds: 'valid for 31 days',
    validity: { status: 'active', until: '2026-04-10', until_at: null, words: 'expires in 31 days', soon: false },
    congruence: 'CL2',
    congruence_words: 'what was looked at is close to what is claimed',
    factor: 0.8,
    reliability: 0.9,
    score: 0.72,
    counts: 0.72,
    formula: '0.9 × 0.8 (CL2) = 0.72',
    carrier: 'docs/prd.md',
    about: [{ path: 'docs/prd.md', name: 'prd.md', digest: 'aa11bb22cc', drift: 'same', words: null }],
    notes: '',
    promotions: [],
    superseded: false,
    rehearsal: false,
    promote: { to: 'L2', words: 'confirmed by a person', refusal: null },
    ...over,
  };
}

export function support(over: Partial<SupportView> = {}): SupportView {
  return {
    words: 'Weakest evidence: prd.md, checked automatically, valid for 31 days.',
    assurance: 0.72,
    formula: 'min(0.9, 0.72) = 0.72',
    weakest: 'ev:prd:1',
    parts: [
      {
        evidence: 'ev:brief:1',
        name: 'brief.md',
        claim: 'The brief is complete.',
        formula: '0.9 × 1 (CL3) = 0.9',
        counts: 0.9,
      },
      {
        evidence: 'ev:prd:1',
        name: 'prd.md',
        claim: 'The requirements are complete.',
        formula: '0.9 × 0.8 (CL2) = 0.72',
        counts: 0.72,
      },
    ],
    expired: 0,
    soon: 0,
    drifted: 0,
    ...over,
  };
}

export function toolCall(over: Partial<ToolCallView> = {}): ToolCallView {
  return {
    name: 'readTextFile',
    status: 'done',
    words: 'answered',
    risk: 'low',
    required: true,
    args: 'path: docs/brief.md',
    output: 'text: one',
    error: null,
    duration_ms: 12,
    earlier: false,
    gate: null,
    ...over,
  };
}

export function runRow(over: Partial<RunRowView> = {}): RunRowView {
  return {
    run_id: 'run-1',
    workflow_title: 'Shape a request',
    workflow_path: 'flows/shape.yaml',
    status: 'done',
    status_words: 'done',
    outcome: null,
    created_at: Date.parse('2026-03-10T10:00:00Z'),
    ended_at: Date.parse('2026-03-10T10:01:00Z'),
    duration_ms: 60_000,
    loops: 1,
    gates: 1,
    executed: 7,
    by: 'Ada',
    initiator: 'cli',
    rehearsal: false,
    scenario: null,
    error: null,
    ...over,
  };
}

export const settings: SettingsView = {
  name: 'Reviewer',
  roles: [],
  key: '7f3a0000000000c2',
  key_short: '7F3A…C2',
  key_kept: 'in a file only you can read',
  theme: 'system',
  notifications: true,
  auto_next: false,
  project: '/home/ada/invoices',
  version: '0.1.0',
  trust: { trusted: true, asked: true, lost: null },
  granted: [],
  config_words: 'gatehouse.yaml was read; nothing in it is wrong.',
  config_problems: [],
};

export function workflow(over: Partial<WorkflowView> = {}): WorkflowView {
  return {
    path: 'flows/shape.yaml',
    revision: 'r1',
    id: 'shape',
    title: 'Shape a request',
    description: null,
    description_html: null,
    format: 'stepwise',
    format_label: 'Flow',
    source: 'steps:\n  - id: author\n  - id: critique\n',
    language: 'yaml',
    writable: true,
    steps: ['author', 'critique'].map((id, ordinal) => ({
      ordinal,
      step: step(id, String(ordinal + 1)),
      kind: 'agent',
      parent: null,
      dynamic: false,
      intent: null,
      intent_html: null,
      command: null,
      runbooks: [],
      agents: [],
      next: [],
      depends_on: [],
      middle: false,
      gate: null,
      loop: null,
      inputs: [],
      outputs: [],
      fields: [],
      lines: { first: 2 + ordinal, last: 2 + ordinal },
    })),
    drawing: {
      width: 0,
      height: 0,
      direction: 'right',
      nodes: [],
      edges: [],
      groups: [],
      lanes: [],
      bars: [],
      forks: [],
    },
    faces: [],
    problems: [],
    fields: [],
    undo: null,
    redo: null,
    scenarios: [],
    runs: [],
    ...over,
  };
}
