// What the front door prints: numbered steps with their elapsed time, and one clear line when something is wrong.

const began = performance.now();

/** A reason to stop that a person can act on: what happened, and what to do. */
export class Stop extends Error {
  /**
   * @param {string} message what happened, one line
   * @param {string} [hint] what to do about it
   */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}

/** A duration in words a person reads at a glance: 0.4 s, 12 s, 3 min 20 s. */
export function duration(ms) {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Time since the command was started, in ms. */
export const elapsed = () => performance.now() - began;

export const say = (line = '') => process.stdout.write(`${line}\n`);

/**
 * Prints numbered steps: `[2/6] npm packages`, and when it is done how it went: `[2/6] ok: 443 packages are up to date, 0.3 s`. The number
 * tells steps apart that run beside each other.
 */
export class Steps {
  #total;
  #current = 0;

  constructor(total) {
    this.#total = total;
  }

  /**
   * Runs one step and says how it went.
   * @template T
   * @param {string} title
   * @param {() => Promise<T>} work resolves to a note for the end of the line, or to anything else
   * @returns {Promise<T>}
   */
  async run(title, work) {
    this.#current += 1;
    const number = `[${this.#current}/${this.#total}]`;
    const start = performance.now();
    say(`${number} ${title}`);
    const result = await work();
    const note = typeof result === 'string' ? `${result}, ` : '';
    const mark = /^(FAILED|not run)/.test(note) ? '' : 'ok: ';
    say(`${number} ${mark}${note}${duration(performance.now() - start)}`);
    return result;
  }
}

/** Runs a front-door command to its end: turns a Stop into two lines and exit code 1. What still runs is ended. */
export async function main(work) {
  let code = 1;
  try {
    code = (await work()) ?? 0;
  } catch (error) {
    say();
    process.stderr.write(error instanceof Stop ? `error: ${error.message}\n` : `error: ${error.stack}\n`);
    if (error.hint) process.stderr.write(`hint:  ${error.hint}\n`);
  }
  process.exit(code);
}
