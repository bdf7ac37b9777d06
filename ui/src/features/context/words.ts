/** What the form of the project's context says. */
export const words = {
  title: 'What holds for everything',
  subtitle:
    'Every agent is told it, and every gate shows the standards beside what was reported. Kept in gatehouse.yaml; a run keeps what held when it began.',
  none: 'Not said',
  lines: 'One a line.',
  more: 'gatehouse.yaml says more, which is edited there: {names}',
  save: 'Save',
  saved: 'Written into gatehouse.yaml.',
} as const;
