import BoxSelect from '@lucide/svelte/icons/square-dashed-mouse-pointer';
import ClipboardPaste from '@lucide/svelte/icons/clipboard-paste';
import Copy from '@lucide/svelte/icons/copy';
import CopyPlus from '@lucide/svelte/icons/copy-plus';
import Scissors from '@lucide/svelte/icons/scissors';
import type { Action } from '../app/actions.svelte';
import type { Author } from '../features/author/author.svelte';
import { textMarked } from '../features/author/clipboard';
import { words as a } from '../features/author/words';
import type { Gestures } from '$lib/api';

/** What can be done with the chosen steps by keys, and from the palette. Text that is marked, or typed in, keeps these keys. */
export function authorActions(author: Author, may: Gestures | null, busy: boolean): Action[] {
  if (!may?.steps) return [];
  const { ids } = author.chosen;
  const disabled = ids.length === 0 ? a.keys.noneChosen : null;
  const saving = busy ? a.menu.busy : null;
  const some = () => !textMarked() && ids.length > 0;
  const of = { group: 'act', keysGroup: 'workflow' } as const;
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
  ];
}
