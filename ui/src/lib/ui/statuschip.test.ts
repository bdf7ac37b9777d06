import { render, screen } from '@testing-library/svelte';
import { expect, it } from 'vitest';
import StatusChip from './StatusChip.svelte';

it('says the whole of a status on hover, whatever room there is for it', () => {
  const words = 'waits for a decision at “A step with a name that is longer than any room”';
  render(StatusChip, { status: 'blocked', words });
  expect(screen.getByTitle(words)).toHaveTextContent(words);
});
