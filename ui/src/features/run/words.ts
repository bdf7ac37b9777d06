import type { RunHead } from '$lib/api';

/** What the view of one run says. */
export const words = {
  runs: 'Runs',
  flows: 'The flows of this run',
  aside: 'aside:',
  by: 'started by {who}',
  from: {
    desktop: 'started in the window',
    cli: 'started on the command line',
    serve: 'started in a browser',
  } as Record<string, string>,
  scenario: 'script “{name}”',
  drivenBy: {
    desktop: 'running in the window',
    cli: 'running on the command line',
    serve: 'running in a browser',
  } as Record<string, string>,
  driven: 'running',
  notDriven: 'not running',
  copyId: 'Copy the run’s id',
  took: 'took',
  since: 'for',
  changed: 'The workflow file has changed since this run started. The run keeps the version it started with.',
  openFile: 'Open the file',
  failed: 'Why it failed',
  stopped: 'Why it stopped',
  aborted: 'Why it was stopped',
  saidStop: 'The runbook stopped',
  past: 'You are looking at the past: event {i} of {n} · {time}',
  backToLive: 'Back to live',
  toEnd: 'To the end',
  pause: 'Pause',
  resume: 'Resume',
  abort: 'Stop…',
  reopen: 'Resume…',
  abortPipeline: 'Abort…',
  drive: 'Resume here',
  openDecision: 'Open the decision',
  waitsInside: 'Waits for a decision in “{title}”:',
  report: 'Report…',
  hideInspector: 'Hide the step’s details',
  showInspector: 'Show the step’s details',
  stopTitle: 'Stop this run?',
  stopText:
    'What is in flight is cut off, nothing more is started, and the run cannot be resumed. Everything that happened so far stays in its history.',
  stopTextResumable:
    'What is in flight is cut off and nothing more is started. Everything that happened so far stays in its history, and you can go on where it stopped.',
  goOn: 'Go on where it failed',
  goOnStopped: 'Go on where it stopped',
  goOnTitle: 'Go on with this run?',
  runsAgain: 'Runs now',
  runsThen: 'Then',
  mayRunThen: 'May run then',
  goOnAt: 'Go on at',
  goOnOwnVersion:
    'The workflow’s file has changed since. The run goes on with the version it began with; start a new run to use the file as it is now.',
  keptAs: 'Stays as it is',
  leaveIt: 'Leave it',
  stop: 'Stop the run',
  keep: 'Let it go on',
  panels: 'Timeline and log',
  timeline: 'Timeline',
  log: 'Log',
  document: 'Document',
  outputs: 'Outputs',
  parent: 'carries out a step of',
  prompted: 'asks for every step, runs nothing',
  graphPane: 'timeline',
  inspectorPane: 'step details',
  now: 'The run: {words}',
} as const;

/** Where it is running, by the first word of who holds it: `serve 17251@vm`. */
export const runsWhere = (driver: string): string => words.drivenBy[driver.split(' ')[0] ?? ''] ?? words.driven;

/** What a person can do with a run, in words. */
export const actionLabels = (view: RunHead): Record<string, string> => ({
  pause: words.pause,
  resume: words.resume,
  abort: view.pipeline ? words.abortPipeline : words.abort,
  drive: words.drive,
  reopen: view.pipeline ? words.reopen : view.status === 'aborted' ? words.goOnStopped : words.goOn,
});
