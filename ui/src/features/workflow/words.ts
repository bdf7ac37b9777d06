/** What the step of a workflow says. */
export const words = {
  dynamic: 'Repeated as often as needed: a new repetition begins with GOTO NEXT.',
  anyone: 'Anyone may answer',
} as const;
