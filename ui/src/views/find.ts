import Locate from '@lucide/svelte/icons/locate';
import Maximize from '@lucide/svelte/icons/maximize';
import Search from '@lucide/svelte/icons/search';
import type { Action } from '../app/actions.svelte';
import type { FaceView } from '$lib/api';
import { messages as m } from '$lib/ui/messages';
import { say } from '$lib/ui/say';

/** Each of them is an entry of the palette; of more steps than that the field in the graph finds them. */
const MOST = 150;

/**
 * What shows the whole picture on screen or finds a step in it, in the palette and on the keyboard. Where there is no picture its
 * steps can be gone to all the same.
 */
export function findActions(
  faces: readonly FaceView[],
  { picture, go }: { picture: { find: () => void; fit: () => void } | null; go: (step: string) => void },
): Action[] {
  if (faces.length === 0) return [];
  const entries = faces.length > MOST ? [] : faces;
  const whole: Action[] = picture
    ? [
        {
          id: 'graph-find',
          title: m.graph.find,
          group: 'act',
          icon: Search,
          keys: 'Ctrl+F',
          keysGroup: 'workflow',
          run: picture.find,
        },
        { id: 'graph-fit', title: m.graph.fit, group: 'act', icon: Maximize, run: picture.fit },
      ]
    : [];
  return [
    ...whole,
    ...entries.map(({ step, ordinal }): Action => ({
      id: `step-${ordinal}`,
      title: say(m.graph.goTo, { name: step.number ? `${step.number} ${step.name}` : step.name }),
      group: 'step',
      icon: Locate,
      keywords: [step.id],
      run: () => go(step.id),
    })),
  ];
}
