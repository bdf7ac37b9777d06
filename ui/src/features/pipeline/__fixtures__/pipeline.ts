import type { DraftView, PipelineRunView, StageChoice, StepRef, TemplateView } from '$lib/api';

export const step = (id: string, number: string): StepRef => ({ id, number, name: id });

/** Two stages in a row, the second behind a gate of its own. */
export const review: TemplateView = {
  name: 'design_review',
  title: 'Design review',
  description: 'A design and a look at it.',
  origin: { kind: 'built_in' },
  error_handling: 'skip_dependents',
  stages: [
    { name: 'draft', agents: ['architect'], outputs: ['design'], description: 'Draws it.', inputs: ['brief'] },
    {
      name: 'review',
      agents: ['analyst', 'pm'],
      parallel: true,
      depends_on: ['draft'],
      gate: { requirement: 'conditional', at: 'before', question: 'Ready to be looked at?', asks: ['legal'] },
    },
  ],
  problem: null,
};

export function draftView(over: Partial<DraftView> = {}): DraftView {
  return {
    id: 'PIPE-20260131-release-093000',
    path: 'pipelines/PIPE-20260131-release-093000.yaml',
    name_problem: null,
    text: 'name: Release\nstages: []\n',
    problems: [],
    can_create: true,
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
    critical_path: [],
    estimate: { ms: null, words: 'unknown: no past runs', runs: 0, path: [], unknown: [] },
    ...over,
  };
}

export function choice(
  id: string,
  number: string,
  dependents: StepRef[] = [],
  over: Partial<StageChoice> = {},
): StageChoice {
  return {
    step: step(id, number),
    status: 'failed',
    error: `${id} broke`,
    dependents,
    retry: `“${id}” is tried again.`,
    skip: `“${id}” is left out.`,
    ...over,
  };
}

export function pipelineRun(over: Partial<PipelineRunView> = {}): PipelineRunView {
  return {
    status_word: 'running',
    progress: { completed: 2, total: 5, percent: 40, words: '2 of 5 completed' },
    critical_path: ['a', 'b'],
    estimate: {
      ms: 180_000,
      words: 'about 3 min (estimated from 4 past runs)',
      runs: 4,
      path: [step('b', '2')],
      unknown: [],
    },
    choices: [],
    ending: null,
    ...over,
  };
}
