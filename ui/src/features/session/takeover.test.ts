import type { TakeOverView } from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import TakeOverDialog from './TakeOverDialog.svelte';

const steps = [step('draft', '1'), step('settle', '2'), step('build', '3')];

/** What going on at the n-th step means. */
const at = (n: number): TakeOverView => ({
  words: `A new run of “Plan” goes on at “${steps[n]?.name}”.`,
  completed: steps.slice(0, n),
  skipped: [],
  at: steps[n] as TakeOverView['at'],
  then: steps.slice(n + 1),
  notes: [],
});

function open(preview: (workflow: string, from: string | undefined) => Promise<TakeOverView>) {
  const ongo = vi.fn(async () => {});
  render(TakeOverDialog, {
    open: true,
    workflows: async () => [{ path: 'plan.yaml', title: 'Plan' }],
    steps: async () => steps,
    preview,
    ongo,
  });
  return { ongo, user: userEvent.setup() };
}

async function choose(user: ReturnType<typeof userEvent.setup>) {
  await screen.findByRole('option', { name: 'Plan (plan.yaml)' });
  await user.selectOptions(screen.getByTestId('take-over-workflow'), 'plan.yaml');
}

describe('before an imported session is gone on from', () => {
  it('goes on at the first step that is not done, or at the one that is chosen', async () => {
    const preview = vi.fn(async (_workflow: string, from: string | undefined) => at(from === 'draft' ? 0 : 2));
    const { ongo, user } = open(preview);
    expect(screen.queryByTestId('take-over-at')).toBeNull();
    await choose(user);
    await waitFor(() => expect(screen.getByTestId('take-over')).toHaveTextContent(/Runs now\s*3 build/));
    const place = screen.getByRole('combobox', { name: 'Go on at' });
    expect([...place.querySelectorAll('option')].map((one) => one.textContent?.trim())).toEqual([
      'The first step that is not done',
      '1 draft',
      '2 settle',
      '3 build',
    ]);
    await user.selectOptions(place, 'draft');
    await waitFor(() => expect(screen.getByTestId('take-over')).toHaveTextContent(/Runs now\s*1 draft/));
    expect(screen.getByTestId('take-over')).not.toHaveTextContent('Counts as completed');
    expect(await findings(screen.getByRole('dialog'))).toEqual([]);
    await user.click(screen.getByTestId('take-over-confirm'));
    expect(ongo).toHaveBeenCalledWith('plan.yaml', 'draft');
  });

  it('lets another step be chosen where the session does not fit, and says why not', async () => {
    const { ongo, user } = open(async (_workflow, from) => {
      if (from === 'settle') return at(1);
      throw { code: 'refused:cannot_reopen', message: 'Step 3 is completed and failed at once.', hint: null };
    });
    await choose(user);
    expect(await screen.findByRole('alert')).toHaveTextContent('completed and failed at once');
    expect(screen.getByTestId('take-over-confirm')).toBeDisabled();
    await user.selectOptions(await screen.findByTestId('take-over-at'), 'settle');
    await waitFor(() => expect(screen.getByTestId('take-over')).toHaveTextContent(/Runs now\s*2 settle/));
    expect(screen.queryByRole('alert')).toBeNull();
    await user.click(screen.getByTestId('take-over-confirm'));
    expect(ongo).toHaveBeenCalledWith('plan.yaml', 'settle');
  });
});
