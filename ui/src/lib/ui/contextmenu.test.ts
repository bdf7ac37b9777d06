import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { findings } from '$lib/axe';
import ContextMenu from './ContextMenu.svelte';

function open() {
  document.body.insertAdjacentHTML('beforeend', '<button data-testid="opener">x</button>');
  const opener = screen.getAllByTestId('opener').at(-1)!;
  opener.focus();
  const [copy, remove, add, onclose] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
  const items = [
    { label: 'Add', run: add },
    { label: 'Copy', keys: 'Ctrl+C', run: copy, apart: true },
    { label: 'Delete', why: 'Something is being saved', danger: true, run: remove },
  ];
  const page = render(ContextMenu, { items, at: { x: 10, y: 10 }, label: 'What can be done', onclose });
  return { ...page, opener, copy, remove, add, onclose };
}
const item = (name: RegExp) => screen.getByRole('menuitem', { name });

it('is walked through by arrow keys and letters, and gives the focus back', async () => {
  const user = userEvent.setup();
  const { copy, onclose, opener, container } = open();
  expect(screen.getByRole('menu', { name: 'What can be done' })).toBeVisible();
  expect(document.activeElement).toBe(item(/Add/));
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}');
  expect(document.activeElement).toBe(item(/Add/));
  await user.keyboard('{End}');
  expect(document.activeElement).toBe(item(/Delete/));
  await user.keyboard('c');
  expect(document.activeElement).toBe(item(/Copy/));
  expect(await findings(container)).toEqual([]);
  await user.keyboard('{Enter}');
  expect(copy).toHaveBeenCalledOnce();
  expect(onclose).toHaveBeenCalledOnce();
  expect(document.activeElement).toBe(opener);
});

it('says why something cannot be done, and does not do it', async () => {
  const user = userEvent.setup();
  const { remove, onclose } = open();
  expect(item(/Delete/)).toHaveTextContent('Something is being saved');
  expect(item(/Delete/)).toHaveAttribute('aria-disabled', 'true');
  await user.click(item(/Delete/));
  item(/Delete/).focus();
  await user.keyboard('{Enter}');
  expect(remove).not.toHaveBeenCalled();
  expect(onclose).not.toHaveBeenCalled();
});

it('is left with Escape, Tab, and a press outside of it', async () => {
  const user = userEvent.setup();
  const { onclose, opener } = open();
  await user.keyboard('{Escape}');
  expect(document.activeElement).toBe(opener);
  item(/Add/).focus();
  await user.keyboard('{Tab}');
  await fireEvent.pointerDown(document.body);
  await fireEvent.pointerDown(item(/Copy/));
  expect(onclose).toHaveBeenCalledTimes(3);
});
