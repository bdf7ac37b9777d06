/** What the rendered text of a workflow says around itself. */
export const words = {
  label: 'The text of the workflow',
  tooLong: 'This text is too long to be rendered. Read it in its source.',
  choose: 'Choose the step “{name}”',
} as const;
