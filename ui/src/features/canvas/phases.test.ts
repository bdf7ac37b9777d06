import { render, screen } from '@testing-library/svelte';
import { describe, expect, it } from 'vitest';
import { drawing, faces, WAITING, runAt } from './__fixtures__/request';
import Graph from './__fixtures__/Framed.svelte';

const lanes = [
  { id: 'p1', title: 'Phase 1 Analysis', x: 0, y: 0, width: 300, height: 200, nodes: ['normalize'] },
  { id: 'p2', title: 'Phase 2 Planning', x: 300, y: 0, width: 400, height: 200, nodes: ['author', 'critique'] },
];
const phased = faces.map((face) => (face.step.id === 'critique' ? { ...face, phase: 'Phase 2 Planning' } : face));

describe('the phases of a workflow', () => {
  it('stand as titled bands behind the steps, and each step says its own', () => {
    render(Graph, {
      drawing: { ...drawing, lanes },
      faces: phased,
      overlay: runAt(undefined, WAITING),
      title: 'Shape',
    });
    const bands = screen.getAllByTestId('graph-lane');
    expect(bands.map((band) => band.dataset.lane)).toEqual(['Phase 1 Analysis', 'Phase 2 Planning']);
    expect(bands[1]).toHaveStyle({ left: '300px', width: '400px' });
    const critique = screen.getByRole('button', { name: /^Step 4, Critique the requirements/ });
    expect(critique).toHaveAccessibleName(/in the phase Phase 2 Planning/);
    // Bands are behind: nothing of them can be in the way of a step.
    const world = bands[0]?.parentElement;
    expect(world?.compareDocumentPosition(critique)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  it('look alike and say that they go on where the rows of the picture break one into several', () => {
    const rows = [
      ...lanes,
      { id: 'p2-1', title: 'Phase 2 Planning', x: 0, y: 200, width: 700, height: 200, nodes: ['approve'] },
      { id: 'p3', title: 'Phase 3 Building', x: 0, y: 400, width: 700, height: 200, nodes: ['publish'] },
    ];
    render(Graph, { drawing: { ...drawing, lanes: rows }, faces, overlay: null, title: 'Shape' });
    const bands = screen.getAllByTestId('graph-lane');
    expect(bands.map((band) => band.textContent)).toEqual([
      'Phase 1 Analysis',
      'Phase 2 Planning',
      'Phase 2 Planning, continued',
      'Phase 3 Building',
    ]);
    expect(bands.map((band) => band.classList.contains('tinted'))).toEqual([true, false, false, true]);
  });

  it('are not there where there are none', () => {
    render(Graph, { drawing, faces, overlay: null, title: 'Shape' });
    expect(screen.queryAllByTestId('graph-lane')).toEqual([]);
  });
});
