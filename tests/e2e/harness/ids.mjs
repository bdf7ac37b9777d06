// The names the tests rely on: every element a test or a tour needs carries one as `data-testid`, and these alone
// are promised to stay. The pages' words and looks may change; a name here changes only together with its tests.
export const ids = {
  // The frame of the window
  navInbox: 'nav-inbox',
  navLibrary: 'nav-library',
  navRuns: 'nav-runs',
  navEvidence: 'nav-evidence',
  navSettings: 'nav-settings',
  toast: 'toast',
  trustBar: 'trust-bar', // the question whether the folder is trusted
  trustYes: 'trust-yes',
  trustNo: 'trust-no',
  restricted: 'restricted', // nothing of the folder runs
  startRestricted: 'start-restricted',
  startTrust: 'start-trust',

  // Library and workflow
  workflowCard: 'workflow-card', // data-path
  runStart: 'run-start',
  startConfirm: 'start-confirm',
  startScenario: 'start-scenario',
  startUnbound: 'start-unbound', // agents that nobody is bound to
  startPerson: 'start-person', // a person does their work
  rehearsal: 'rehearsal', // the mark of a rehearsal
  startPrompted: 'start-prompted', // ask for every step, run nothing
  startPermit: 'start-permit', // allow all of it for this run
  startUses: 'start-uses',
  inspector: 'inspector',
  inspectorNext: 'inspector-next', // what comes next, in the inspector of a workflow's step
  inspectorMeets: 'inspector-meets', // whose branches meet at the step
  problems: 'problems',
  source: 'source',

  // Authoring
  newName: 'new-name',
  newMake: 'new-make',
  newFormat: 'new-format', // data-format
  newTemplate: 'new-template', // data-template; empty: nothing but a first step; ?: what is answered
  newAsked: 'new-asked',
  newBefore: 'new-before',
  newAfter: 'new-after',
  newSteps: 'new-steps',
  addOpen: 'add-open',
  addStep: 'add-step',
  addStepName: 'add-step-name',
  addStepKind: 'add-step-kind',
  addStepMake: 'add-step-make',
  barGate: 'bar-gate',
  barRemove: 'bar-remove',
  edgeInsert: 'edge-insert',
  consequence: 'consequence',
  consequenceGo: 'consequence-go',
  tabOutline: 'tab-outline',
  outline: 'outline',
  outlineLine: 'outline-line', // data-step
  outlineRename: 'outline-rename',
  conditionField: 'condition-field',
  conditionOperator: 'condition-operator',
  conditionValue: 'condition-value',
  conditionText: 'condition-text',
  conditionAsText: 'condition-as-text',
  conditionAlways: 'condition-always', // takes it out
  wayTo: 'way-to', // where a new way leads
  wayAdd: 'way-add',
  drawLine: 'draw-line', // what a line that was drawn means
  drawWay: 'draw-way',
  drawGo: 'draw-go',
  undo: 'undo',
  redo: 'redo',

  // Graph
  graph: 'graph',
  graphFit: 'graph-fit',
  graphNode: 'graph-node', // data-step, data-status; a container's is its title, data-frame
  graphFold: 'graph-fold', // data-fold: the container's step
  graphEdge: 'graph-edge', // data-from, data-to, data-taken
  loopBadge: 'loop-badge',
  graphFork: 'graph-fork', // a bar between which branches, or stages, stand beside each other
  graphMeeting: 'graph-meeting', // data-from: the step that forks, data-to, data-met
  whyCard: 'why-card',
  forkWords: 'fork-words', // data-met
  forkAsks: 'fork-asks',
  forkFound: 'fork-found',
  forkBranch: 'fork-branch', // data-step, data-status, data-counts

  // Run and its timeline
  runStatus: 'run-status', // data-status
  runWords: 'run-words', // while it goes on
  runReport: 'run-report',
  openDecision: 'open-decision',
  timeline: 'timeline',
  terminal: 'terminal', // of a step that runs here
  terminalScreen: 'terminal-screen',
  terminalKeys: 'terminal-keys',
  terminalEnd: 'terminal-end',
  tabTerminal: 'tab-terminal',
  tabLog: 'tab-log',
  log: 'log',
  logCount: 'log-count', // how many lines it has
  logLine: 'log-line', // data-stream; those in sight
  startFlows: 'start-flows', // the flows that a start would go through
  playhead: 'playhead', // data-at, data-live
  playheadPrev: 'playhead-prev',
  playheadNext: 'playhead-next',
  playheadLive: 'playhead-live',

  // Checkpoints
  tabCheckpoints: 'tab-checkpoints',
  checkpoint: 'checkpoint', // data-seq
  checkpointName: 'checkpoint-name',
  checkpointAdd: 'checkpoint-add',
  checkpointSince: 'checkpoint-since',
  checkpointBack: 'checkpoint-back',
  timelineFlag: 'timeline-flag', // a checkpoint on the timeline
  back: 'back', // what going back means
  backFiles: 'back-files', // put the files back into the project
  backChanges: 'back-changes',
  backConfirm: 'back-confirm',
  runFrom: 'run-from', // in the list: the run that it goes on from

  // Sessions
  sessionImport: 'session-import',
  sessionTakeOver: 'session-take-over', // go on from an imported one
  takeOver: 'take-over', // what counts as done
  takeOverWorkflow: 'take-over-workflow',
  takeOverAt: 'take-over-at', // the step to go on at
  takeOverConfirm: 'take-over-confirm',
  runImported: 'run-imported',
  sessionCard: 'session-card',
  sessionView: 'session-view',
  sessionAgent: 'session-agent',
  sessionSource: 'session-source',
  runSession: 'run-session', // the run as a session

  // Runbooks
  document: 'document',
  tabDocument: 'tab-document',
  tabTests: 'tab-tests',
  tests: 'tests',
  testsRun: 'tests-run',
  test: 'test', // data-passed
  inspectorInstance: 'inspector-instance',
  inspectorOutput: 'inspector-output', // while its step runs
  inspectorSaid: 'inspector-said',

  // Pipelines
  newPipeline: 'new-pipeline',
  template: 'template', // data-template; empty: from nothing
  draftName: 'draft-name',
  draftHandling: 'draft-handling', // data-handling
  draftPreview: 'draft-preview', // data-stale
  draftTextTab: 'draft-text-tab',
  draftPath: 'draft-path',
  draftProblems: 'draft-problems',
  draftCreate: 'draft-create',
  stage: 'stage', // data-stage
  stageAdd: 'stage-add',
  stageOpen: 'stage-open',
  stageName: 'stage-name',
  stageParallel: 'stage-parallel',
  cardRun: 'card-run', // data-path
  cardResume: 'card-resume', // data-path
  pipelineProgress: 'pipeline-progress',
  pipelineEnding: 'pipeline-ending', // data-status
  tabOutputs: 'tab-outputs',
  outputsFile: 'outputs-file',
  runAbort: 'run-abort',
  runReopen: 'run-reopen', // a run that has ended is taken up again
  goOn: 'go-on', // what runs again and what stays
  goOnAt: 'go-on-at',
  goOnVersion: 'go-on-version', // with the version it keeps, or with the file as it is now
  goOnChanged: 'go-on-changed',
  goOnRefused: 'go-on-refused',
  goOnConfirm: 'go-on-confirm',
  runContinues: 'run-continues', // the run that it goes on from
  abortCut: 'abort-cut',
  stopReason: 'stop-reason',
  stopConfirm: 'stop-confirm',
  resumeStage: 'resume-stage', // data-stage, data-choice
  resumeRetry: 'resume-retry',
  resumeSkip: 'resume-skip',
  resumeSummary: 'resume-summary',
  resumeApply: 'resume-apply',

  // Gate
  gateCard: 'gate-card', // data-run, data-gate
  gateBrief: 'gate-brief', // data-run, data-gate, data-round, data-purpose
  gateInstructions: 'gate-instructions',
  gateCommand: 'gate-command',
  gateNeeds: 'gate-needs',
  gateAnswers: 'gate-answers', // data-live: whether they can be pressed
  gateAnswered: 'gate-answered', // data-mine
  decisionsShowRehearsals: 'decisions-show-rehearsals', // where nothing was decided for real
  gateNext: 'gate-next',
  gateRun: 'gate-run',
  gateName: 'gate-name',
  gateRefused: 'gate-refused',
  gateChanged: 'gate-changed',
  gateUndrawn: 'gate-undrawn', // files that are named as not all drawn
  pdfPage: 'pdf-page', // data-page
  picture: 'picture',
  gateComment: 'gate-comment',
  gateApprove: 'gate-approve',
  gateChanges: 'gate-changes',
  gateReject: 'gate-reject',
  gateSure: 'gate-sure', // what is final is asked for twice
  gatePass: 'gate-pass', // a runbook's YES, PASS
  gateFail: 'gate-fail', // NO, FAIL
  gateWays: 'gate-ways', // the ways on that a person chooses among
  gateChoose: 'gate-choose',
  gateLasting: 'gate-lasting', // for how long a permission holds

  // StepSpec
  graphLane: 'graph-lane', // data-lane: the phase
  gatePolicy: 'gate-policy', // of a step of a workflow
  startQuestions: 'start-questions',
  startInput: 'start-input-', // and the question's name
  startTools: 'start-tools',
  inspectorAttempt: 'inspector-attempt',
  inspectorCalls: 'inspector-calls',
  inspectorValidation: 'inspector-validation',
  inspectorEvidence: 'inspector-evidence',
  gateWhy: 'gate-why',
  gateEvidence: 'gate-evidence',
  gateChecks: 'gate-checks',
  gateRaises: 'gate-raises',
  gateTool: 'gate-tool',
  evidence: 'evidence', // data-evidence, data-level
  evidencePromote: 'evidence-promote',
  promoteReason: 'promote-reason',
  promoteConfirm: 'promote-confirm',

  // First start
  firstTry: 'first-try',
  tour: 'tour',

  // Report and settings
  reportExport: 'report-export',
  reportFrame: 'report-frame',
  reportVerify: 'report-verify',
  verification: 'verification', // data-ok
  settingsName: 'settings-name',
  settingsSave: 'settings-save',
};

/** The CSS selector of an element by its name, and by further `data-…` values. What begins with a bracket is one already. */
export function selector(id, data = {}) {
  if (id.startsWith('[')) return id;
  const rest = Object.entries(data).map(([name, value]) => `[data-${name}="${escaped(value)}"]`);
  return `[data-testid="${id}"]${rest.join('')}`;
}

const escaped = (value) => String(value).replace(/["\\]/g, '\\$&');
