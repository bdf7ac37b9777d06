// What is typed behind a command: options with a value, and names of which some are chosen.
import { Stop } from './say.mjs';

/** What follows an option, or stands behind its `=`; undefined where it is not given. */
export function valueOf(words, option) {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at === -1) return undefined;
  return words[at].includes('=') ? words[at].slice(option.length + 1) : (words[at + 1] ?? '');
}

/**
 * The names that `--only` lists, in the order of all; undefined where it is not given.
 * @param {string} what one of them is: a check, a part
 */
export function onlySome(words, names, what) {
  const only = valueOf(words, '--only');
  if (only === undefined) return undefined;
  const wanted = only.split(',').filter(Boolean);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0 || wanted.length === 0) {
    throw new Stop(
      `There is no ${what} called ${unknown.join(', ') || '(nothing)'}.`,
      `Use some of: ${names.join(', ')}`,
    );
  }
  return names.filter((name) => wanted.includes(name));
}
