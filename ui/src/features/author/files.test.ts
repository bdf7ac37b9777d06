import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useHost } from '$lib/api';
import { findings } from '$lib/axe';
import { FakeHost } from '$lib/host/fake';
import Toasts from '$lib/ui/__fixtures__/FramedToasts.svelte';
import { toasts } from '$lib/ui/toasts.svelte';
import { unsaved } from '$lib/unsaved.svelte';
import FileMenu from './FileMenu.svelte';

const PATH = 'contracts/approve.yaml';
afterEach(() => {
  toasts.list = [];
  unsaved.clear();
});

async function open(answers: (host: FakeHost) => FakeHost = (host) => host) {
  const host = answers(new FakeHost());
  useHost(host);
  const [onplaced, onrestored] = [vi.fn(), vi.fn()];
  render(FileMenu, { path: PATH, title: 'Approve a contract', onplaced, onrestored });
  const user = userEvent.setup();
  /** Chooses what is to be done; its dialog is open then. */
  const choose = async (name: string) => {
    await user.click(screen.getByRole('button', { name: 'More about this workflow' }));
    await user.click(await screen.findByText(name));
    return screen.findByRole('dialog');
  };
  const said = () => toasts.list.map((one) => one.text);
  return { host, user, choose, said, onplaced, onrestored };
}
const text = () => screen.getByRole('textbox');
const closed = () => vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

describe('the file of a workflow', () => {
  it('is copied under a name that is offered, and the copy is shown', async () => {
    const to = 'contracts/approve-copy.yaml';
    const { host, user, choose, said, onplaced } = await open((host) =>
      host.on('workflow.duplicate', () => ({ path: to })),
    );
    const dialog = await choose('Duplicate…');
    expect(dialog).toHaveAccessibleName('Duplicate');
    expect(text()).toHaveAccessibleName('Its title');
    expect(text()).toHaveValue('Approve a contract (copy)');
    expect(await findings(dialog)).toEqual([]);
    await user.click(screen.getByRole('button', { name: 'Duplicate' }));
    await closed();
    expect(host.called('workflow.duplicate')).toEqual([{ path: PATH, name: 'Approve a contract (copy)' }]);
    expect(onplaced).toHaveBeenCalledExactlyOnceWith(to);
    expect(said()).toEqual(['Duplicated']);
  });

  it('has another name with the keys alone, what was typed in its source comes along, and who still names it is told', async () => {
    const to = 'contracts/agree.yaml';
    const { host, user, choose, said, onplaced } = await open((host) =>
      host.on('workflow.rename', () => ({ path: to, named_by: ['a.yaml', 'b.yaml'] })),
    );
    unsaved.set(PATH, { text: 'typed', revision: 'r1' });
    await choose('Rename…');
    await vi.waitFor(() => expect(text()).toHaveFocus());
    // The name that is there is marked: typing takes its place.
    expect((text() as HTMLInputElement).selectionEnd).toBe('Approve a contract'.length);
    await user.keyboard('  Agree  {Enter}');
    await closed();
    expect(host.called('workflow.rename')).toEqual([{ path: PATH, name: 'Agree' }]);
    expect(onplaced).toHaveBeenCalledExactlyOnceWith(to);
    expect([...unsaved.keys()]).toEqual([to]);
    expect(said()).toEqual(['Renamed. These workflows name it and are not changed: a.yaml, b.yaml']);
  });

  it('is moved to another folder, also to the project’s own, which has no name', async () => {
    const { host, user, choose, onplaced } = await open((host) =>
      host.on('workflow.move', ({ folder }: { folder: string }) => ({ path: `${folder}/approve.yaml` })),
    );
    await choose('Move to another folder…');
    expect(text()).toHaveAccessibleName('Folder');
    expect(text()).toHaveValue('contracts');
    await user.clear(text());
    await user.keyboard('legal/2026{Enter}');
    await closed();
    expect(onplaced).toHaveBeenLastCalledWith('legal/2026/approve.yaml');
    await choose('Move to another folder…');
    await user.clear(text());
    await user.click(screen.getByRole('button', { name: 'Move to another folder' }));
    await closed();
    expect(host.called('workflow.move')).toEqual([
      { path: PATH, folder: 'legal/2026' },
      { path: PATH, folder: '' },
    ]);
  });

  it('is deleted when that was agreed to, and comes back', async () => {
    const { host, user, choose, said, onplaced, onrestored } = await open((host) =>
      host
        .on('workflow.remove', () => ({ path: PATH, undo_entry: 'e7' }))
        .on('workflow.undo', () => ({ outcome: 'saved' })),
    );
    const dialog = await choose('Delete…');
    expect(dialog).toHaveAccessibleName('Delete “Approve a contract”?');
    expect(dialog).toHaveTextContent(`The file ${PATH} is deleted, with the test scenarios beside it.`);
    expect(await findings(dialog)).toEqual([]);
    // The answer that changes nothing has the focus.
    await vi.waitFor(() => expect(screen.getByRole('button', { name: 'Cancel' })).toHaveFocus());
    await user.keyboard('{Enter}');
    await closed();
    expect(host.calls).toEqual([]);
    await choose('Delete…');
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await closed();
    expect(onplaced).toHaveBeenCalledExactlyOnceWith(null);
    expect(said()).toEqual([`Deleted: ${PATH}`]);
    render(Toasts);
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    await vi.waitFor(() => expect(onrestored).toHaveBeenCalledExactlyOnceWith(PATH));
    expect(host.called('workflow.undo')).toEqual([{ path: PATH, entry: 'e7' }]);
  });

  it('is left as it is where that is refused: the dialog says why, keeps what was typed, and takes another name', async () => {
    let taken = true;
    const { host, user, choose, said, onplaced } = await open((host) =>
      host.on('workflow.rename', () => {
        if (taken) throw { code: 'refused:taken', message: 'contracts/agree.yaml is there already.', hint: null };
        return { path: 'contracts/agreed.yaml' };
      }),
    );
    const dialog = await choose('Rename…');
    await user.clear(text());
    // Without a name there is nothing to be done.
    expect(screen.getByRole('button', { name: 'Rename' })).toBeDisabled();
    await user.type(text(), 'Agree{Enter}');
    expect(await screen.findByText(/contracts\/agree.yaml is there already/)).toBeVisible();
    expect(dialog).toBeVisible();
    expect(text()).toHaveValue('Agree');
    expect(onplaced).not.toHaveBeenCalled();
    taken = false;
    await user.type(text(), 'd{Enter}');
    await closed();
    expect(host.called('workflow.rename').at(-1)).toEqual({ path: PATH, name: 'Agreed' });
    expect(said()).toEqual(['Renamed']);
    // Of an earlier refusal nothing is said when it is asked for again.
    await choose('Rename…');
    expect(screen.queryByText(/is there already/)).toBeNull();
  });
});
