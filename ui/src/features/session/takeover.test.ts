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
  missing: [],
  notes: [],
});

function open(preview: (workflow: string, from: string | undefined) => Promise<TakeOverView>, known = '') {
  const ongo = vi.fn(async () => {});
  render(TakeOverDialog, {
    open: true,
    known,
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
  it('goes on where the session stands, or at the one that is chosen', async () => {
    const preview = vi.fn(async (_workflow: string, from: string | undefined) => at(from === 'draft' ? 0 : 2));
    const { ongo, user } = open(preview);
    expect(screen.queryByTestId('take-over-at')).toBeNull();
    await choose(user);
    await waitFor(() => expect(screen.getByTestId('take-over')).toHaveTextContent(/Runs now\s*3 build/));
    const place = screen.getByRole('combobox', { name: 'Go on at' });
    expect([...place.querySelectorAll('option')].map((one) => one.textContent?.trim())).toEqual([
      'Where the session stands',
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

  it('chooses the workflow that is known, and warns of what its steps need and is not here', async () => {
    const missing = ['“settle” needs `plan/draft.md`, which is not here: it is made at “draft”.'];
    open(async () => ({ ...at(1), missing }), 'plan.yaml');
    const warned = await screen.findByTestId('take-over-missing');
    expect(warned).toHaveTextContent('needs plan/draft.md, which is not here');
    expect(screen.getByTestId('take-over-workflow')).toHaveValue('plan.yaml');
    expect(screen.getByTestId('take-over')).toHaveTextContent(/May come after it\s*3 build/);
    expect(await findings(screen.getByRole('dialog'))).toEqual([]);
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
