/** What the window says of a run that somebody handed over. */
export const words = {
  check: 'Check a bundle…',
  title: 'Check what was handed over',
  lead: 'A bundle is a ZIP file that holds a run with its report and its record. Nothing of it is executed, and nothing of it is kept here.',
  path: 'Where the ZIP file lies on this computer',
  choose: 'Choose…',
  chooseTitle: 'Choose a bundle',
  run: 'Check it',
  checking: 'Checking…',
  open: 'Look at it…',
  openTitle: 'Unpack it into a new folder in',
  unpacked: 'Unpacked: {folder}',
};
