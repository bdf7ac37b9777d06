import Ban from '@lucide/svelte/icons/ban';
import BadgeCheck from '@lucide/svelte/icons/badge-check';
import Check from '@lucide/svelte/icons/check';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import ClipboardCheck from '@lucide/svelte/icons/clipboard-check';
import Hourglass from '@lucide/svelte/icons/hourglass';
import KeyRound from '@lucide/svelte/icons/key-round';
import ShieldAlert from '@lucide/svelte/icons/shield-alert';
import ShieldCheck from '@lucide/svelte/icons/shield-check';
import TimerOff from '@lucide/svelte/icons/timer-off';
import TriangleAlert from '@lucide/svelte/icons/triangle-alert';
import type { EvidenceView, KeyStanding, Level, Risk, UseVerdict } from '$lib/api';
import { messages as m } from '$lib/ui/messages';
import type { Look } from '$lib/ui/statuses';
import { words as w } from './words';

const level = (level: Level, tone: Look['tone'], icon: Look['icon']): Look => ({
  tone,
  icon,
  word: w.level[level],
});

/** How well a claim is founded. */
export const LEVEL: Record<Level, Look> = {
  L0: level('L0', 'skipped', CircleDashed),
  L1: level('L1', 'running', ClipboardCheck),
  L2: level('L2', 'done', BadgeCheck),
};

/** What a tool call risks. */
export const RISK: Record<Risk, Look> = {
  low: { tone: 'skipped', word: w.risk.low, icon: ShieldCheck },
  medium: { tone: 'waiting', word: w.risk.medium, icon: ShieldAlert },
  high: { tone: 'failed', word: w.risk.high, icon: TriangleAlert },
};

/** What the project's rules say to what a command needs. */
export const VERDICT: Record<UseVerdict, Look> = {
  allowed: { tone: 'done', word: m.start.verdict.allowed, icon: Check },
  asks: { tone: 'gate', word: m.start.verdict.asks, icon: KeyRound },
  refused: { tone: 'failed', word: m.start.verdict.refused, icon: Ban },
};

/** For how long a record holds: what needs somebody stands out. */
export function validityLook({ validity }: Pick<EvidenceView, 'validity'>): Look {
  const word = validity.words;
  if (validity.status !== 'active') return { tone: 'failed', word, icon: TimerOff };
  return { tone: validity.soon ? 'waiting' : 'skipped', word, icon: Hourglass };
}

/** The files behind a record that are not what they were. */
export const drifted = ({ about }: Pick<EvidenceView, 'about'>) => about.filter((file) => file.drift !== 'same');

/** Whether what is known of a key speaks against the decision that it signed. */
export const isDoubtful = ({ standing }: KeyStanding) => standing === 'another_key' || standing === 'revoked';
