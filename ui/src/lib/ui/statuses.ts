import Ban from '@lucide/svelte/icons/ban';
import Check from '@lucide/svelte/icons/check';
import Circle from '@lucide/svelte/icons/circle';
import CircleDot from '@lucide/svelte/icons/circle-dot';
import Hourglass from '@lucide/svelte/icons/hourglass';
import Minus from '@lucide/svelte/icons/minus';
import Pause from '@lucide/svelte/icons/pause';
import RotateCcw from '@lucide/svelte/icons/rotate-ccw';
import Shield from '@lucide/svelte/icons/shield';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import X from '@lucide/svelte/icons/x';
import type { Component } from 'svelte';
import { messages } from './messages';

/** The colour families of the status palette; each has `--<tone>` and `--<tone>-soft` tokens. */
export type Tone = 'done' | 'running' | 'waiting' | 'gate' | 'failed' | 'skipped' | 'accent';

export interface StatusLook {
  tone: Tone;
  word: string;
  icon: Component;
  /** Moves gently while it lasts, unless motion is reduced. */
  pulse?: boolean;
}

const w = messages.status;

/** The one table of statuses, of steps and of runs: icon, word and colour. Never colour alone. */
const TABLE: Record<string, StatusLook> = {
  pending: { tone: 'skipped', word: w.pending, icon: Circle },
  queued: { tone: 'waiting', word: w.queued, icon: Hourglass },
  waiting: { tone: 'waiting', word: w.waiting, icon: Hourglass },
  retrying: { tone: 'waiting', word: w.retrying, icon: RotateCcw },
  running: { tone: 'running', word: w.running, icon: CircleDot, pulse: true },
  blocked: { tone: 'gate', word: w.blocked, icon: Shield },
  succeeded: { tone: 'done', word: w.succeeded, icon: Check },
  failed: { tone: 'failed', word: w.failed, icon: X },
  rejected: { tone: 'failed', word: w.rejected, icon: X },
  skipped: { tone: 'skipped', word: w.skipped, icon: Minus },
  aborted: { tone: 'skipped', word: w.aborted, icon: Ban },
  paused: { tone: 'waiting', word: w.paused, icon: Pause },
  interrupted: { tone: 'waiting', word: w.interrupted, icon: TriangleAlert },
  // answers of gates
  approved: { tone: 'done', word: w.approved, icon: Check },
  changes_requested: { tone: 'waiting', word: w.changesRequested, icon: RotateCcw },
  // results of checks
  passed: { tone: 'done', word: w.passed, icon: Check },
  warning: { tone: 'waiting', word: w.warning, icon: TriangleAlert },
};

const ALIASES: Record<string, string> = {
  completed: 'succeeded',
  done: 'succeeded',
  created: 'queued',
  waiting_for_person: 'blocked',
  blocked_on_gate: 'blocked',
  approve: 'approved',
  reject: 'rejected',
  changes: 'changes_requested',
  pass: 'passed',
  fail: 'failed',
};

/** A status this table does not know is shown with its own word rather than hidden. */
export function statusLook(status: string): StatusLook {
  const key = status.toLowerCase();
  return TABLE[ALIASES[key] ?? key] ?? { tone: 'skipped', word: status, icon: Circle };
}
