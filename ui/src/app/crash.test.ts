import { render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';
import Crash from './Crash.svelte';

it('is left when the window goes to another place, which is tried anew', async () => {
  const reset = vi.fn();
  const at = { view: 'runs' };
  const { rerender } = render(Crash, { error: new Error('No such lane'), reset, at });
  expect(screen.getByRole('alert')).toHaveTextContent('No such lane');
  await rerender({ at });
  expect(reset).not.toHaveBeenCalled();
  await rerender({ at: { view: 'inbox' } });
  expect(reset).toHaveBeenCalledOnce();
});
