import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Sheet } from './pdf';
import { draw, wipe } from './sheet';

/** pdf.js draws on a canvas, of which there is none here: what it is asked for is told, and it ends when the test says so. */
const layer = vi.hoisted(() => ({ end: () => {}, cancel: vi.fn() }));
vi.mock('./pdf', () => ({
  library: async () => ({
    TextLayer: class {
      constructor({ container }: { container: HTMLElement }) {
        container.textContent = 'words';
      }
      render = () => new Promise<void>((done) => (layer.end = done));
      cancel = layer.cancel;
    },
  }),
}));

let paper: HTMLElement;
let words: HTMLElement;
beforeEach(() => {
  [paper, words] = [document.createElement('div'), document.createElement('div')];
  layer.end = () => {};
  layer.cancel.mockReset();
});

function begin(objs: [string, unknown][] = []) {
  let painted = () => {};
  const promise = new Promise<void>((done) => (painted = done));
  const rendering = { promise, cancel: vi.fn() };
  const page = {
    getViewport: ({ scale }: { scale: number }) => ({ width: 100 * scale, height: 100 * scale }),
    render: () => rendering,
    streamTextContent: () =>
      new ReadableStream({
        start(pieces) {
          pieces.enqueue({ items: [], styles: {}, lang: null });
          pieces.close();
        },
      }),
    cleanup: vi.fn(),
    objs,
    commonObjs: [],
  };
  const sheet = { n: 1, width: 100, height: 100, page } as unknown as Sheet;
  return { painted, rendering, page, sheet, drawing: draw(sheet, paper, words, 1) };
}
const settled = () => new Promise((done) => setTimeout(done));

describe('a page that is drawn', () => {
  it.each([
    ['whole', [['img_1', {}]], true],
    ['without a picture that could not be read', [['img_1', null]], false],
  ] as [string, [string, unknown][], boolean][])('stands there %s with its words', async (_, objs, whole) => {
    const { painted, drawing } = begin(objs);
    painted();
    await settled();
    layer.end();
    expect(await drawing.done).toEqual({ whole, unseen: [] });
    expect(paper.querySelector('canvas')).not.toBeNull();
    expect(words).toHaveTextContent('words');
  });

  it('and goes in the moment in which it is done stands nowhere', async () => {
    const { painted, drawing, sheet } = begin();
    const failed = expect(drawing.done).rejects.toThrow();
    painted();
    drawing.cancel();
    wipe(sheet, paper, words);
    await failed;
    expect(paper).toBeEmptyDOMElement();
  });

  it('and goes while its words are read puts none', async () => {
    const { painted, drawing, sheet } = begin();
    const failed = expect(drawing.done).rejects.toThrow();
    painted();
    await settled();
    expect(paper).not.toBeEmptyDOMElement();
    drawing.cancel();
    expect(layer.cancel).toHaveBeenCalledOnce();
    wipe(sheet, paper, words);
    layer.end();
    await failed;
    expect([paper, words].map((one) => one.childElementCount)).toEqual([0, 0]);
  });

  it('takes no memory once it is far away: neither its canvas nor what pdf.js has unpacked of it', async () => {
    const { painted, drawing, page, sheet } = begin();
    painted();
    await settled();
    layer.end();
    await drawing.done;
    expect(page.cleanup).not.toHaveBeenCalled();
    wipe(sheet, paper, words);
    expect(page.cleanup).toHaveBeenCalledOnce();
    expect(paper).toBeEmptyDOMElement();
  });
});
