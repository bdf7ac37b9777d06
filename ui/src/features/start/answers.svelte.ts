import type { Question } from '$lib/api';

/** An answer as it stands in a field. */
function written(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** What the author offers, as it stands in a field. */
const offered = ({ default: value }: Question): string => written(value);

/** The answers to what a workflow asks before it begins, while they are written. Whether they can be taken the backend says. */
export class Answers {
  readonly questions: readonly Question[];
  /** With what the form begins, by the names of the questions. */
  readonly #first: Readonly<Record<string, unknown>>;
  /** What stands in each field. */
  texts = $state<Record<string, string>>({});
  /** What is wrong with an answer, by the name of its question. */
  faults = $state.raw<Record<string, string>>({});

  /** `earlier`: the answers of another run, by the names of their questions, with which the form begins. */
  constructor(questions: readonly Question[], earlier: Readonly<Record<string, unknown>> = {}) {
    this.questions = questions;
    this.#first = Object.fromEntries(
      questions.map(({ name, default: value }) => [name, name in earlier ? earlier[name] : value]),
    );
    this.texts = Object.fromEntries(questions.map(({ name }) => [name, written(this.#first[name])]));
  }

  write(name: string, text: string): void {
    this.texts[name] = text;
    if (name in this.faults)
      this.faults = Object.fromEntries(Object.entries(this.faults).filter(([of]) => of !== name));
  }

  /** A question of the run with what is written so far in its places; a place that nothing stands in yet is told by its question. */
  filled(text: string): string {
    return text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (place, name: string) => {
      const question = this.questions.find((one) => one.name === name);
      return question ? this.texts[name]?.trim() || `[${question.label}]` : place;
    });
  }

  /** The answers as values. A field that is left empty is no answer; a text that somebody emptied is an empty text. */
  values(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const question of this.questions) {
      const text = this.texts[question.name] ?? '';
      const isText = question.kind === 'text' || question.kind === 'long_text';
      if (text.trim() === '' && !(isText && offered(question) !== '')) continue;
      // What the form began with, and nobody has written over, is taken as it is.
      const first = this.#first[question.name];
      values[question.name] = question.kind === 'number' && text === written(first) ? first : read(question, text);
    }
    return values;
  }
}

/** Points or commas between groups of three: it may be meant in two ways. */
const isGrouped = (text: string) => /^-?[1-9]\d{0,2}([.,]\d{3})+$/.test(text);

/** More digits than a number keeps. */
const isTooLong = (text: string) => /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));

/** What is no number, or is not kept as one, stays as it was written: the backend says what is wrong with it. */
function read({ kind }: Question, text: string): unknown {
  if (kind === 'number') {
    const written = text.trim();
    const number = Number(written);
    return Number.isFinite(number) && !isGrouped(written) && !isTooLong(written) ? number : text;
  }
  if (kind === 'flag') return text === 'true';
  return text;
}
