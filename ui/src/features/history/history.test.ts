import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { useHost, type CompareView, type DifferenceView, type SideView, type VersionView } from '$lib/api';
import { findings } from '$lib/axe';
import { step } from '$lib/fixtures';
import { FakeHost } from '$lib/host/fake';
import { drawing, faces } from '../canvas/__fixtures__/request';
import History from './__fixtures__/Framed.svelte';
import { Past } from './past.svelte';

const NOON = Date.parse('2026-03-10T12:00:00Z');
const version = (id: string, label: string, over: Partial<VersionView> = {}): VersionView => ({
  version: id,
  label,
  at: NOON,
  found: false,
  by: 'Ada',
  is_now: false,
  runs: 0,
  ...over,
});
const VERSIONS = [
  version('v3', 'changed by another program', { found: true, by: null, is_now: true }),
  version('v2', 'rename “Draft”', { runs: 3 }),
  version('v1', `change ${'a very long role '.repeat(20)}`),
  version('v0', 'before the first change made here', { at: null, by: null, runs: 1 }),
];
const difference = (id: string, what: DifferenceView['what'], over: Partial<DifferenceView> = {}): DifferenceView => ({
  step: step(id),
  what,
  fields: [],
  before: id,
  ...over,
});
const side = (source: string): SideView => ({ source, drawing, faces: [...faces] });
const COMPARED: CompareView = {
  differences: [
    difference('critique', ['changed', 'moved'], { fields: ['Ask a person', '`own_key`'] }),
    difference('author', ['renamed'], { before: 'frame' }),
    difference('scope', ['added'], { before: null }),
    difference('decline', ['removed']),
  ],
  elsewhere: ['Title'],
  left: side('old'),
  right: side('new'),
};

let host: FakeHost;
function open(over: Record<string, unknown> = {}) {
  useHost(host);
  const past = new Past('flows/shape.yaml');
  const calls = { onback: vi.fn(async () => true), onstep: vi.fn() };
  const props = { past, revision: 'v3', runs: 4, title: 'Shape', writable: true, busy: false, ...calls, ...over };
  const page = render(History, props);
  return { past, page, props, ...calls, user: userEvent.setup() };
}
const rows = () => screen.getAllByTestId('history-version');
const asked = () => host.called('workflow.compare');
const row = (version: string) => {
  const found = rows().find((one) => one.dataset.version === version);
  if (!found) throw new Error(`no version ${version}`);
  return found;
};

beforeEach(() => {
  localStorage.clear();
  host = new FakeHost()
    .on('workflow.versions', () => ({ path: 'flows/shape.yaml', versions: VERSIONS }))
    .on('workflow.compare', () => COMPARED);
});

describe('the history of a workflow', () => {
  it('lists what changed, who did it and when, which one is the file, and what runs keep', async () => {
    const { page } = open();
    await screen.findByTestId('history-differences');
    expect(rows().map((one) => one.dataset.version)).toEqual(['v3', 'v2', 'v1', 'v0']);
    expect(row('v3')).toHaveTextContent(/^Changed by another program found .* as it is now$/);
    expect(row('v2')).toHaveTextContent(/^Rename “Draft” Ada · .* kept by 3 runs$/);
    expect(row('v2').querySelector('time')).toHaveAttribute(
      'title',
      expect.stringContaining('2026-03-10 12:00:00 UTC'),
    );
    expect(row('v0')).toHaveTextContent('kept by 1 run');
    expect(await findings(page.container)).toEqual([]);
  }, 20_000);

  it('says of a change of another program when it was found', async () => {
    open();
    await screen.findByTestId('history-differences');
    expect(row('v3')).toHaveTextContent(/^Changed by another program\s*found /);
    expect(row('v2')).not.toHaveTextContent('found');
  });

  it('says what will appear where there is one version alone', async () => {
    host.on('workflow.versions', () => ({ path: 'flows/shape.yaml', versions: VERSIONS.slice(0, 1) }));
    open();
    expect(await screen.findByTestId('history-empty')).toHaveTextContent(/^Earlier versions appear here/);
    expect(screen.queryByTestId('history-list')).toBeNull();
  });

  it('compares the last change with the file at first, then what is chosen, then any two', async () => {
    const { user } = open();
    await screen.findByTestId('history-differences');
    expect(row('v2')).toHaveAttribute('aria-selected', 'true');
    expect(asked().at(-1)).toMatchObject({ path: 'flows/shape.yaml', left: 'v2' });
    expect(asked().at(-1)).not.toHaveProperty('right');
    await user.click(row('v1'));
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v1' }));
    const others = screen.getByLabelText('Compare with');
    expect(
      within(others)
        .getAllByRole('option')
        .map((one) => one.textContent),
    ).toEqual([
      'What the file says now',
      expect.stringMatching(/^Changed by another program, .*2026/),
      expect.stringMatching(/^Rename “Draft”, .*2026/),
      'Before the first change made here',
    ]);
    // The earlier one stands on the left, whichever was chosen first.
    await user.selectOptions(others, 'v0/0');
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v0', right: 'v1' }));
    await vi.waitFor(() => expect(screen.getByTestId('history-earlier')).toHaveTextContent('Before the first change'));
    await user.selectOptions(others, 'v2/0');
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v1', right: 'v2' }));
    // Another version is compared with the file again.
    await user.click(row('v0'));
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v0' }));
    expect(asked().at(-1)).not.toHaveProperty('right');
  }, 20_000);

  it('compares the version that the file is with the one before it', async () => {
    const { user, onstep } = open();
    await screen.findByTestId('history-differences');
    await user.click(row('v3'));
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v2', right: 'v3' }));
    const others = screen.getByLabelText('Compare with');
    expect(others).toHaveValue('v2/0');
    expect(within(others).queryByRole('option', { name: 'What the file says now' })).toBeNull();
    // Its steps are those of the file.
    await vi.waitFor(() => expect(screen.getByTestId('history-later')).toHaveTextContent('Changed by another program'));
    await user.click(within(screen.getAllByTestId('history-difference')[0]!).getByRole('button'));
    expect(onstep).toHaveBeenCalledWith('critique');
    await user.selectOptions(others, 'v0/0');
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v0', right: 'v3' }));
  }, 20_000);

  it('says each difference in a sentence', async () => {
    open();
    await screen.findByTestId('history-differences');
    const lines = screen
      .getAllByTestId('history-difference')
      .map((one) => one.textContent?.replace(/\s+/g, ' ').trim());
    expect(lines).toEqual([
      'Changed: 4 critique — Ask a person, own_key',
      'Moved: 4 critique',
      'Renamed: frame →to author',
      'Added: 4 scope',
      'Removed: 4 decline',
    ]);
    const first = screen.getAllByTestId('history-difference')[0]!;
    expect([...first.querySelectorAll('code')].map((one) => one.textContent)).toEqual(['own_key']);
    expect(screen.getByTestId('history-elsewhere')).toHaveTextContent('Also changed: Title');
  });

  it('says where only the text differs, and where nothing does', async () => {
    let right = 'new';
    host.on('workflow.compare', () => ({ ...COMPARED, differences: [], elsewhere: [], right: side(right) }));
    const { user } = open();
    expect(await screen.findByTestId('history-same')).toHaveTextContent(/^No step and no field differs, only the text/);
    right = 'old';
    await user.click(row('v3'));
    await vi.waitFor(() => expect(screen.getByTestId('history-same')).toHaveTextContent('Both say the same.'));
  });

  it('marks the steps in both pictures, and chooses those of a difference', async () => {
    const { user, past, onstep } = open();
    await screen.findByTestId('history-differences');
    const marks = (where: string) =>
      Object.fromEntries(
        within(screen.getByTestId(where))
          .getAllByTestId('graph-node')
          .flatMap((one) => {
            const mark = within(one).queryByTestId('graph-mark');
            return mark ? [[one.dataset.step, mark.textContent]] : [];
          }),
      );
    expect(marks('history-earlier')).toEqual({ critique: 'changed, moved', frame: 'renamed', decline: 'removed' });
    expect(marks('history-later')).toEqual({ critique: 'changed, moved', author: 'renamed', scope: 'added' });
    const chosen = (where: string) =>
      within(screen.getByTestId(where))
        .getAllByTestId('graph-node')
        .filter((one) => one.getAttribute('aria-current') === 'true')
        .map((one) => one.dataset.step);
    await user.click(within(screen.getAllByTestId('history-difference')[2]!).getByRole('button'));
    expect([chosen('history-earlier'), chosen('history-later')]).toEqual([['frame'], ['author']]);
    expect(onstep).toHaveBeenLastCalledWith('author');
    await user.click(within(screen.getAllByTestId('history-difference')[4]!).getByRole('button'));
    expect([chosen('history-earlier'), chosen('history-later')]).toEqual([['decline'], []]);
    expect(onstep).toHaveBeenCalledTimes(1);
    // The other way round: from a picture to the difference.
    past.look('earlier', 'frame');
    expect(past.pair).toEqual({ before: 'frame', after: 'author' });
  }, 20_000);

  it('shows both texts instead of the pictures', async () => {
    const { user } = open();
    await screen.findByTestId('history-differences');
    await user.click(screen.getByRole('radio', { name: 'Texts' }));
    expect(screen.getByTestId('texts')).toHaveTextContent(
      'Earlier: Rename “Draft”|old|Later: What the file says now|new',
    );
    expect(screen.queryByTestId('history-earlier')).toBeNull();
  });

  it('is gone through with arrow keys; Enter chooses', async () => {
    const { user } = open();
    await screen.findByTestId('history-differences');
    expect(rows().filter((one) => one.tabIndex === 0)).toEqual([row('v2')]);
    row('v2').focus();
    const calls = asked().length;
    await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}');
    expect(document.activeElement).toBe(row('v1'));
    expect(asked()).toHaveLength(calls);
    await user.keyboard('{Enter}');
    expect(row('v1')).toHaveAttribute('aria-selected', 'true');
    await vi.waitFor(() => expect(asked().at(-1)).toMatchObject({ left: 'v1' }));
    await user.keyboard('{Home}{End}{Enter}');
    expect(row('v0')).toHaveAttribute('aria-selected', 'true');
  });

  it('keeps two versions of one text apart', async () => {
    const twice = [version('v0', 'go back to an earlier version', { is_now: true }), ...VERSIONS.slice(1, 3)];
    const versions = [...twice, version('v0', 'as it was', { is_now: true })];
    host.on('workflow.versions', () => ({ path: 'flows/shape.yaml', versions }));
    open({ revision: 'v0' });
    await screen.findByTestId('history-differences');
    expect(screen.getAllByTestId('history-now')).toHaveLength(1);
    expect(rows()[3]).toHaveTextContent('the same text as now');
  });

  it('reads everything again when the file is another one, and says what went wrong', async () => {
    const { page, props } = open();
    await screen.findByTestId('history-differences');
    const calls = asked().length;
    await page.rerender({ ...props, revision: 'v4' });
    await vi.waitFor(() => expect(asked().length).toBeGreaterThan(calls));
    expect(host.called('workflow.versions')).toHaveLength(2);
    host.on('workflow.compare', () => {
      throw { code: 'unknown_revision', message: 'That version is not known any more.', hint: null };
    });
    await page.rerender({ ...props, revision: 'v5' });
    expect(await screen.findByRole('alert')).toHaveTextContent('That version is not known any more.');
  });
});

describe('going back to a version', () => {
  it('says what it does to the file as it is, then does it and looks at the newest version beside the one before', async () => {
    const { user, onback, past } = open();
    await screen.findByTestId('history-differences');
    await user.click(row('v1'));
    await user.click(screen.getByTestId('history-back'));
    const dialog = await screen.findByRole('dialog', { name: 'Go back to this version?' });
    // From the file to the version: the other way round than in the list.
    await vi.waitFor(() => expect(asked().at(-1)).toEqual({ path: 'flows/shape.yaml', left: 'v3', right: 'v1' }));
    expect(await within(dialog).findAllByTestId('history-difference')).toHaveLength(5);
    expect(within(dialog).queryAllByRole('button', { name: /critique/ })).toEqual([]);
    expect(onback).not.toHaveBeenCalled();
    const listed = host.called('workflow.versions').length;
    await user.click(within(dialog).getByTestId('history-back-go'));
    expect(onback).toHaveBeenCalledExactlyOnceWith(
      'v1',
      'v3',
      expect.stringMatching(/^The file is again what it was at this version: Change a/),
    );
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await vi.waitFor(() => expect(host.called('workflow.versions').length).toBeGreaterThan(listed));
    expect(past.row?.version.version).toBe('v3');
    expect(past.against?.version.version).toBe('v2');
  }, 20_000);

  it('reads everything again where it was refused, and stays at the version', async () => {
    const { user, past } = open({ onback: vi.fn(async () => false) });
    await screen.findByTestId('history-differences');
    await user.click(row('v1'));
    await user.click(screen.getByTestId('history-back'));
    const listed = host.called('workflow.versions').length;
    await vi.waitFor(() => expect(screen.getByTestId('history-back-go')).toBeEnabled());
    await user.click(screen.getByTestId('history-back-go'));
    await vi.waitFor(() => expect(host.called('workflow.versions').length).toBeGreaterThan(listed));
    expect(past.row?.version.version).toBe('v1');
  }, 20_000);

  it('is left without a change', async () => {
    const { user, onback } = open();
    await screen.findByTestId('history-differences');
    await user.click(screen.getByTestId('history-back'));
    await user.click(await screen.findByTestId('history-back-cancel'));
    await vi.waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(onback).not.toHaveBeenCalled();
  }, 20_000);

  it('is not offered where nothing can be changed, nor for what the file says already', async () => {
    const { page, props, user } = open({ writable: false });
    await screen.findByTestId('history-differences');
    expect(screen.queryByTestId('history-back')).toBeNull();
    await page.rerender({ ...props, writable: true });
    expect(screen.getByTestId('history-back')).toBeEnabled();
    await user.click(row('v3'));
    expect(screen.queryByTestId('history-back')).toBeNull();
  });
});
