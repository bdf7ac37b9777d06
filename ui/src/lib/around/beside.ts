import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';
import type { Beside } from './pdf';

const names = (list: readonly string[]) => list.map((one) => one || m.drawn.nameless).join(', ');

/** What a document holds besides what is seen of its pages, a line for each; attached files have lines of their own. */
export function besideOf(
  { layers, apart, notes, fields, links, plays, scripts }: Beside,
  unseen: ReadonlyMap<number, readonly string[]>,
): string[] {
  const layersOf = (where: string) => layers.filter((one) => one.where === where).map((one) => one.name);
  const layer = (where: 'paper' | 'screen' | 'nowhere') => {
    const list = layersOf(where);
    return list.length > 0 ? [say(m.drawn.layers[where], { n: list.length, names: names(list) })] : [];
  };
  return [
    ...layer('nowhere'),
    ...layer('paper'),
    ...layer('screen'),
    ...apart.map(({ where, kind, page, text }) =>
      say(text ? m.drawn.apart[where] : m.drawn.apartWordless[where], { what: m.drawn.kinds[kind], page, text }),
    ),
    ...[...unseen]
      .sort(([a], [b]) => a - b)
      .map(([page, words]) => say(m.drawn.unseen, { page, text: words.join(' ') })),
    ...(plays.length > 0 ? [say(m.drawn.plays, { pages: plays.join(', ') })] : []),
    ...(scripts ? [m.drawn.scripts] : []),
    ...links.map((to) => say(m.drawn.link, { to })),
    ...fields.map(({ page, by, text }) => say(m.drawn.field, { page, name: by, text })),
    ...notes.map(({ page, by, text }) => say(by ? m.drawn.noteBy : m.drawn.note, { page, by, text })),
  ];
}
