import { beforeEach, expect, it, vi } from 'vitest';
import { keep, take } from './clipboard';

const parts = ['id: a', 'id: b'];
const copied = { path: 'a.yaml', format: 'stepwise' as const, text: 'id: a\nid: b\n', parts, together: false };
const clipboard = { writeText: vi.fn(), readText: vi.fn() };

beforeEach(() => {
  vi.stubGlobal('navigator', { clipboard, language: 'en' });
  clipboard.writeText.mockReset();
  clipboard.readText.mockReset();
});

it('pastes the steps that were copied here where the clipboard still holds their text', async () => {
  expect(await keep(copied)).toBe(true);
  expect(clipboard.writeText).toHaveBeenCalledWith(copied.text);
  clipboard.readText.mockResolvedValue('id: a\r\nid: b');
  expect(await take(false)).toEqual({ copied });
});

it('pastes what was copied elsewhere since then', async () => {
  await keep(copied);
  clipboard.readText.mockResolvedValue('id: other\n');
  expect(await take(false)).toEqual({ text: 'id: other\n' });
});

it('remembers what was copied where the clipboard cannot be read, or be written', async () => {
  await keep(copied);
  clipboard.readText.mockRejectedValue(new Error('not allowed'));
  expect(await take(false)).toEqual({ copied });
  clipboard.writeText.mockRejectedValue(new Error('not allowed'));
  clipboard.readText.mockResolvedValue('older');
  expect(await keep(copied)).toBe(false);
  expect(await take(false)).toEqual({ copied });
});

it('takes what the web view hands over by its own event, which needs no permission', async () => {
  clipboard.writeText.mockResolvedValue(undefined);
  await keep(copied);
  const taken = take(true);
  const paste = Object.assign(new Event('paste', { bubbles: true, cancelable: true }), {
    clipboardData: { getData: () => 'id: handed' },
  });
  document.body.dispatchEvent(paste);
  expect(await taken).toEqual({ text: 'id: handed' });
  expect(paste.defaultPrevented).toBe(true);
  expect(clipboard.readText).not.toHaveBeenCalled();
});

it('pastes nothing from a clipboard that holds no text, whatever was copied here before', async () => {
  clipboard.writeText.mockResolvedValue(undefined);
  await keep(copied);
  clipboard.readText.mockResolvedValue(' \n');
  expect(await take(false)).toBeNull();
  // A picture: the web view hands over no text.
  clipboard.readText.mockResolvedValue('');
  const taken = take(true);
  const paste = Object.assign(new Event('paste', { bubbles: true, cancelable: true }), {
    clipboardData: { getData: () => '' },
  });
  document.body.dispatchEvent(paste);
  expect(await taken).toBeNull();
});
