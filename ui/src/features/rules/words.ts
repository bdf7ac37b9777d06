/** What the page of a project's rules says. */
export const words = {
  title: 'Rules of this project',
  lead: 'What its texts must not hold, what its steps may do, and which gates stop a run. Kept in gatehouse.yaml.',
  open: 'Open the rules',
  left: 'What you typed there is not saved yet.',
  keywords: ['guardrails', 'permissions', 'gates', 'secrets', 'personal data', 'allow', 'deny'],
  guardrails: {
    title: 'What texts must not hold',
    subtitle:
      'Looked at are the answers at a start, comments, what a step is given, what it says and reports, and the files that it makes. A run keeps the rules that held when it began.',
    addTitle: 'Add a pattern of your own',
    name: 'What it is called',
    nameHint: 'It stands in reports: customer number.',
    pattern: 'Pattern',
    patternHint: 'A regular expression: `C-\\d{6}` is C- and six digits.',
    add: 'Add',
    tryTitle: 'Try a text',
    text: 'Text',
    textHint: 'It is held against the rules as they are saved, and kept nowhere.',
    try: 'Try it',
  },
  permissions: {
    title: 'What steps may do',
    subtitle:
      'Read from the commands of a step before anything is run. What a rule refuses is never run, whoever says yes; the order of the rules does not matter.',
    kinds: {
      run: 'Commands that are run',
      read: 'Files that are read',
      write: 'Files that are written',
      env: 'Variables of the environment',
    },
    none: 'No rule yet.',
    remove: 'Take out',
    removeOf: 'Take out: {rule}',
    addTitle: 'Add a rule',
    of: 'It speaks of',
    answer: 'It says',
    answers: { allow: 'It is let through unasked', deny: 'It is refused, whoever says yes' },
    pattern: 'Which',
    hints: {
      run: 'A command, `*` stands for any words: `npm run *`.',
      read: 'A path from the project’s folder: `config/**` is all that lies in config.',
      write: 'A path from the project’s folder: `build/**` is all that lies in build.',
      env: 'A name, `*` stands for anything: `MODEL_*`.',
    },
    add: 'Add',
    tryTitle: 'What would happen if a step ran this command?',
    command: 'Command',
    commandHint:
      'It is not run. Looked at are the rules as they are saved, for every workflow, and what you have permitted for all later runs. This holds of commands that are written in workflows. A command line under “Who does the work” was written beside the rules: it starts without being asked about, and is only denied what a rule names.',
    try: 'Look',
  },
  gates: {
    title: 'Which gates stop a run',
    subtitle:
      'A required gate always does. A run keeps what held when it began. The standards that reports are held against stand in the settings, under What holds for everything.',
  },
} as const;

/** The forms of the page, by the names under which what is not saved in them is kept. */
export const FORMS = ['guardrails', 'guardrails-add', 'permissions', 'permissions-add', 'gates'] as const;
