import { describe, expect, it } from 'vitest';
import type { RunDrawing, RunView } from '$lib/api';
import { overlay } from '../../features/canvas/__fixtures__/host';
import { LAST, runAt } from '../../features/canvas/__fixtures__/request';
import { Picture } from './picture';

const drawn = (view: RunView): RunDrawing => ({ drawing: view.drawing, faces: view.faces });

/** The picture as it is after a walk through these events, each asked for beside the one before. */
function walk(events: readonly number[]) {
  const picture = new Picture(drawn(runAt(undefined)));
  return events.map((at) => picture.take(overlay(runAt(at), picture.known === null ? null : runAt(picture.known))));
}

describe('the picture of a run', () => {
  it('is the same by steps, whichever way they lead, as if all of it had been told', () => {
    const events = [1, 2, 9, LAST, 13, 14, 3, 20, 19, 1];
    walk(events).forEach((shown, i) => {
      const whole = runAt(events[i]);
      expect(shown.steps).toEqual(whole.steps);
      expect(shown.edges).toEqual(whole.edges);
      expect([shown.at, shown.numbers]).toEqual([whole.at, whole.routes.length]);
    });
  });

  it('keeps what did not change, and the drawing always', () => {
    const [before, after] = walk([13, 14]);
    expect(after?.drawing).toBe(before?.drawing);
    const same = after?.steps.filter((step, i) => step === before?.steps[i]).length ?? 0;
    expect(same).toBeGreaterThan(0);
  });

  it('shows the ways that a person sent the run as long as they were gone', () => {
    const picture = new Picture(drawn(runAt(undefined)));
    const plain = picture.take(overlay(runAt(5), null));
    const [first] = plain.drawing.edges;
    if (!first) throw new Error('the picture has no edges');
    const sent = { ...first, id: '4-0-sent', kind: 'sent' as const };
    const edge = { id: sent.id, taken: [3], loop_badge: null };
    const told = { ...overlay(runAt(13), runAt(5)), sent: [sent], height: 999 };
    const with_it = picture.take({ ...told, edges: [...told.edges, edge] });
    expect(with_it.drawing.edges.at(-1)?.id).toBe(sent.id);
    expect([with_it.drawing.height, with_it.edges.at(-1)]).toEqual([999, edge]);
    const later = picture.take({ ...overlay(runAt(14), runAt(13)), sent: [sent], height: 999 });
    expect(later.drawing).toBe(with_it.drawing);
    const back = picture.take(overlay(runAt(5), runAt(14)));
    expect(back.drawing).toBe(plain.drawing);
    expect(back.edges).toEqual(runAt(5).edges);
  });
});
