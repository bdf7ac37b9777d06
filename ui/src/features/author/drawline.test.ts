import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import type { Author } from './author.svelte';
import DrawLine from './DrawLine.svelte';

function open(answer: () => Promise<string | null> = async () => null) {
  const draw = vi.fn(answer);
  const gesture = { kind: 'connect', from: 'a', to: 'b' };
  const ways = [
    { gesture, label: 'Always', asks: undefined, entails: [], refused: null },
    { gesture, label: 'If it reports a value', asks: '“verdict” is', entails: [], refused: null },
    { gesture, label: 'Beside', asks: undefined, entails: [], refused: '“a” leads to nothing else' },
    { gesture, label: 'Again', asks: 'It is good when “status” is', usual: 'VERIFIED', entails: [], refused: null },
  ];
  const drawing = { what: 'A leads to B', revision: 'r1', ways };
  render(DrawLine, { author: { drawing, draw } as unknown as Author });
  return { draw, user: userEvent.setup() };
}

it('asks for the value that a line is taken for, and draws nothing without one', async () => {
  const { draw, user } = open();
  const [always, value, beside] = await screen.findAllByTestId('draw-way');
  expect(always).toBeChecked();
  expect(beside).toBeDisabled();
  expect(beside?.closest('label')).toHaveTextContent('“a” leads to nothing else');
  expect(screen.queryByTestId('draw-value')).toBeNull();
  await user.click(value!);
  await user.click(screen.getByTestId('draw-go'));
  expect(draw).not.toHaveBeenCalled();
  const field = screen.getByLabelText(/“verdict” is/);
  expect(field).toBeInvalid();
  await user.type(field, 'GO{Enter}');
  expect(draw).toHaveBeenCalledExactlyOnceWith(1, 'GO');
});

it('chooses nothing that changes other things: that is for a person', async () => {
  const gesture = { kind: 'connect', from: 'a', to: 'b' };
  const way = { gesture, asks: undefined, entails: ['“a” can be reached without passing the gate.'], refused: null };
  const ways = [
    { ...way, label: 'Always' },
    { ...way, label: 'Beside' },
  ];
  const draw = vi.fn(async () => null);
  render(DrawLine, { author: { drawing: { what: 'A leads to B', revision: 'r1', ways }, draw } as unknown as Author });
  const [always, beside] = await screen.findAllByTestId('draw-way');
  expect(always).not.toBeChecked();
  expect(screen.getByTestId('draw-go')).toBeDisabled();
  await userEvent.click(beside!);
  await userEvent.click(screen.getByTestId('draw-go'));
  expect(draw).toHaveBeenCalledExactlyOnceWith(1, '');
});

it('offers the value that is usual, of each way its own', async () => {
  const { draw, user } = open();
  const [, value, , again] = await screen.findAllByTestId('draw-way');
  await user.click(again!);
  const field = screen.getByLabelText(/It is good when/);
  expect(field).toHaveValue('VERIFIED');
  await user.clear(field);
  await user.type(field, 'approved');
  await user.click(value!);
  expect(screen.getByLabelText(/“verdict” is/)).toHaveValue('');
  await user.click(again!);
  expect(screen.getByLabelText(/It is good when/)).toHaveValue('approved');
  await user.click(screen.getByTestId('draw-go'));
  expect(draw).toHaveBeenCalledExactlyOnceWith(3, 'approved');
});

it('keeps the value that cannot be, says why at its field, and takes another one', async () => {
  let answer: (why: string | null) => void = () => {};
  const { draw, user } = open(() => new Promise((done) => (answer = done)));
  await user.click((await screen.findAllByTestId('draw-way'))[1]!);
  const field = screen.getByLabelText(/“verdict” is/);
  await user.type(field, 'G O{Enter}');
  // Asked once, however often it is pressed.
  await user.keyboard('{Enter}');
  expect(draw).toHaveBeenCalledExactlyOnceWith(1, 'G O');
  answer('A value is one word.');
  await vi.waitFor(() => expect(field).toBeInvalid());
  expect(field).toHaveAccessibleDescription('A value is one word.');
  expect(field).toHaveValue('G O');
  expect(field).toHaveFocus();
  await user.clear(field);
  expect(field).toBeValid();
  await user.type(field, 'GO{Enter}');
  expect(draw).toHaveBeenLastCalledWith(1, 'GO');
});
