/** What is said about the connection that the window cannot mend by itself. */
export const words = {
  replaced: 'Gatehouse was started again: open the address it printed.',
} as const;
