/** What the log says. */
export const words = {
  log: 'Log',
  label: 'Log of the run',
  filter: 'Only lines of',
  all: 'all steps',
  run: 'the run itself',
  empty: 'No line yet.',
  emptyFilter: 'No line of this step yet.',
  follow: 'Go to the latest line',
  stream: {
    event: 'event',
    stdout: 'output',
    stderr: 'error output',
    gatehouse: 'said by Gatehouse',
    heading: 'in which run what follows was recorded',
  } as Record<string, string>,
  lines: { one: '{n} line', other: '{n} lines' },
} as const;
