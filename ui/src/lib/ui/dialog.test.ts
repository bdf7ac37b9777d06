import { render, screen, waitFor } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { createRawSnippet } from 'svelte';
import { expect, it, vi } from 'vitest';
import Dialog from './Dialog.svelte';
import NameDialog from './NameDialog.svelte';

const html = (text: string) => createRawSnippet(() => ({ render: () => text }));

it('that asks for a name begins in its field, with what is offered marked', async () => {
  const onname = vi.fn(async () => null);
  const title = 'Another name';
  render(NameDialog, { open: true, title, label: 'Title', offered: 'Sign it', go: 'Rename', onname, testid: 'x' });
  const field = await screen.findByTestId('x-name');
  await waitFor(() => expect(field).toHaveFocus());
  await userEvent.keyboard('Send it{Enter}');
  expect(onname).toHaveBeenCalledWith('Send it');
});

it('with a field begins in it', async () => {
  const children = html(
    '<form><input aria-label="Name" value="Sign it" /><button hidden tabindex="-1"></button></form>',
  );
  const footer = html('<span><button>Cancel</button><button>Rename</button></span>');
  render(Dialog, { open: true, title: 'Rename', children, footer });
  await waitFor(() => expect(screen.getByRole('textbox')).toHaveFocus());
});

it('of consequences begins at the answer that changes nothing, never at the cross', async () => {
  const children = html('<p>Its runs stay.</p>');
  const footer = html('<span><button>Cancel</button><button>Delete</button></span>');
  render(Dialog, { open: true, title: 'Delete it?', children, footer });
  await waitFor(() => expect(screen.getByRole('button', { name: 'Cancel' })).toHaveFocus());
});
