import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, it, vi } from 'vitest';
import { findings } from '$lib/axe';
import Framed from './__fixtures__/FramedPalette.svelte';
import AddStep from './AddStep.svelte';

const kinds = [
  { kind: 'work', label: 'Work', help: 'Somebody does something: writes, checks, looks up, builds.' },
  {
    kind: 'decision',
    label: 'Decision',
    help: 'Something is prepared and a person decides about it: approves, signs off, accepts, releases or rejects it, before it goes on.',
  },
];
const open = () => {
  const heard = { onadd: vi.fn(), onover: vi.fn(), ondrop: vi.fn(), onclose: vi.fn() };
  const page = render(Framed, { kinds, gates: true, busy: false, where: null, ...heard });
  return { ...heard, ...page };
};
const kind = (at: number) => screen.getAllByTestId('step-palette-kind')[at]!;

it('says of each kind what it is for, and adds it by a click or a key', async () => {
  const user = userEvent.setup();
  const { onadd, container } = open();
  expect(kind(1)).toHaveTextContent('Decision');
  expect(kind(1)).toHaveAccessibleDescription(/a person decides.*Click one to add it/);
  await user.click(kind(1));
  kind(0).focus();
  await user.keyboard('{Enter}');
  screen.getByTestId('step-palette-gate').focus();
  await user.keyboard('{Enter}');
  expect(onadd.mock.calls).toEqual([[{ kind: 'decision' }], [{ kind: 'work' }], [{ gate: true }]]);
  expect(screen.getByTestId('step-palette-gate')).toHaveAccessibleDescription(/A person is asked/);
  expect(await findings(container)).toEqual([]);
});

it('says where loops and branches are, where the format has any', async () => {
  const { rerender } = open();
  expect(screen.queryByTestId('step-palette-ways')).toBeNull();
  await rerender({ ways: true });
  expect(screen.getByTestId('step-palette-ways')).toHaveTextContent('choose at the step how it goes on');
});

it('is dragged to where it is let go, and adds nothing by the click that ends it', async () => {
  const { onadd, onover, ondrop, rerender } = open();
  const at = (x: number, y: number) => ({ pointerId: 1, button: 0, clientX: x, clientY: y });
  await fireEvent.pointerDown(kind(1), at(10, 10));
  await fireEvent.pointerMove(window, at(200, 90));
  expect(onover).toHaveBeenLastCalledWith({ x: 200, y: 90 }, { kind: 'decision' });
  expect(screen.getByTestId('step-palette-held')).toHaveTextContent('Decision Let go over the picture');
  await rerender({ where: { text: 'After “Read”', wrong: false } });
  expect(screen.getByTestId('step-palette-held')).toHaveTextContent('Decision After “Read”');
  await fireEvent.pointerUp(window, at(210, 90));
  await fireEvent.click(kind(1));
  expect(ondrop).toHaveBeenCalledExactlyOnceWith({ kind: 'decision' }, { x: 210, y: 90 });
  expect(onover).toHaveBeenLastCalledWith(null, { kind: 'decision' });
  expect(onadd).not.toHaveBeenCalled();
});

it('has a gate where the format has gates: dragged like a kind, and what cannot be says why', async () => {
  const { onover, ondrop, rerender } = open();
  const gate = screen.getByTestId('step-palette-gate');
  await fireEvent.pointerDown(gate, { pointerId: 1, button: 0, clientX: 1, clientY: 1 });
  await fireEvent.pointerMove(window, { pointerId: 1, clientX: 90, clientY: 90 });
  expect(onover).toHaveBeenLastCalledWith({ x: 90, y: 90 }, { gate: true });
  expect(screen.getByTestId('step-palette-held')).toHaveTextContent('Gate Let go over a step or a line');
  await rerender({ where: { text: 'No gate at `read`', wrong: true } });
  expect(screen.getByTestId('step-palette-held')).toHaveTextContent('Gate No gate at read');
  expect(screen.getByTestId('step-palette-held')).toHaveClass('wrong');
  await fireEvent.pointerUp(window, { pointerId: 1, clientX: 90, clientY: 90 });
  expect(ondrop).toHaveBeenCalledExactlyOnceWith({ gate: true }, { x: 90, y: 90 });
  await rerender({ gates: false });
  expect(screen.queryByTestId('step-palette-gate')).toBeNull();
});

it('is given up with Escape', async () => {
  const { ondrop, onover, onadd } = open();
  await fireEvent.pointerDown(kind(0), { pointerId: 1, button: 0, clientX: 1, clientY: 1 });
  await fireEvent.pointerMove(window, { pointerId: 1, clientX: 90, clientY: 90 });
  await fireEvent.keyDown(window, { key: 'Escape' });
  await fireEvent.pointerUp(window, { pointerId: 1, clientX: 90, clientY: 90 });
  await fireEvent.click(kind(0));
  expect(onadd).not.toHaveBeenCalled();
  expect(ondrop).not.toHaveBeenCalled();
  expect(onover).toHaveBeenLastCalledWith(null, { kind: 'work' });
  expect(screen.queryByTestId('step-palette-held')).toBeNull();
});

it('asks for the name of a step whose kind is chosen by what is typed, until somebody chooses', async () => {
  const user = userEvent.setup();
  const onadd = vi.fn(async () => null);
  render(AddStep, { kinds, where: 'At the end', onadd, onclose: vi.fn() });
  await user.type(await screen.findByTestId('add-step-name'), 'Decide on the contract');
  expect(screen.getByRole('radio', { name: /Decision/ })).toBeChecked();
  await user.click(screen.getByRole('radio', { name: /Work/ }));
  await user.type(screen.getByTestId('add-step-name'), ' now{Enter}');
  expect(onadd).toHaveBeenCalledExactlyOnceWith('work', 'Decide on the contract now', {});
});

it('begins with the kind that was dragged', async () => {
  render(AddStep, { kinds, where: 'At the end', given: 'decision', onadd: vi.fn(), onclose: vi.fn() });
  expect(await screen.findByRole('radio', { name: /Decision/ })).toBeChecked();
});
