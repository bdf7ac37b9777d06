import { call } from './call';
import type { Commands } from './commands.gen';

export { useHost, currentHost } from './call';
export { ApiError, asApiError } from './errors';
export type * from './drawing.gen';
export type * from './engine.gen';
export type * from './model.gen';
export type * from './studio.gen';

type Params<Name extends keyof Commands> = Commands[Name]['params'];

/** Everything the window can ask for: one function per command, and nothing else talks to the backend. */
export const api = {
  inbox: (of: Params<'inbox.list'> = {}) => call('inbox.list', of),
  gateBrief: (gate: Params<'gate.brief'>) => call('gate.brief', gate),
  answerGate: (answer: Params<'gate.answer'>) => call('gate.answer', answer),

  evidence: (of: Params<'evidence.list'> = {}) => call('evidence.list', of),
  saveEvidence: (of: Params<'evidence.save'>) => call('evidence.save', of),
  promote: (record: Params<'evidence.promote'>) => call('evidence.promote', record),

  library: () => call('library.list', {}),
  workflow: (workflow: Params<'workflow.open'>) => call('workflow.open', workflow),
  workflowDocument: (path: string) => call('workflow.document', { path }),
  tests: (path: string) => call('workflow.tests', { path }),
  editWorkflow: (edit: Params<'workflow.edit'>) => call('workflow.edit', edit),
  writeWorkflow: (text: Params<'workflow.write'>) => call('workflow.write', text),
  preview: (of: Params<'workflow.preview'>) => call('workflow.preview', of),
  explainProblem: (code: string) => call('problem.explain', { code }),
  form: (of: Params<'workflow.form'>) => call('workflow.form', of),
  gatesBefore: (of: Params<'workflow.gates_before'>) => call('workflow.gates_before', of),
  drawn: (of: Params<'workflow.drawn'>) => call('workflow.drawn', of),
  palette: (path: string) => call('workflow.palette', { path }),
  copied: (of: Params<'workflow.copied'>) => call('workflow.copied', of),
  complete: (of: Params<'workflow.complete'>) => call('workflow.complete', of),
  parts: (of: Params<'workflow.parts'>) => call('workflow.parts', of),
  newWorkflows: () => call('workflow.new', {}),
  sketchWorkflow: (of: Params<'workflow.sketch'>) => call('workflow.sketch', of),
  createWorkflow: (of: Params<'workflow.create'>) => call('workflow.create', of),
  duplicateWorkflow: (of: Params<'workflow.duplicate'>) => call('workflow.duplicate', of),
  renameWorkflow: (of: Params<'workflow.rename'>) => call('workflow.rename', of),
  moveWorkflow: (of: Params<'workflow.move'>) => call('workflow.move', of),
  removed: (path: string) => call('workflow.removed', { path }),
  removeWorkflow: (path: string) => call('workflow.remove', { path }),
  versions: (path: string) => call('workflow.versions', { path }),
  compareVersions: (of: Params<'workflow.compare'>) => call('workflow.compare', of),
  restoreVersion: (of: Params<'workflow.restore'>) => call('workflow.restore', of),
  scenarioTable: (of: Params<'scenario.table'>) => call('scenario.table', of),
  editScenario: (of: Params<'scenario.edit'>) => call('scenario.edit', of),
  createScenario: (of: Params<'scenario.create'>) => call('scenario.create', of),
  recordScenario: (of: Params<'scenario.record'>) => call('scenario.record', of),
  removeScenario: (of: Params<'scenario.remove'>) => call('scenario.remove', of),
  undo: (of: Params<'workflow.undo'>) => call('workflow.undo', of),
  redo: (of: Params<'workflow.redo'>) => call('workflow.redo', of),
  placeAt: (path: string, line: number) => call('workflow.place', { path, line }),

  session: (of: Params<'session.open'>) => call('session.open', of),
  importSession: (of: Params<'session.import'>) => call('session.import', of),
  takingOver: (of: Params<'session.taking_over'>) => call('session.taking_over', of),
  takeOver: (of: Params<'session.take_over'>) => call('session.take_over', of),

  pipelineTemplates: () => call('pipeline.templates', {}),
  draftPipeline: (draft: Params<'pipeline.draft'>) => call('pipeline.draft', draft),
  createPipeline: (draft: Params<'pipeline.create'>) => call('pipeline.create', draft),
  pipelines: () => call('pipeline.list', {}),

  startBrief: (path: string, from?: string) => call('run.brief', { path, from }),
  startRun: (start: Params<'run.start'>) => call('run.start', start),
  drawing: (look: Params<'run.drawing'>) => call('run.drawing', look),
  overlay: (of: Params<'run.overlay'>) => call('run.overlay', of),
  routes: (of: Params<'run.routes'>) => call('run.routes', of),
  takenUp: (of: Params<'run.taken_up'>) => call('run.taken_up', of),
  checkpoints: (run_id: string) => call('run.checkpoints', { run_id }),
  nameMoment: (of: Params<'run.checkpoint'>) => call('run.checkpoint', of),
  goingBack: (of: Params<'run.going_back'>) => call('run.going_back', of),
  goBack: (of: Params<'run.go_back'>) => call('run.go_back', of),
  goOnMended: (of: Params<'run.go_on_mended'>) => call('run.go_on_mended', of),
  runDocument: (run_id: string) => call('run.document', { run_id }),
  step: (step: Params<'run.step'>) => call('run.step', step),
  file: (of: Params<'run.file'>) => call('run.file', of),
  timeline: (run: Params<'run.timeline'>) => call('run.timeline', run),
  terminals: (run_id: string) => call('run.terminals', { run_id }),
  type: (of: Params<'run.type'>) => call('run.type', of),
  log: (after: Params<'run.log'>) => call('run.log', after),
  compareRuns: (of: Params<'run.compare'>) => call('run.compare', of),
  compareFiles: (of: Params<'run.compare_files'>) => call('run.compare_files', of),
  act: (order: Params<'run.act'>) => call('run.act', order),
  verify: (run_id: string) => call('run.verify', { run_id }),
  runs: (of: Params<'runs.list'> = {}) => call('runs.list', of),
  runPeople: () => call('runs.people', {}),
  unlistedRuns: () => call('runs.unlisted', {}),
  findRuns: (query: string, limit: number) => call('runs.find', { query, limit }),

  report: (run_id: string) => call('report.view', { run_id }),
  saveReport: (save: Params<'report.save'>) => call('report.save', save),
  saveBundle: (save: Params<'bundle.save'>) => call('bundle.save', save),
  checkBundle: (of: Params<'bundle.check'>) => call('bundle.check', of),
  unpackBundle: (of: Params<'bundle.unpack'>) => call('bundle.unpack', of),

  settings: () => call('settings.get', {}),
  trust: (trust: boolean) => call('project.trust', { trust }),
  revoke: (permission: string) => call('settings.revoke', { permission }),
  people: () => call('people.list', {}),
  confirmKey: (key: Params<'people.confirm'>) => call('people.confirm', key),
  revokeKey: (key: Params<'people.revoke'>) => call('people.revoke', key),
  agents: () => call('agents.get', {}),
  changeAgent: (change: Params<'agents.set'>) => call('agents.set', change),
  context: () => call('context.get', {}),
  changeContext: (change: Params<'context.set'>) => call('context.set', change),
  changeSettings: (change: Params<'settings.set'>) => call('settings.set', change),
};
