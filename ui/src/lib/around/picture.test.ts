import { useHost, type ArtifactView } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import { fireEvent, render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import Artifact from './Artifact.svelte';
import { moves } from './moves';
import { resolution } from './sheet';

const letters = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
const artifact: ArtifactView = {
  path: 'out/scan.png',
  bytes: 2_048,
  digest: 'aa11',
  kind: 'picture',
  html: null,
  changes: null,
  differs_on_disk: false,
};

let made: Blob[] = [];
const revoked = vi.fn();
beforeEach(() => {
  made = [];
  revoked.mockReset();
  URL.createObjectURL = (blob) => `blob:${made.push(blob as Blob)}`;
  URL.revokeObjectURL = revoked;
});
afterEach(() => vi.unstubAllGlobals());

async function show() {
  useHost(new FakeHost().on('run.file.bytes', () => ({ media: 'image/png', base64: btoa('\x89PNG') })));
  const ondrawn = vi.fn();
  const page = render(Artifact, { artifact, run: 'run-1', ondrawn });
  const image = await screen.findByRole('img', { name: 'scan.png' });
  return { ondrawn, page, image };
}

describe('a picture', () => {
  it('counts as shown when it has loaded and was on the screen, says its size, and is seen at full size', async () => {
    const { ondrawn, page, image } = await show();
    expect(made[0]).toMatchObject({ type: 'image/png', size: 4 });
    expect(ondrawn).not.toHaveBeenCalled();
    Object.defineProperties(image, { naturalWidth: { value: 1_200 }, naturalHeight: { value: 800 } });
    await fireEvent.load(image);
    await vi.waitFor(() => expect(ondrawn).toHaveBeenCalledOnce());
    expect(screen.getByTestId('picture-size')).toHaveTextContent('1,200 × 800 pixels · 2 kB');
    const full = screen.getByRole('button', { name: 'Full size' });
    await userEvent.click(full);
    expect(full).toHaveAttribute('aria-pressed', 'true');
    await userEvent.click(image);
    expect(full).toHaveAttribute('aria-pressed', 'false');
    page.unmount();
    expect(revoked).toHaveBeenCalledWith('blob:1');
  });

  it('below the end of the screen does not count as shown', async () => {
    const told: boolean[] = [];
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(readonly tell: (seen: unknown[]) => void) {}
        observe(target: Element) {
          told.push(target.nextElementSibling !== null);
          this.tell([{ isIntersecting: told.at(-1), intersectionRatio: told.at(-1) ? 1 : 0, target }]);
        }
        disconnect() {}
      },
    );
    const { ondrawn, image } = await show();
    await fireEvent.load(image);
    await vi.waitFor(() => expect(told).toEqual([true, false]));
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it('that is damaged says so and does not count as drawn', async () => {
    const { ondrawn, image } = await show();
    await fireEvent.error(image);
    expect(screen.getByTestId('artifact-not-shown')).toHaveTextContent('This picture is damaged');
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it.each([
    ['GIF89a....NETSCAPE2.0', true],
    ['GIF89a....', false],
    ['RIFF....WEBPVP8X....\x02', true],
    ['RIFF....WEBPVP8X....\x10', false],
    ['\x89PNG....IHDR....acTL....IDAT', true],
    ['\x89PNG....IHDR....IDAT..acTL', false],
  ])('%j moves: %j', (text, is) => expect(moves(letters(text))).toBe(is));
});

describe('the canvas of a page', () => {
  it('has the pixels of the screen, and never more than a browser draws', () => {
    expect(resolution(800, 1_100, 2)).toBe(2);
    // A strip, a poster.
    for (const [width, height] of [
      [800, 60_000],
      [6_000, 6_000],
    ] as const) {
      const fine = resolution(width, height, 2);
      expect(Math.max(width, height) * fine).toBeLessThanOrEqual(8_192);
      expect(width * height * fine ** 2).toBeLessThanOrEqual((1 << 24) + 1);
      expect(fine).toBeGreaterThan(0);
    }
  });
});
