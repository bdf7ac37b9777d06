import { describe, expect, it } from 'vitest';
import { drawing, faces, order } from './__fixtures__/request';
import { keeper, numbersText, Scene } from './scene';
import { neighbour, type Way } from './walk';

const scene = new Scene(drawing, faces);
/** By step, where the scene speaks of boxes. */
const boxOf = (step: string) => String(order.indexOf(step));
const stepTo = (step: string, way: Way) => scene.node(neighbour(scene, boxOf(step), way))?.step ?? null;

describe('arrow keys', () => {
  it('follow the flow forward and back', () => {
    expect(stepTo('normalise', 'right')).toBe('frame');
    expect(stepTo('frame', 'right')).toBe('author');
    expect(stepTo('author', 'left')).toBe('frame');
    expect(stepTo('normalise', 'left')).toBeNull();
  });

  it('reach both branches and lead back from each', () => {
    const first = stepTo('critique', 'right');
    expect(['scenarios', 'decline']).toContain(first);
    expect(stepTo('scenarios', 'down')).toBe('decline');
    expect(stepTo('decline', 'up')).toBe('scenarios');
    expect(stepTo('decline', 'left')).toBe('critique');
  });

  it('reach every step from the first', () => {
    const reached = new Set(['normalise']);
    for (const id of reached)
      for (const way of ['left', 'right', 'up', 'down'] as const) {
        const next = stepTo(id, way);
        if (next) reached.add(next);
      }
    expect([...reached].sort()).toEqual([...order].sort());
  });
});

describe('hits', () => {
  it('finds the step and the edge under the pointer', () => {
    const author = scene.ofStep('author')?.box;
    if (!author) throw new Error('the fixture has no step "author"');
    expect(scene.nodeAt(author.x + 5, author.y + 5)?.step).toBe('author');
    expect(scene.nodeAt(author.x - 5, author.y + 5)).toBeUndefined();
    const loop = drawing.edges.find((edge) => edge.kind === 'loop');
    const top = loop?.points[9];
    if (!loop || !top) throw new Error('the fixture has no loop');
    expect(scene.edgeAt(top.x - 40, top.y + 3, 8)?.id).toBe(loop.id);
    expect(scene.edgeAt(top.x - 40, top.y - 30, 8)).toBeUndefined();
  });

  it('finds everything in a part, and nothing beside it', () => {
    const all = { x: 0, y: 0, width: drawing.width, height: drawing.height };
    expect(scene.nodesIn(all)).toHaveLength(drawing.nodes.length);
    expect(scene.edgesIn(all)).toHaveLength(drawing.edges.length);
    expect(scene.nodesIn({ x: 0, y: 0, width: 30, height: 100 }).map((node) => node.step)).toEqual(['normalise']);
  });
});

describe('what did not change', () => {
  it('keeps its identity, so only the changed step is drawn anew', () => {
    const keep = keeper<{ status: string }>();
    const before = keep(['a', 'b'], [{ status: 'done' }, { status: 'running' }]);
    const after = keep(['a', 'b'], [{ status: 'done' }, { status: 'done' }]);
    expect(after.get('a')).toBe(before.get('a'));
    expect(after.get('b')).not.toBe(before.get('b'));
  });

  it('tells lists and what is not there apart', () => {
    const keep = keeper<{ taken: number[]; words?: string | null }>();
    const first = keep(['a', 'b', 'c', 'd'], [{ taken: [1, 2] }, { taken: [1, 2] }, { taken: [1, 2] }, { taken: [] }]);
    const then = keep(
      ['a', 'b', 'c', 'd'],
      [{ taken: [1, 2] }, { taken: [1, 3] }, { taken: [1, 2, 3] }, { taken: [], words: null }],
    );
    expect(['a', 'b', 'c', 'd'].map((id) => then.get(id) === first.get(id))).toEqual([true, false, false, false]);
  });
});

it('numbers beside an edge stay short', () => {
  expect(numbersText([])).toBe('');
  expect(numbersText([3, 5])).toBe('3, 5');
  expect(numbersText([3, 5, 9, 11, 14])).toBe('3, 5, +3');
  // Late in a long run they are longer: they would lie over the names at both ends.
  expect(numbersText([502])).toBe('502');
  expect(numbersText([502, 506])).toBe('502, 506');
  expect(numbersText([502, 506, 510])).toBe('502, +2');
  expect(numbersText([10, 14, 18, 22])).toBe('10, +3');
});
