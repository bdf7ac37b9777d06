import { acceptCompletion, completionStatus, currentCompletions } from '@codemirror/autocomplete';
import { forEachDiagnostic, type Diagnostic } from '@codemirror/lint';
import { EditorView } from '@codemirror/view';
import { fireEvent, render, screen } from '@testing-library/svelte';
import { expect, it, vi } from 'vitest';
import Viewed from './Viewed.fixture.svelte';
import Source from './Source.svelte';
import Versions from './Versions.svelte';

const props = {
  path: 'a.yaml',
  text: 'key: [',
  typing: {
    typed: () => {},
    save: () => {},
    undo: () => {},
    redo: () => {},
    complete: () => Promise.resolve({ from: 0, to: 0, options: [] }),
  },
};
const broken = { line: 36, message: '`]` is missing.' };

it('says of text that cannot be read where and why, and which picture is shown', async () => {
  const { rerender } = render(Source, { ...props, unsaved: true, broken });
  const status = screen.getByTestId('source-status');
  expect(status).toHaveTextContent(/not saved yet. It cannot be read as a workflow; .* Line 36: ] is missing\.$/);
  expect(status).toHaveTextContent('the picture shows the last text that could be read');
  await rerender({ ...props, unsaved: false, broken });
  expect(status).toHaveTextContent(/^It cannot be read/);
  await rerender({ ...props, unsaved: true, broken: null });
  expect(status).toHaveTextContent('The picture shows what it would be.');
});

/** The editor that is on screen. */
function editor(): EditorView {
  const found = EditorView.findFromDOM(screen.getByTestId('source').querySelector<HTMLElement>('.cm-editor')!);
  if (!found) throw new Error('no editor');
  return found;
}

it('offers what mends a problem where it stands, and shows what it quotes without its marks', () => {
  const run = vi.fn();
  const mark = { line: 1, column: 1, endLine: 1, endColumn: 4, severity: 'error' as const, message: 'No step `go`' };
  render(Source, { ...props, marks: [{ ...mark, fix: { label: 'Fix: Change to go_on', run } }] });
  const found: Diagnostic[] = [];
  forEachDiagnostic(editor().state, (one) => found.push(one));
  const [one] = found;
  const said = document.createElement('p');
  said.append(one?.renderMessage?.(editor()) ?? '');
  expect(said.textContent).toBe('No step go');
  expect(said.querySelector('code')?.textContent).toBe('go');
  expect(one?.actions?.map(({ name }) => name)).toEqual(['Fix: Change to go_on']);
  one?.actions?.[0]?.apply(editor(), 0, 3);
  expect(run).toHaveBeenCalledOnce();
});

it('takes back what was typed here, and then what was done to the file', async () => {
  const typing = { ...props.typing, typed: vi.fn(), save: vi.fn(), undo: vi.fn(), redo: vi.fn() };
  const { rerender } = render(Source, { ...props, typing });
  const keys = (key: string) => fireEvent.keyDown(editor().contentDOM, { key, ctrlKey: true });
  editor().dispatch({ changes: { from: 0, insert: '# ' }, userEvent: 'input.type' });
  await keys('z');
  expect(typing.undo).not.toHaveBeenCalled();
  expect(editor().state.doc.toString()).toBe('key: [');
  await keys('z');
  expect(typing.undo).toHaveBeenCalledOnce();
  // What the file has become is no typing of anybody: the next one goes to the file again.
  await rerender({ ...props, typing, text: 'key: a' });
  expect(editor().state.doc.toString()).toBe('key: a');
  await keys('z');
  expect(typing.undo).toHaveBeenCalledTimes(2);
  expect(editor().state.doc.toString()).toBe('key: a');
});

it('makes again what was taken back of the file where nothing was taken back here', async () => {
  const typing = { ...props.typing, typed: vi.fn(), save: vi.fn(), undo: vi.fn(), redo: vi.fn() };
  render(Source, { ...props, typing });
  await fireEvent.keyDown(editor().contentDOM, { key: 'y', ctrlKey: true });
  expect(typing.redo).toHaveBeenCalledOnce();
});

it('offers what can be written where somebody types, and writes what is chosen', async () => {
  // The list is placed beside the cursor, and nothing has a place here.
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList;
  const options = [
    { label: 'routing', text: 'routing: ', detail: 'What follows' },
    { label: 'role', text: 'role: ', detail: '' },
  ];
  const complete = vi.fn((_text: string, at: number) => Promise.resolve({ from: at - 2, to: at, options }));
  render(Source, { ...props, text: '', typing: { ...props.typing, complete } });
  const view = editor();
  view.focus();
  view.dispatch({ changes: { from: 0, insert: 'ro' }, selection: { anchor: 2 }, userEvent: 'input.type' });
  await vi.waitFor(() => expect(completionStatus(view.state)).toBe('active'));
  expect(complete).toHaveBeenCalledWith('ro', 2);
  expect(currentCompletions(view.state).map((one) => [one.label, one.detail])).toEqual([
    ['role', undefined],
    ['routing', 'What follows'],
  ]);
  await vi.waitFor(() => {
    acceptCompletion(view);
    expect(view.state.doc.toString()).toBe('role: ');
  });
  // The value of the field is asked for at once.
  await vi.waitFor(() => expect(complete).toHaveBeenLastCalledWith('role: ', 6));
});

it('stays as it is while the file is looked at again', async () => {
  const view = { path: 'a.yaml', text: 'key: a' };
  const { rerender } = render(Viewed, { view, typing: props.typing });
  const before = editor();
  await rerender({ view: { ...view, text: 'key: b' }, typing: props.typing });
  expect(editor()).toBe(before);
  expect(before.state.doc.toString()).toBe('key: b');
});

it('counts the lines of an excerpt as its file does', () => {
  const texts = { path: 'a.yaml', left: 'max: 7\n⋯\nname: A\n', right: 'max: 3\n⋯\nname: B\n' };
  const labels = { leftLabel: 'Mine', rightLabel: 'Theirs' };
  const counted = (side: string) =>
    [...document.querySelectorAll(`.cm-merge-${side} .cm-lineNumbers .cm-gutterElement`)]
      .filter((one) => (one as HTMLElement).style.visibility !== 'hidden')
      .map((one) => one.textContent);
  const numbers = { left: [36, null, 40], right: [36, null, 41] };
  const { unmount } = render(Versions, { ...texts, ...labels, numbers });
  expect(counted('a')).toEqual(['36', '', '40', '']);
  expect(counted('b')).toEqual(['36', '', '41', '']);
  unmount();
  // A whole text is counted from its beginning.
  render(Versions, { ...texts, ...labels });
  expect(counted('a')).toEqual(['1', '2', '3', '4']);
});
