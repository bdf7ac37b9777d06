import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Author } from './author.svelte';
import DrawLine from './DrawLine.svelte';

it('asks for the value that a line is taken for, and draws nothing without one', async () => {
  const user = userEvent.setup();
  const draw = vi.fn();
  const gesture = { kind: 'connect', from: 'a', to: 'b' };
  const ways = [
    { gesture, label: 'Always', asks: undefined, entails: [], refused: null },
    { gesture, label: 'If it reports a value', asks: '“verdict” is', entails: [], refused: null },
    { gesture, label: 'Beside', asks: undefined, entails: [], refused: '“a” leads to nothing else' },
  ];
  const drawing = { what: 'A leads to B', revision: 'r1', ways };
  render(DrawLine, { author: { drawing, draw } as unknown as Author });
  const [always, value, beside] = await screen.findAllByTestId('draw-way');
  expect(always).toBeChecked();
  expect(beside).toBeDisabled();
  expect(screen.queryByTestId('draw-value')).toBeNull();
  await user.click(value!);
  await user.click(screen.getByTestId('draw-go'));
  expect(draw).not.toHaveBeenCalled();
  const field = screen.getByLabelText(/“verdict” is/);
  expect(field).toBeInvalid();
  await user.type(field, 'GO{Enter}');
  expect(draw).toHaveBeenCalledExactlyOnceWith(1, 'GO');
});
