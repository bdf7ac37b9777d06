import { followed } from '$lib/follow';
import type { Scene } from './scene';
import type { View } from './view';

/** So long a step is on its way to its new place, ms. */
const MS = 180;
const EASE = 'cubic-bezier(0.2, 0, 0.1, 1)';

/** A picture as it was looked at. */
export interface Look {
  readonly scene: Scene;
  readonly view: View;
}

/** Where the step of a box was: the steps of two versions are told by their names where their ids are numbers. */
function boxesBefore(before: Scene, now: Scene): ReadonlyMap<string, string> {
  const faces = (scene: Scene) => scene.nodes.flatMap(({ face }) => face ?? []);
  const [old, next] = [faces(before), faces(now)];
  const found = new Map<string, string>();
  for (const { box, step } of before.nodes) {
    const is = now.ofStep(followed(old, next, step)?.step.id);
    if (is) found.set(is.box.id, box.id);
  }
  return found;
}

const same = (a: Scene, b: Scene): boolean =>
  a.nodes.length === b.nodes.length &&
  a.nodes.every(
    ({ box, step }, i) => step === b.nodes[i]?.step && box.x === b.nodes[i].box.x && box.y === b.nodes[i].box.y,
  ) &&
  a.edges.length === b.edges.length &&
  a.edges.every(({ edge }, i) => edge.path === b.edges[i]?.edge.path);

/**
 * Lets the steps of a new picture glide from where they were seen to where they are, and what is new or has another shape appear. The
 * elements stand at their places already. Ends at once when what it answers with is called.
 */
export function glide(surface: HTMLElement, before: Look, now: Look): () => void {
  const running: Animation[] = [];
  const nothing = () => {};
  // Pages that cannot move anything show it where it is.
  if (typeof surface.animate !== 'function' || same(before.scene, now.scene)) return nothing;
  if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return nothing;
  const start = (on: Element, from: Keyframe, to: Keyframe) =>
    running.push(on.animate([from, to], { duration: MS, easing: EASE }));
  const was = boxesBefore(before.scene, now.scene);
  const scale = before.view.k / now.view.k;
  for (const element of surface.querySelectorAll<HTMLElement>('[data-box]')) {
    const id = element.dataset.box;
    const [old, is] = [before.scene.node(was.get(id ?? ''))?.box, now.scene.node(id)?.box];
    if (!is) continue;
    if (!old) {
      start(element, { opacity: 0 }, { opacity: 1 });
      continue;
    }
    const x = (old.x * before.view.k + before.view.x - now.view.x) / now.view.k - is.x;
    const y = (old.y * before.view.k + before.view.y - now.view.y) / now.view.k - is.y;
    if (Math.abs(x) < 1 && Math.abs(y) < 1 && scale === 1) continue;
    const transformOrigin = '0 0';
    start(
      element,
      { transform: `translate(${x}px, ${y}px) scale(${scale})`, transformOrigin },
      { transform: 'none', transformOrigin },
    );
  }
  for (const element of surface.querySelectorAll('[data-redrawn]')) start(element, { opacity: 0 }, { opacity: 1 });
  return () => running.forEach((one) => one.cancel());
}
