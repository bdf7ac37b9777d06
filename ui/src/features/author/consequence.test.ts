import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Author } from './author.svelte';
import Consequence from './Consequence.svelte';

it('asks again after it was dismissed', async () => {
  const user = userEvent.setup();
  const asked = { gestures: [], what: 'Remove “A”', entails: ['“B” waits for nothing any more.'], refused: null };
  const agree = vi.fn();
  const open = () => render(Consequence, { author: { asking: asked, agree } as unknown as Author });
  const { rerender } = open();
  expect(await screen.findByTestId('consequence')).toHaveTextContent('waits for nothing');
  // What is asked about has not happened, and says so.
  expect(screen.getByRole('dialog')).toHaveTextContent('Nothing has been changed yet. The change: Remove “A”.');
  expect(screen.getByTestId('consequence-go')).toHaveTextContent('Make the change');
  await user.keyboard('{Escape}');
  await rerender({ author: { asking: null, agree } as unknown as Author });
  await waitFor(() => expect(screen.queryByTestId('consequence')).toBeNull());
  await rerender({ author: { asking: asked, agree } as unknown as Author });
  expect(await screen.findByTestId('consequence')).toBeVisible();
  await user.click(screen.getByTestId('consequence-go'));
  expect(agree).toHaveBeenCalledOnce();
});
