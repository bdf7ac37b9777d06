import { screen, waitFor } from '@testing-library/svelte';
import { expect } from 'vitest';

/** Waits until the answers of the brief on screen can be pressed: it must have been there for a moment. */
export const alive = () =>
  waitFor(() => expect(screen.getByTestId('gate-answers')).toHaveAttribute('data-live', 'true'), { timeout: 4_000 });
