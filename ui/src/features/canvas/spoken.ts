import type { StepDifference, StepOverlay } from '$lib/api';
import { say } from '$lib/ui/say';
import { STATUS } from '$lib/ui/statuses';
import { markWords } from './marks';
import type { SceneNode } from './scene';
import { words as w } from './words';

/** The status as the core words it. Both words and the word of the list would say one thing twice, and differently. */
function statusOf(overlay: StepOverlay | undefined): string {
  return overlay ? overlay.words || STATUS[overlay.status].word : '';
}

/** A step as a sentence, for those who hear it. */
export function spoken(
  node: SceneNode,
  overlay: StepOverlay | undefined,
  preview: 'runs' | 'never' | null = null,
  uncovered = false,
  more: { beside?: number; way?: string | null; mark?: readonly StepDifference[] } = {},
): string {
  const { face } = node;
  const number = face?.step.number ?? '';
  const words = number ? (overlay ? w.step : w.stepPlain) : overlay ? w.named : w.namedPlain;
  return [
    say(words, { number, name: face?.step.name ?? node.step, status: statusOf(overlay) }),
    face ? w.kind[face.kind] : '',
    face?.phase ? say(w.phase, { phase: face.phase }) : '',
    face?.dynamic ? w.dynamic : '',
    face?.detour_from ? say(w.detourOf, { name: face.detour_from }) : '',
    face?.agents && face.agents.length > 1 ? say(w.team, { who: face.agents.join(', ') }) : '',
    face?.gate && overlay?.status !== 'blocked' ? w.asksPerson : '',
    face?.problem ? w.problem[face.problem] : '',
    more.beside ? say(w.beside, { n: more.beside }) : '',
    more.way ? say(w.onWay, { way: more.way }) : '',
    more.mark ? markWords(more.mark) : '',
    uncovered ? w.uncovered : '',
    preview === 'runs' ? w.wouldRun : preview === 'never' ? w.neverRuns : '',
  ]
    .filter(Boolean)
    .join(', ');
}

/** `×3`; of a dynamic step that has not begun `×N`; nothing for any other. */
export function times(node: SceneNode, overlay: StepOverlay | undefined): string | null {
  const n = overlay?.instances ?? 0;
  if (n > 1 || (n === 1 && node.face?.dynamic)) return say(w.timesShort, { n });
  return node.face?.dynamic ? w.timesOpen : null;
}
