/** What the source of a workflow says about itself. */
export const words = {
  readOnly: 'Shown as it is in the file. Edit it in your own editor; this view follows.',
  writable: 'Type here; Ctrl+Space says what can stand where you are, Ctrl+S saves, Ctrl+Z takes back what you typed.',
  unsaved: 'Typed and not saved yet. The picture shows what it would be.',
  brokenTyped:
    'Typed and not saved yet. It cannot be read as a workflow; the picture shows the last text that could be read. Line {line}: {message}',
  broken: 'It cannot be read as a workflow; the picture shows the last text that could be read. Line {line}: {message}',
} as const;
