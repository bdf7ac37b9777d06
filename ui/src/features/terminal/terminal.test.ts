import { ApiError, type Pressed, type TerminalView } from '$lib/api';
import { findings } from '$lib/axe';
import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import Terminal from './Terminal.svelte';

const terminal = (over: Partial<TerminalView> = {}): TerminalView => ({
  id: 4,
  step: 'sign-in',
  name: 'Sign in',
  lines: ['Welcome', 'Name? A', ...Array.from({ length: 22 }, () => '')],
  cursor: { line: 1, before: 'Name? A', under: ' ', after: '' },
  ...over,
});

describe('the terminal of a step', () => {
  it('shows what the program shows, with its cursor', async () => {
    const page = render(Terminal, { terminal: terminal(), ontype: async () => null });
    const lines = screen.getByTestId('terminal-screen').textContent?.split('\n') ?? [];
    expect(lines.slice(0, 2)).toEqual(['Welcome', 'Name? A ']);
    expect(page.container.querySelector('.cursor')).toHaveTextContent('');
    expect(await findings(page.container)).toEqual([]);
  });

  it('passes keys on in their order, one call after the other, and keeps none of them', async () => {
    let go = () => {};
    const calls: [number, Pressed[]][] = [];
    const ontype = vi.fn(async (id: number, pressed: Pressed[]) => {
      calls.push([id, pressed]);
      await new Promise<void>((done) => (go = done));
      return null;
    });
    render(Terminal, { terminal: terminal(), ontype });
    const user = userEvent.setup();
    const keys = screen.getByRole('textbox', { name: 'Type into the terminal of Sign in' });
    await user.click(keys);
    await user.keyboard('ab{Enter}{ArrowUp}');
    expect(calls).toEqual([[4, [{ text: 'a' }]]]);
    go();
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    expect(calls[1]).toEqual([
      4,
      [
        { text: 'b' },
        { key: { name: 'Enter', control: false, alt: false } },
        { key: { name: 'ArrowUp', control: false, alt: false } },
      ],
    ]);
    go();
    expect(keys).toHaveValue('');
  });

  it('ends the input, takes a pasted text, and says why something was not typed', async () => {
    const typed: Pressed[] = [];
    const refusal = new ApiError('refused:not_read', 'The program does not read.');
    const ontype = async (_: number, pressed: Pressed[]) => {
      typed.push(...pressed);
      return typed.length > 1 ? refusal : null;
    };
    render(Terminal, { terminal: terminal(), ontype });
    const user = userEvent.setup();
    await user.click(screen.getByTestId('terminal-end'));
    await user.click(screen.getByTestId('terminal-keys'));
    await user.paste('two\nlines');
    expect(typed).toEqual([{ key: { name: 'd', control: true, alt: false } }, { paste: 'two\nlines' }]);
    expect(await screen.findByText('The program does not read.')).toBeVisible();
  });
});
