/** What the step of a workflow says. */
export const words = {
  lastOf: 'This is about “{name}” alone, the last one chosen of {n} steps.',
  dynamic:
    'Repeated as often as needed: each time its outcome says whether it is done once more (`GOTO NEXT` in the source).',
  anyone: 'Anyone may answer',
  nobodyYet: 'only a name so far: nobody is set up to do its work',
  ownFolder: 'in the run’s own folder',
  rehearseFrom: 'Rehearse from here',
  gatesBefore: 'Gates before it',
  showWay: 'Show the way',
  hideWay: 'Hide the way',
  openWay: 'way past every gate',
  changedSince: 'The file was changed again since: nothing was undone. Undo takes back its last change.',
} as const;
