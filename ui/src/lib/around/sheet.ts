import type { PDFPageProxy } from 'pdfjs-dist';
import type { TextContent } from 'pdfjs-dist/types/src/display/api';
import { unseenWords } from './ground';
import { library, type Sheet } from './pdf';

/** The largest canvas that every browser draws: pixels on a side, and in all. A larger one would stay blank in silence. */
const SIDE = 8_192;
const AREA = 1 << 24;

/** Pixels for each point of the screen's, of a page that takes so much room there. */
export function resolution(width: number, height: number, wanted: number): number {
  return Math.min(wanted, SIDE / width, SIDE / height, Math.sqrt(AREA / (width * height)));
}

/** A page that was drawn. */
export interface Drawn {
  /** False: something on it could not be read, and is missing. */
  whole: boolean;
  /** Words of it of which nothing is to be seen. */
  unseen: readonly string[];
}

/** A page that is being drawn. */
export interface Drawing {
  /** It stands there. */
  done: Promise<Drawn>;
  /** It is not wanted any more: it puts nothing where it was to stand, and `done` fails. */
  cancel(): void;
}

/** Draws a page, `scale` pixels of the screen for each of its points: what is seen, and over it its words, to be selected and read out. */
export function draw({ page, width, height }: Sheet, paper: HTMLElement, words: HTMLElement, scale: number): Drawing {
  const fine = scale * resolution(width * scale, height * scale, devicePixelRatio);
  const viewport = page.getViewport({ scale: fine });
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  const rendering = page.render({ canvas, viewport });
  let over = false;
  let stop = () => rendering.cancel();
  /** What was cancelled meanwhile comes to stand nowhere: another drawing, or none, is there by now. */
  const goesOn = () => {
    if (over) throw new Error('cancelled');
  };
  const drawn = async () => {
    await rendering.promise;
    goesOn();
    paper.replaceChildren(canvas);
    const { TextLayer } = await library();
    goesOn();
    const text = await textOf(page);
    goesOn();
    const container = document.createElement('div');
    const layer = new TextLayer({
      textContentSource: text,
      container,
      viewport: page.getViewport({ scale }),
    });
    stop = () => layer.cancel();
    await layer.render();
    goesOn();
    words.replaceChildren(container);
    const painted = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
    return { whole: isWhole(page), unseen: painted ? unseenWords(text, painted, viewport.transform) : [] };
  };
  return {
    done: drawn(),
    cancel: () => {
      over = true;
      stop();
    },
  };
}

/** The words of a page. pdf.js reads its own stream in a way that not every engine knows, so it is read piece by piece here. */
async function textOf(page: PDFPageProxy): Promise<TextContent> {
  const text: TextContent = { items: [], styles: {}, lang: null };
  const pieces = (page.streamTextContent() as ReadableStream<TextContent>).getReader();
  for (;;) {
    const { value, done } = await pieces.read();
    if (done) return text;
    text.lang ??= value.lang;
    Object.assign(text.styles, value.styles);
    text.items.push(...value.items);
  }
}

/** Takes away what was drawn, and what pdf.js keeps of it to draw it again (all of its pictures, unpacked). */
export function wipe({ page }: Sheet, paper: HTMLElement, words: HTMLElement): void {
  paper.replaceChildren();
  words.replaceChildren();
  page.cleanup();
}

/** pdf.js leaves out a picture that it cannot read, and draws a font that it cannot read as nothing. */
function isWhole({ objs, commonObjs }: PDFPageProxy): boolean {
  const held = [...(objs as Iterable<[string, unknown]>), ...(commonObjs as Iterable<[string, unknown]>)];
  return held.every(([, data]) => data !== null && typeof data !== 'string');
}
