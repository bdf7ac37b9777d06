import { fireEvent, render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { drawing, faces } from './__fixtures__/request';
import Graph from './__fixtures__/Framed.svelte';
import { aside } from './beside';

const found = () => screen.queryAllByTestId('graph-found').map((one) => one.dataset.step);

async function open() {
  const onselect = vi.fn();
  render(Graph, { drawing, faces, title: 'Shape a request', onselect });
  const user = userEvent.setup();
  await user.click(screen.getByTestId('graph-find-open'));
  return { user, onselect, field: screen.getByTestId('graph-find-field') };
}

describe('finding a step', () => {
  it('lists what is called so, by name and by id', async () => {
    const { field } = await open();
    expect(field).toHaveFocus();
    expect(field).toHaveAccessibleName(/^Find a step/);
    expect(found()).toHaveLength(faces.length);
    await fireEvent.input(field, { target: { value: 'the req' } });
    expect(found()).toContain('critique');
    await fireEvent.input(field, { target: { value: 'decline' } });
    expect(found()).toEqual(['decline']);
    await fireEvent.input(field, { target: { value: 'nothing like it' } });
    expect(found()).toEqual([]);
    expect(within(screen.getByTestId('graph-find')).getByText(/No step is called/)).toBeVisible();
  });

  it('chooses with Enter after arrows, and puts the focus on the step', async () => {
    const { user, field, onselect } = await open();
    await fireEvent.input(field, { target: { value: 'e' } });
    const second = found()[1];
    await user.keyboard('{ArrowDown}{Enter}');
    expect(onselect).toHaveBeenCalledWith(second);
    await vi.waitFor(() => expect((document.activeElement as HTMLElement).dataset.step).toBe(second));
    expect(screen.queryByTestId('graph-find')).toBeNull();
  });

  it('is left with Escape: nothing is chosen, and the focus is where it was', async () => {
    const { user, onselect } = await open();
    await user.keyboard('{Escape}');
    expect(screen.queryByTestId('graph-find')).toBeNull();
    expect(onselect).not.toHaveBeenCalled();
    expect(screen.getByTestId('graph-find-open')).toHaveFocus();
  });

  it('leaves the focus where it went when somebody clicks elsewhere', async () => {
    const { user } = await open();
    const elsewhere = document.body.appendChild(document.createElement('input'));
    const taken = vi.fn();
    screen.getByTestId('graph').addEventListener('focus', taken);
    await user.click(elsewhere);
    expect(screen.queryByTestId('graph-find')).toBeNull();
    // A browser leaves the focus where a blur handler puts it.
    expect(taken).not.toHaveBeenCalled();
    expect(elsewhere).toHaveFocus();
    elsewhere.remove();
  });
});

describe('a card', () => {
  const frame = { width: 740, height: 400 };
  const card = { x: 200, y: 100, width: 360, height: 280 };

  it('that covers nothing leaves the picture where it is', () => {
    const view = { x: 0, y: 0, k: 1 };
    const box = { x: 600, y: 20, width: 100, height: 60 };
    expect(aside(view, card, [box], [box], frame)).toBe(view);
  });

  it('gets room beside what it explains', () => {
    const boxes = [
      { x: 150, y: 150, width: 168, height: 64 },
      { x: 400, y: 150, width: 168, height: 64 },
    ];
    const view = aside({ x: 0, y: 0, k: 1 }, card, boxes, boxes, frame);
    const right = (boxes[1]?.x ?? 0) * view.k + view.x + 168 * view.k;
    const low = (boxes[1]?.y ?? 0) * view.k + view.y + 64 * view.k;
    const clear = right <= frame.width - card.width || low <= frame.height - card.height;
    expect(clear && view.k > 0.35).toBe(true);
  });
});
