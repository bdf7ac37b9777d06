/** What the form of the project's context says. */
export const words = {
  title: 'What holds for everything',
  subtitle:
    'Every agent is told it, and every gate shows the standards beside what was reported. Kept in gatehouse.yaml; a run keeps what held when it began.',
} as const;
