/** What the form of the project's agents says. */
export const words = {
  title: 'Who does the work',
  subtitle:
    'Whoever is chosen here does the work of an agent in every run that begins from now on. Kept in gatehouse.yaml; a run keeps who was chosen when it began.',
  every: 'Every other agent',
  everyHint: 'All that no line above says anything of.',
  namedIn: 'Named in {titles}',
  namedInMore: 'Named in {titles} and {n} more',
  notNamed: 'No workflow names it.',
  does: 'Who does the work of {name}',
  doesEvery: 'Who does the work of every other agent',
  person: 'A person, who says how it went',
  shell: 'A command of the shell',
  command: 'A program that reads a brief',
  nobody: 'Nobody: it is only rehearsed',
  lines: 'Its command has several lines; they are changed in gatehouse.yaml.',
  run: 'Command',
  runHint: {
    shell: 'One line, run in the project’s folder. It went well if it ends without an error.',
    command: 'A program with its arguments. It reads a brief as JSON and writes a report as JSON.',
  },
  model: 'It is told to use {model}.',
  save: 'Save',
  saved: 'Written into gatehouse.yaml.',
  all: 'The {n} agents of this project, and every other one',
  none: 'No workflow of this project names an agent yet.',
} as const;
