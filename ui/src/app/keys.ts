import { words as a } from '../features/author/words';
import { messages as m } from '$lib/ui/messages';
import type { Shortcut } from './shortcuts.svelte';

/** Where keys mean something: as those of views, and of a picture of steps, which has its keys while the focus is in it. */
export type Place = Shortcut['group'] | 'graph';

/** A key and what it does, as the help says it. */
export interface Key {
  readonly keys: string;
  readonly label: string;
  readonly place: Place;
}

const of = (place: Place, keys: readonly (readonly [string, string])[]): Key[] =>
  keys.map(([key, label]) => ({ keys: key, label, place }));

/** Keys of every place, so that the help lists them wherever somebody asks. Those of the place on screen it knows from there. */
export const KEYS: readonly Key[] = [
  ...of('lists', [
    ['/', m.shortcuts.search],
    ['J', m.inbox.nextKey],
    ['K', m.inbox.previousKey],
  ]),
  ...of('workflow', [
    ['Ctrl+Enter', m.workflow.start],
    ['Ctrl+F', m.graph.find],
    ['Ctrl+Z', m.shortcuts.undo],
    ['Ctrl+Shift+Z', m.shortcuts.redo],
    ['Ctrl+A', a.keys.all],
    ['Ctrl+C', a.keys.copy],
    ['Ctrl+X', a.keys.cut],
    ['Ctrl+V', a.keys.paste],
    ['Ctrl+D', a.keys.duplicate],
    ['Ctrl+S', m.shortcuts.saveSource],
    ['Ctrl+Space', m.shortcuts.complete],
  ]),
  ...of('graph', [
    // One of them, not one after the other: a space would part them.
    ['←\u00a0↑\u00a0→\u00a0↓', m.shortcuts.graphMove],
    ['Shift+←\u00a0↑\u00a0→\u00a0↓', m.shortcuts.graphMore],
    ['Escape', m.shortcuts.graphNone],
    ['Shift+F10', m.shortcuts.graphMenu],
    ['Enter', m.shortcuts.graphOpen],
    ['+', m.shortcuts.graphIn],
    ['−', m.shortcuts.graphOut],
    ['0', m.graph.fit],
    ['Insert', a.bar.add],
    ['F2', m.shortcuts.graphRename],
    ['Alt+↑', a.keys.up],
    ['Alt+↓', a.keys.down],
    ['C', m.shortcuts.graphConnect],
    ['Delete', m.shortcuts.graphDelete],
  ]),
  ...of('run', [
    ['←', m.shortcuts.stepBack],
    ['→', m.shortcuts.stepForward],
    ['Space', m.shortcuts.play],
    ['End', m.shortcuts.live],
  ]),
];
