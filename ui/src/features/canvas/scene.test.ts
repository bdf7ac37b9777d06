import { describe, expect, it } from 'vitest';
import { drawing, faces } from './__fixtures__/request';
import { keeper, numbersText, Scene } from './scene';
import { neighbour } from './walk';

const scene = new Scene(drawing, faces);

describe('arrow keys', () => {
  it('follow the flow forward and back', () => {
    expect(neighbour(scene, 'normalise', 'right')).toBe('frame');
    expect(neighbour(scene, 'frame', 'right')).toBe('author');
    expect(neighbour(scene, 'author', 'left')).toBe('frame');
    expect(neighbour(scene, 'normalise', 'left')).toBeNull();
  });

  it('reach both branches and lead back from each', () => {
    const first = neighbour(scene, 'critique', 'right');
    expect(['scenarios', 'decline']).toContain(first);
    expect(neighbour(scene, 'scenarios', 'down')).toBe('decline');
    expect(neighbour(scene, 'decline', 'up')).toBe('scenarios');
    expect(neighbour(scene, 'decline', 'left')).toBe('critique');
  });

  it('reach every step from the first', () => {
    const reached = new Set(['normalise']);
    for (const id of reached)
      for (const way of ['left', 'right', 'up', 'down'] as const) {
        const next = neighbour(scene, id, way);
        if (next) reached.add(next);
      }
    expect([...reached].sort()).toEqual(drawing.nodes.map((node) => node.id).sort());
  });
});

describe('hits', () => {
  it('finds the step and the edge under the pointer', () => {
    const author = scene.node('author')?.box;
    if (!author) throw new Error('the fixture has no step "author"');
    expect(scene.nodeAt(author.x + 5, author.y + 5)?.box.id).toBe('author');
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
    expect(scene.nodesIn({ x: 0, y: 0, width: 30, height: 100 }).map((node) => node.box.id)).toEqual(['normalise']);
  });
});

describe('what did not change', () => {
  it('keeps its identity, so only the changed step is drawn anew', () => {
    const keep = keeper<{ id: string; status: string }>();
    const before = keep([
      { id: 'a', status: 'done' },
      { id: 'b', status: 'running' },
    ]);
    const after = keep([
      { id: 'a', status: 'done' },
      { id: 'b', status: 'done' },
    ]);
    expect(after.get('a')).toBe(before.get('a'));
    expect(after.get('b')).not.toBe(before.get('b'));
  });
});

it('numbers beside an edge stay short', () => {
  expect(numbersText([])).toBe('');
  expect(numbersText([3, 5])).toBe('3, 5');
  expect(numbersText([3, 5, 9, 11, 14])).toBe('3, 5, +3');
});
