/** What the source of a workflow says about itself. */
export const words = {
  readOnly: 'Shown as it is in the file. Edit it in your own editor; this view follows.',
} as const;
