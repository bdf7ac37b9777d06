import type { Status } from '$lib/api';
import { STATUS, type Tone } from './statuses';

const NAMES = [
  'paper',
  'surface',
  'sunken',
  'line',
  'line-strong',
  'line-control',
  'ink',
  'ink-2',
  'ink-3',
  'accent',
  'accent-soft',
  'done',
  'done-soft',
  'running',
  'running-soft',
  'queued',
  'queued-soft',
  'waiting',
  'waiting-soft',
  'detour',
  'gate',
  'gate-soft',
  'partly',
  'partly-soft',
  'refused',
  'refused-soft',
  'failed',
  'failed-soft',
  'skipped',
  'skipped-soft',
] as const;
type Name = (typeof NAMES)[number];

/** The tokens as a canvas needs them: values instead of names. Read anew when the theme changes. */
export type Palette = Readonly<Record<Name, string>> & { readonly font: string };

/** Themes set them at the root of the page, and nothing below it sets any of them anew. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const values = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  return { ...(values as Record<Name, string>), font: style.getPropertyValue('--font-ui').trim() || 'sans-serif' };
}

/** Colours of a step by its status: border and ground. */
export function colours(palette: Palette, status: Status | undefined): { line: string; ground: string; ink: string } {
  if (!status) return { line: palette['line-control'], ground: palette.surface, ink: palette.ink };
  if (status === 'not_started') return { line: palette['line-strong'], ground: palette.surface, ink: palette['ink-3'] };
  const tone: Tone = STATUS[status].tone;
  const active = ['running', 'waiting', 'gate', 'partly', 'refused', 'failed'].includes(tone);
  return { line: palette[tone], ground: active ? palette[`${tone}-soft`] : palette.surface, ink: palette.ink };
}

/** Calls back whenever the theme changes; returns the end of it. */
export function onTheme(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => watch.disconnect();
}
