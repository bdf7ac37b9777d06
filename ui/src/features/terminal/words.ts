/** What the terminal of a step says. */
export const words = {
  label: 'Terminal of {step}',
  keys: 'Type into the terminal of {step}',
  lead: 'What you type goes to this step’s program. What the program shows of it is kept with the run; what it hides, such as a password, is not. Shift+Tab leaves the terminal.',
  end: 'End of input',
  endHint: 'Tells the program that nothing more is typed (Ctrl+D)',
} as const;
