import type { Question } from '$lib/api';

/** What the author offers, as it stands in a field. */
function offered({ default: value }: Question): string {
  return value === null || value === undefined ? '' : String(value);
}

/** The answers to what a workflow asks before it begins, while they are written. Whether they can be taken the backend says. */
export class Answers {
  readonly questions: readonly Question[];
  /** What stands in each field. */
  texts = $state<Record<string, string>>({});
  /** What is wrong with an answer, by the name of its question. */
  faults = $state.raw<Record<string, string>>({});

  constructor(questions: readonly Question[]) {
    this.questions = questions;
    this.texts = Object.fromEntries(questions.map((question) => [question.name, offered(question)]));
  }

  write(name: string, text: string): void {
    this.texts[name] = text;
    if (name in this.faults)
      this.faults = Object.fromEntries(Object.entries(this.faults).filter(([of]) => of !== name));
  }

  /** The answers as values. A field that is left empty is no answer; a text that somebody emptied is an empty text. */
  values(): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const question of this.questions) {
      const text = this.texts[question.name] ?? '';
      const isText = question.kind === 'text' || question.kind === 'long_text';
      if (text.trim() === '' && !(isText && offered(question) !== '')) continue;
      values[question.name] = read(question, text);
    }
    return values;
  }
}

/** What is no number stays as it was written: the backend says what is wrong with it. */
function read({ kind }: Question, text: string): unknown {
  if (kind === 'number') {
    const number = Number(text.trim());
    return Number.isFinite(number) ? number : text;
  }
  if (kind === 'flag') return text === 'true';
  return text;
}
