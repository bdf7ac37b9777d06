import BoxSelect from '@lucide/svelte/icons/square-dashed-mouse-pointer';
import ClipboardPaste from '@lucide/svelte/icons/clipboard-paste';
import Copy from '@lucide/svelte/icons/copy';
import CopyPlus from '@lucide/svelte/icons/copy-plus';
import Plus from '@lucide/svelte/icons/plus';
import Scissors from '@lucide/svelte/icons/scissors';
import Shield from '@lucide/svelte/icons/shield';
import ShieldOff from '@lucide/svelte/icons/shield-off';
import Spline from '@lucide/svelte/icons/spline';
import Trash2 from '@lucide/svelte/icons/trash-2';
import type { Action } from '../app/actions.svelte';
import type { Author } from '../features/author/author.svelte';
import { textMarked } from '../features/author/clipboard';
import { words as a } from '../features/author/words';
import type { Gestures } from '$lib/api';

/** The picture, as far as a line can be begun in it. */
interface Lines {
  /** What a line says there; null: none can be drawn. */
  draw: () => string | null;
  /** Begins one at the chosen step. */
  connect: () => void;
}

/**
 * What can be done with the chosen steps by keys, and from the palette. Text that is marked, or typed in, keeps these keys. `lines`: where
 * lines are drawn; absent: nowhere in sight.
 */
export function authorActions(author: Author, may: Gestures | null, busy: boolean, lines?: Lines): Action[] {
  if (!may) return [];
  return [
    ...(may.steps ? [adding(author, busy)] : []),
    ...(lines && lines.draw() !== null ? [connecting(author, busy, lines)] : []),
    ...(may.gates ? [gating(author, busy)] : []),
    ...(may.steps ? ofSteps(author, busy) : []),
  ];
}

const of = { group: 'act', keysGroup: 'workflow' } as const;

/** Why nothing can be done with the chosen step now; null: something can. */
const barred = (author: Author, busy: boolean): string | null =>
  author.chosen.ids.length === 0 ? a.keys.noneChosen : busy ? a.menu.busy : null;

const adding = (author: Author, busy: boolean): Action => ({
  ...of,
  id: 'steps-add',
  title: author.chosen.ids.length === 0 ? a.keys.addEnd : a.keys.add,
  icon: Plus,
  disabled: busy ? a.menu.busy : null,
  run: () => void author.addBehind(),
});

const connecting = (author: Author, busy: boolean, lines: Lines): Action => ({
  ...of,
  id: 'steps-connect',
  title: a.keys.connect,
  icon: Spline,
  disabled: barred(author, busy),
  run: () => lines.connect(),
});

function gating(author: Author, busy: boolean): Action {
  const step = author.chosen.ids.at(-1);
  const isGated = step !== undefined && author.gated(step);
  return {
    ...of,
    id: 'steps-gate',
    title: isGated ? a.keys.ungate : a.keys.gate,
    icon: isGated ? ShieldOff : Shield,
    disabled: barred(author, busy),
    run: () => void (step !== undefined && author.gate(step)),
  };
}

function ofSteps(author: Author, busy: boolean): Action[] {
  const { ids } = author.chosen;
  const disabled = ids.length === 0 ? a.keys.noneChosen : null;
  const saving = busy ? a.menu.busy : null;
  const some = () => !textMarked() && ids.length > 0;
  return [
    {
      ...of,
      id: 'steps-all',
      title: a.keys.all,
      icon: BoxSelect,
      keys: 'Ctrl+A',
      when: () => !textMarked(),
      run: () => author.chosen.all(),
    },
    {
      ...of,
      id: 'steps-copy',
      title: a.keys.copy,
      icon: Copy,
      keys: 'Ctrl+C',
      when: some,
      disabled,
      run: () => void author.copy(ids),
    },
    {
      ...of,
      id: 'steps-cut',
      title: a.keys.cut,
      icon: Scissors,
      keys: 'Ctrl+X',
      when: some,
      disabled: disabled ?? saving,
      run: () => void author.cut(ids),
    },
    {
      ...of,
      id: 'steps-paste',
      title: a.keys.paste,
      icon: ClipboardPaste,
      keys: 'Ctrl+V',
      when: () => !textMarked(),
      passes: true,
      disabled: saving,
      run: (byKeys) => void author.paste(ids.at(-1) ?? null, byKeys),
    },
    {
      ...of,
      id: 'steps-duplicate',
      title: a.keys.duplicate,
      icon: CopyPlus,
      keys: 'Ctrl+D',
      when: some,
      disabled: disabled ?? saving,
      run: () => void author.duplicate(ids),
    },
    {
      ...of,
      id: 'steps-remove',
      title: a.keys.remove,
      icon: Trash2,
      disabled: disabled ?? saving,
      run: () => void author.remove(ids),
    },
  ];
}
