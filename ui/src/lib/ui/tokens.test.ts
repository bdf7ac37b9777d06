// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const css = readFileSync(resolve(import.meta.dirname, 'tokens.css'), 'utf8');

/** The colour tokens of one theme: the light block, overlaid by the dark one where asked. */
function theme(name: 'light' | 'dark'): Record<string, string> {
  const found: Record<string, string> = {};
  for (const block of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    const selector = block[1] ?? '';
    if (name === 'light' && selector.includes("'dark'")) continue;
    for (const row of (block[2] ?? '').matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)) found[row[1] ?? ''] = row[2] ?? '';
  }
  return found;
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const c = parseInt(hex.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

it('the focus leaves a radio button round', () => {
  const base = readFileSync(resolve(import.meta.dirname, 'base.css'), 'utf8');
  const [any, radio] = [
    /^:focus-visible \{/m,
    /^input\[type='radio'\]:focus-visible \{\s*border-radius: var\(--radius-pill\);/m,
  ];
  expect(base.search(any)).toBeGreaterThan(-1);
  expect(base.search(radio)).toBeGreaterThan(-1);
});

const grounds = ['paper', 'surface', 'sunken'];
const tones = [
  'accent',
  'done',
  'running',
  'queued',
  'waiting',
  'gate',
  'partly',
  'refused',
  'failed',
  'skipped',
  'rehearsal',
];
const text: [string, string][] = [
  ...['ink', 'ink-2', 'ink-3', ...tones].flatMap((ink) => grounds.map((ground): [string, string] => [ink, ground])),
  ...tones.map((tone): [string, string] => [tone, `${tone}-soft`]),
  ...['ink', 'ink-2'].flatMap((ink) => tones.map((tone): [string, string] => [ink, `${tone}-soft`])),
  ...['accent', 'done', 'gate', 'failed'].map((tone): [string, string] => [`on-${tone}`, tone]),
  ['on-done', 'done-strong'],
  // What a text is written in where a version of it differs.
  ...['ink-3', 'done', 'gate', 'waiting', 'failed'].map((ink): [string, string] => [ink, 'accent-soft']),
];

describe.each(['light', 'dark'] as const)('%s theme', (name) => {
  const colours = theme(name);
  const pair = (a: string, b: string) => contrast(colours[a] ?? 'missing', colours[b] ?? 'missing');

  it.each(text)('%s on %s is readable (4.5 : 1)', (ink, ground) => {
    expect(pair(ink, ground)).toBeGreaterThanOrEqual(4.5);
  });

  it.each(grounds)('control borders are seen on %s (3 : 1)', (ground) => {
    expect(pair('line-control', ground)).toBeGreaterThanOrEqual(3);
  });
});

it('code is shown as it is typed: `<=` is not drawn as one sign', () => {
  const sources = resolve(import.meta.dirname, '../..');
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  const read = files.filter((file) => /\.(css|svelte|ts)$/.test(file) && !file.endsWith('.test.ts'));
  const set = read.flatMap((file) =>
    readFileSync(resolve(sources, file), 'utf8')
      .split(/(?=font-?family: '?var\(--font-mono\))/i)
      .slice(1)
      .map((rule) => ({ file, rule: rule.slice(0, rule.indexOf('}')) })),
  );
  expect(set.length).toBeGreaterThan(5);
  for (const { rule, file } of set) expect(rule, file).toMatch(/font-?variant-?ligatures: '?none/i);
});

it('where motion is reduced nothing that is set is shown later than it was set', () => {
  const base = readFileSync(resolve(import.meta.dirname, 'base.css'), 'utf8');
  const reduced = base.slice(base.indexOf('(prefers-reduced-motion: reduce)'));
  expect(reduced).toMatch(/transition-duration: 0s !important/);
});

it('what people and files say stands in its own direction, also where it is written', () => {
  const base = readFileSync(resolve(import.meta.dirname, 'base.css'), 'utf8');
  const [, where = ''] = /:where\(([^)]+)\):not\([^{]+\{\s*unicode-bidi: plaintext;/.exec(base) ?? [];
  const covered = where.split(', ');
  for (const tag of ['h1', 'p', 'li', 'dd', 'td', 'blockquote', 'textarea', 'input', 'b', 'span'])
    expect(covered).toContain(tag);
});
