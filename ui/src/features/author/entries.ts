import ArrowDown from '@lucide/svelte/icons/arrow-down';
import ArrowUp from '@lucide/svelte/icons/arrow-up';
import BoxSelect from '@lucide/svelte/icons/square-dashed-mouse-pointer';
import ClipboardPaste from '@lucide/svelte/icons/clipboard-paste';
import Copy from '@lucide/svelte/icons/copy';
import CopyPlus from '@lucide/svelte/icons/copy-plus';
import CornerDownRight from '@lucide/svelte/icons/corner-down-right';
import Pencil from '@lucide/svelte/icons/pencil';
import Plus from '@lucide/svelte/icons/plus';
import Scissors from '@lucide/svelte/icons/scissors';
import Shield from '@lucide/svelte/icons/shield';
import ShieldOff from '@lucide/svelte/icons/shield-off';
import Trash2 from '@lucide/svelte/icons/trash-2';
import type { StepView } from '$lib/api';
import type { Entry } from '$lib/ui/ContextMenu.svelte';
import type { Author } from './author.svelte';
import { words } from './words';

const w = words.menu;

/** What of its menu is there: as far as it means something in the format. */
const there = (entries: readonly (Entry | false | undefined)[], busy: boolean): Entry[] =>
  entries.filter((one) => one !== false && one !== undefined).map((one) => ({ why: busy ? w.busy : null, ...one }));

/** What can be done with the chosen steps: with one, or with several together. */
export function stepEntries(
  author: Author,
  steps: readonly StepView[],
  busy: boolean,
  /** Where its name is typed. */
  rename: (step: string) => void,
): Entry[] {
  const may = author.gestures;
  const [one] = steps;
  if (!may || !one) return [];
  const ids = steps.map(({ step }) => step.id);
  const { id } = one.step;
  const alone = steps.length === 1;
  const { at, size } = author.position(id);
  // Copying changes nothing and can be done while something is being saved.
  const copy: Entry = {
    label: w.copy,
    icon: Copy,
    keys: 'Ctrl+C',
    why: null,
    apart: true,
    testid: 'menu-copy',
    run: () => author.copy(ids),
  };
  return there(
    [
      alone && { label: w.rename, icon: Pencil, keys: 'F2', testid: 'menu-rename', run: () => rename(id) },
      alone &&
        may.steps && {
          label: w.addBehind,
          icon: Plus,
          keys: 'Insert',
          testid: 'menu-add',
          run: () => author.addBehind(id),
        },
      alone &&
        may.steps &&
        author.holds(id) && {
          label: w.addInside,
          icon: CornerDownRight,
          testid: 'menu-inside',
          run: () => author.addInside(id),
        },
      alone &&
        may.gates && {
          label: one.gate ? w.ungate : w.gate,
          icon: one.gate ? ShieldOff : Shield,
          testid: 'menu-gate',
          run: () => author.gate(id),
        },
      may.order && {
        label: alone ? w.up : words.many.up,
        icon: ArrowUp,
        keys: 'Alt+↑',
        ...(alone && at === 0 ? { why: w.isFirst } : {}),
        testid: 'menu-up',
        run: () => author.move(ids, -1),
      },
      may.order && {
        label: alone ? w.down : words.many.down,
        icon: ArrowDown,
        keys: 'Alt+↓',
        ...(alone && at === size - 1 ? { why: w.isLast } : {}),
        testid: 'menu-down',
        run: () => author.move(ids, 1),
      },
      may.steps && copy,
      may.steps && { label: w.cut, icon: Scissors, keys: 'Ctrl+X', testid: 'menu-cut', run: () => author.cut(ids) },
      may.steps && {
        label: alone ? w.pasteBehind : w.pasteBehindLast,
        icon: ClipboardPaste,
        keys: 'Ctrl+V',
        testid: 'menu-paste',
        run: () => author.paste(ids.at(-1) ?? null),
      },
      may.steps && {
        label: w.duplicate,
        icon: CopyPlus,
        keys: 'Ctrl+D',
        testid: 'menu-duplicate',
        run: () => author.duplicate(ids),
      },
      may.steps && {
        label: w.remove,
        icon: Trash2,
        keys: 'Delete',
        danger: true,
        apart: true,
        testid: 'menu-remove',
        run: () => author.remove(ids),
      },
    ],
    busy,
  );
}

/** What can be done with a line from one step to another. */
export function edgeEntries(
  author: Author,
  edge: { from: string; to: string; label?: string; waits: boolean },
  busy: boolean,
): Entry[] {
  const may = author.gestures;
  if (!may) return [];
  const { from, to, label } = edge;
  return there(
    [
      may.steps && {
        label: w.addBetween,
        icon: Plus,
        testid: 'menu-between',
        run: () => author.addBetween(from, to, label),
      },
      may.gates && {
        label: w.gateBetween,
        icon: Shield,
        testid: 'menu-gate-between',
        run: () => author.putGate({ step: to, before: true }),
      },
      {
        label: edge.waits ? w.freeLine : w.removeLine,
        icon: Trash2,
        keys: 'Delete',
        danger: true,
        testid: 'menu-cut-line',
        run: () => author.disconnect(from, to, label),
      },
    ],
    busy,
  );
}

/** What can be done where there is nothing. */
export function groundEntries(author: Author, steps: number, busy: boolean): Entry[] {
  const may = author.gestures;
  if (!may) return [];
  return there(
    [
      may.steps && { label: w.addEnd, icon: Plus, testid: 'menu-add', run: () => author.addBehind(null) },
      may.steps && { label: w.pasteEnd, icon: ClipboardPaste, testid: 'menu-paste', run: () => author.paste(null) },
      {
        label: w.chooseAll,
        icon: BoxSelect,
        keys: 'Ctrl+A',
        why: steps === 0 ? w.noStep : null,
        testid: 'menu-all',
        run: () => author.chosen.all(),
      },
    ],
    busy,
  );
}
