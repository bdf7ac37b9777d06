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
  words:
    'This run goes on: “Requirements” is done again from its beginning, and may be tried as often as the workflow says. “Brief” is done; it stays as it is and is not done again.',
};

describe('before a failed run goes on', () => {
  it('says which step is done again, what follows and what is not done again', async () => {
    render(GoOnDialog, { open: true, resume, ongo: async () => true });
    const dialog = screen.getByRole('dialog');
    expect(dialog).toHaveAccessibleDescription(/is not done again/);
    const rows = [...dialog.querySelectorAll('dt')].map((row) => [
      row.textContent,
      row.nextElementSibling?.textContent?.trim(),
    ]);
    expect(rows).toEqual([
      ['Done first', '2 prd'],
      ['Done after it', '3 design'],
      ['Not done again', '1 brief'],
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

  it('offers the file as it is now where it has changed, and says what is other in it', async () => {
    const user = userEvent.setup();
    const ongo = vi.fn(async () => true);
    const mended = { changed: [step('prd', '2')], added: [step('legal', '3')], gone: [] };
    const preview = vi.fn(async (_from: string | undefined, with_file: boolean) =>
      with_file ? { ...resume, mended, not_taken: 'Not taken along: desk/here: it is a link.' } : resume,
    );
    render(GoOnDialog, { open: true, resume, changed: true, preview, ongo });
    expect(screen.queryByTestId('go-on-not-taken')).toBeNull();
    expect(screen.getByTestId('go-on-changed')).toHaveTextContent('goes on with the workflow as it was then');
    await user.click(screen.getByRole('radio', { name: 'The file as it is now' }));
    await waitFor(() => expect(screen.getByTestId('go-on')).toHaveTextContent(/Changed in the file\s*2 prd/));
    expect(screen.getByTestId('go-on')).toHaveTextContent(/New in the file\s*3 legal/);
    expect(screen.getByTestId('go-on')).not.toHaveTextContent('No longer');
    expect(screen.getByTestId('go-on-not-taken')).toHaveTextContent('Not taken along: desk/here: it is a link.');
    expect(screen.getByTestId('go-on-changed')).toHaveTextContent('A new run begins');
    expect(await findings(screen.getByRole('dialog'))).toEqual([]);
    await user.click(screen.getByTestId('go-on-confirm'));
    expect(ongo).toHaveBeenCalledWith(undefined, true);
  });

  it('says why it cannot go on with the file as it is now, and offers nothing then', async () => {
    const user = userEvent.setup();
    const preview = async (_from: string | undefined, with_file: boolean) => {
      if (with_file) throw { code: 'refused:cannot_reopen', message: '“Brief” was changed in the file.' };
      return resume;
    };
    render(GoOnDialog, { open: true, resume, changed: true, preview, ongo: async () => true });
    await user.click(screen.getByRole('radio', { name: 'The file as it is now' }));
    await waitFor(() => expect(screen.getByTestId('go-on-refused')).toHaveTextContent('was changed in the file'));
    expect(screen.getByTestId('go-on-confirm')).toBeDisabled();
    await user.click(screen.getByRole('radio', { name: 'As it was when the run began' }));
    await waitFor(() => expect(screen.getByTestId('go-on-confirm')).toBeEnabled());
  });
});
