import { untrack, type Component } from 'svelte';
import { Registered } from './registered.svelte';
import { shortcuts, type Shortcut } from './shortcuts.svelte';

/** Something a person can do now. Everything in the palette is one of these. */
export interface Action {
  id: string;
  title: string;
  group: 'decide' | 'act' | 'go' | 'workflow' | 'run' | 'step';
  icon?: Component;
  /** More words that find it. */
  keywords?: string[];
  /** A keyboard shortcut that does the same, shown beside it. */
  keys?: string;
  /** Other keys that do it too: known to whoever comes from other programs, shown nowhere. */
  alsoKeys?: readonly string[];
  keysGroup?: Shortcut['group'];
  whileTyping?: boolean;
  untouched?: boolean;
  when?: Shortcut['when'];
  passes?: boolean;
  /** Why it cannot be done now; shown instead of doing it. */
  disabled?: string | null;
  /** `byKeys`: by its shortcut. */
  run: (byKeys?: boolean) => void;
}

class Actions extends Registered<Action> {
  override add(entries: readonly Action[]): () => void {
    const remove = super.add(entries);
    const keyed = entries.flatMap((one) =>
      [one.keys ?? [], one.alsoKeys ?? []].flat().map((keys): Shortcut => ({
        keys,
        label: one.title,
        group: one.keysGroup ?? 'everywhere',
        whileTyping: one.whileTyping ?? false,
        untouched: one.untouched ?? false,
        when: one.when,
        passes: one.passes,
        unlisted: keys !== one.keys,
        run: () => {
          if (!one.disabled) one.run(true);
        },
      })),
    );
    const removeKeys = shortcuts.add(keyed);
    return () => {
      remove();
      removeKeys();
    };
  }
}

export const actions = new Actions();

/** For components: what the view offers while it is on screen, in the palette and on the keyboard. */
export function useActions(entries: () => Action[]): void {
  $effect(() => {
    const now = entries();
    // Registering reads and writes the list; only what `entries` reads decides when to do it again.
    return untrack(() => actions.add(now));
  });
}
