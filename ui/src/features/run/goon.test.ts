import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import GoOnDialog from './GoOnDialog.svelte';

const resume = {
  step: step('prd', '2'),
  then: [step('design', '3')],
  kept: [step('brief', '1')],
  places: [],
  words: '“Requirements” runs again, with fresh attempts; “Brief” is completed and does not run again.',
};

describe('before a failed run goes on', () => {
  it('says which step runs again, what follows and what does not run again', async () => {
    render(GoOnDialog, { open: true, resume, ongo: async () => true });
    const dialog = screen.getByRole('dialog');
    expect(dialog).toHaveAccessibleDescription(/does not run again/);
    const rows = [...dialog.querySelectorAll('dt')].map((row) => [
      row.textContent,
      row.nextElementSibling?.textContent?.trim(),
    ]);
    expect(rows).toEqual([
      ['Runs now', '2 prd'],
      ['Then', '3 design'],
      ['Stays as it is', '1 brief'],
    ]);
    expect(await findings(dialog)).toEqual([]);
  });

  it('stays open when it is refused, and closes when the run goes on', async () => {
    const user = userEvent.setup();
    const ongo = vi.fn().mockResolvedValueOnce(false).mockResolvedValueOnce(true);
    render(GoOnDialog, { open: true, resume, ongo });
    await user.click(screen.getByTestId('go-on-confirm'));
    expect(screen.getByRole('dialog')).toBeVisible();
    await user.click(screen.getByTestId('go-on-confirm'));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(ongo).toHaveBeenCalledTimes(2);
  });
});
