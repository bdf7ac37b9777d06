/** What the window says of a run that somebody handed over. */
export const words = {
  check: 'Check a bundle…',
  title: 'Check what was handed over',
  lead: 'A bundle is a ZIP file that holds a run with its report and its record. Nothing of it is executed, and nothing of it is kept here.',
  path: 'Where the ZIP file lies on this computer',
  listed: 'ZIP files in the folder “reports” of this project',
  listedHint: 'A file that was sent to you can be chosen here once it lies in that folder.',
  listedNone: 'There is none yet. Put a file that was sent to you into that folder, or type where it lies:',
  refresh: 'Look again',
  choose: 'Choose…',
  chooseTitle: 'Choose a bundle',
  run: 'Check it',
  checking: 'Checking…',
  added: 'Something was added',
  open: 'Look at it…',
  openTitle: 'Unpack it into a new folder in',
  unpacked: 'Unpacked: {folder}',
  handOver: {
    title: 'Hand this run over',
    lead: 'One ZIP file is written. Whoever gets it can check and replay the run, without your project and without your key.',
    goesIn: 'What goes in',
    report: 'this report',
    runs: {
      one: 'the record of this run ({events})',
      other: 'the records of {n} runs: this one, and those around, inside and before it ({events})',
    },
    events: { one: '{n} event', other: '{n} events' },
    files: {
      one: '{n} file that its steps made, {size}',
      other: '{n} files that the steps made, {size} together',
    },
    filesEarlier: {
      one: '{files}, with {n} earlier version of them, {size} together',
      other: '{files}, with {n} earlier versions of them, {size} together',
    },
    filesOnly: { one: '{n} file that its steps made', other: '{n} files that the steps made' },
    earlierOnly: {
      one: 'no file that counts now, but {n} earlier version that the record keeps, {size}',
      other: 'no file that counts now, but {n} earlier versions that the record keeps, {size} together',
    },
    noFiles: 'no file: no step made one',
    personal:
      'All that people entered, wrote and decided in these runs goes with it: names, comments, answers at the start, and what the files hold. Personal data in there is not taken out. Give it only to whoever may have all of this.',
    withdrawn:
      'The record keeps every version of a file: drafts that were sent back, and what was taken out of them later, can be read in it.',
    where: 'It is written into the folder “reports” of this project, and replaces no other file.',
    whereAsked: 'Where it is written is asked next.',
    write: 'Write the file',
    writing: 'Writing…',
    written: 'Written ({size}):',
    close: 'Close',
  },
};
