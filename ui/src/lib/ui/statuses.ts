import Ban from '@lucide/svelte/icons/ban';
import Check from '@lucide/svelte/icons/check';
import Circle from '@lucide/svelte/icons/circle';
import CircleAlert from '@lucide/svelte/icons/circle-alert';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleDot from '@lucide/svelte/icons/circle-dot';
import CircleStop from '@lucide/svelte/icons/circle-stop';
import Clock from '@lucide/svelte/icons/clock';
import Download from '@lucide/svelte/icons/download';
import Hand from '@lucide/svelte/icons/hand';
import Hourglass from '@lucide/svelte/icons/hourglass';
import Info from '@lucide/svelte/icons/info';
import Minus from '@lucide/svelte/icons/minus';
import Pause from '@lucide/svelte/icons/pause';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Shield from '@lucide/svelte/icons/shield';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import X from '@lucide/svelte/icons/x';
import type { Component } from 'svelte';
import Split from '@lucide/svelte/icons/split';
import type { Answer, Severity, Status } from '$lib/api';
import { messages as m } from './messages';

/** The colour families of the status palette; each has `--<tone>` and `--<tone>-soft` tokens. */
export type Tone =
  'done' | 'running' | 'queued' | 'waiting' | 'gate' | 'partly' | 'refused' | 'failed' | 'skipped' | 'accent';

/** How something is told apart: colour, and always an icon and a word with it. */
export interface Look {
  tone: Tone;
  word: string;
  icon: Component;
  /** Moves gently while it lasts, unless motion is reduced. */
  pulse?: boolean;
}

/** The one table of statuses, of steps and of runs. */
export const STATUS: Record<Status, Look> = {
  not_started: { tone: 'skipped', word: m.status.not_started, icon: Circle },
  running: { tone: 'running', word: m.status.running, icon: CircleDot, pulse: true },
  queued: { tone: 'queued', word: m.status.queued, icon: Clock },
  waiting: { tone: 'waiting', word: m.status.waiting, icon: Hourglass },
  blocked: { tone: 'gate', word: m.status.blocked, icon: Shield },
  paused: { tone: 'waiting', word: m.status.paused, icon: Pause },
  left_open: { tone: 'waiting', word: m.status.left_open, icon: CircleDashed },
  done: { tone: 'done', word: m.status.done, icon: Check },
  partly: { tone: 'partly', word: m.status.partly, icon: CircleAlert },
  refused: { tone: 'refused', word: m.status.refused, icon: Hand },
  stopped: { tone: 'partly', word: m.status.stopped, icon: CircleStop },
  failed: { tone: 'failed', word: m.status.failed, icon: X },
  skipped: { tone: 'skipped', word: m.status.skipped, icon: Minus },
  aborted: { tone: 'skipped', word: m.status.aborted, icon: Ban },
  imported: { tone: 'skipped', word: m.status.imported, icon: Download },
};

/** What a person answered. */
export const ANSWER: Record<Answer, Look> = {
  approve: { tone: 'done', word: m.answer.approve, icon: Check },
  changes: { tone: 'waiting', word: m.answer.changes, icon: RotateCcw },
  reject: { tone: 'refused', word: m.answer.reject, icon: Hand },
  pass: { tone: 'done', word: m.answer.pass, icon: Check },
  fail: { tone: 'failed', word: m.answer.fail, icon: X },
  choose: { tone: 'done', word: m.answer.choose, icon: Split },
};

/**
 * An answer with the words it was given in (`answered YES`, `allowed it once`); null while nobody has answered. What the core does not
 * take for as good as the answer alone (did it; status: UNVERIFIED) looks as it says.
 */
export function answerLook(round: {
  answer: Answer | null;
  words: string | null;
  status?: Status;
  is_question?: boolean;
}): Look | null {
  if (round.answer === null) return null;
  // YES and NO each say where it goes on: neither is good or bad.
  if (round.is_question) return { tone: 'skipped', word: round.words ?? ANSWER[round.answer].word, icon: Split };
  const look = ANSWER[round.answer];
  const { tone } = round.status ? STATUS[round.status] : look;
  return { tone, word: round.words ?? look.word, icon: tone === look.tone ? look.icon : TriangleAlert };
}

/** What a check found; the backend says it with the same statuses. */
export const CHECK: Partial<Record<Status, Look>> = {
  done: { tone: 'done', word: m.check.passed, icon: Check },
  failed: { tone: 'failed', word: m.check.failed, icon: X },
  waiting: { tone: 'waiting', word: m.check.warning, icon: TriangleAlert },
  skipped: { tone: 'skipped', word: m.check.skipped, icon: Minus },
  not_started: { tone: 'skipped', word: m.check.note, icon: Info },
};

/** How much a problem of a workflow matters. */
export const SEVERITY: Record<Severity, Look> = {
  error: { tone: 'failed', word: m.severity.error, icon: X },
  warning: { tone: 'waiting', word: m.severity.warning, icon: TriangleAlert },
  note: { tone: 'accent', word: m.severity.note, icon: Info },
};

/** What the words of a status say behind the one on its chip: `done; resumed after …` is `resumed after …` beside it. */
export const behindChip = (status: Status, words: string): string => {
  const { word } = STATUS[status];
  return [`${word}; `, `${word}: `].some((begins) => words.startsWith(begins)) ? words.slice(word.length + 2) : words;
};
