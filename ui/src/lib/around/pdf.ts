import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import workerAddress from 'pdfjs-dist/legacy/build/pdf.worker.min.mjs?url';

/** A page, with its size in points as it is turned. */
export interface Sheet {
  readonly n: number;
  readonly width: number;
  readonly height: number;
  readonly page: PDFPageProxy;
}

/** A note that somebody wrote into the document, or what stands in a field of it. */
export interface Note {
  readonly page: number;
  /** Who wrote it, or the name of the field. */
  readonly by: string;
  readonly text: string;
}

/** Where something is to be seen: in print alone, on the screen alone, nowhere. */
export type Where = 'paper' | 'screen' | 'nowhere';

/** Something on a page that is not to be seen everywhere. */
export interface Apart {
  readonly where: Where;
  readonly kind: 'stamp' | 'words' | 'field' | 'mark';
  readonly page: number;
  /** Its words, as far as they are known. */
  readonly text: string;
}

/** A file that is attached. */
export interface Attached {
  readonly name: string;
  /** What it holds; null: that cannot be read. */
  readonly content: Uint8Array<ArrayBuffer> | null;
}

/** What a document holds besides what is drawn of its pages. */
export interface Beside {
  readonly files: readonly Attached[];
  /** Layers that are not to be seen everywhere, by their names. */
  readonly layers: readonly { readonly where: Where; readonly name: string }[];
  readonly apart: readonly Apart[];
  readonly notes: readonly Note[];
  /** A page shows a field as somebody last drew it, or not at all; what stands in it may be something else. */
  readonly fields: readonly Note[];
  /** Where links lead. */
  readonly links: readonly string[];
  /** Pages on which a film, a sound or a model would play. */
  readonly plays: readonly number[];
  /** It has scripts. */
  readonly scripts: boolean;
}

/** Why a document cannot be drawn: a password, a form that is drawn by scripts alone, no page, or what is missing here. */
export type Why = 'locked' | 'form' | 'empty' | 'program' | 'damaged';

export class Undrawable extends Error {
  readonly why: Why;
  constructor(why: Why, cause?: unknown) {
    super(why, { cause });
    this.why = why;
  }
}

const PLAYS = ['Screen', 'RichMedia', '3D', 'Movie', 'Sound'];
/** Read letter by letter, so that no script has to be put together (the content security policy allows none). */
const CAUTIOUS = { isEvalSupported: false, useWasm: false, enableXfa: false } as const;

/** pdf.js is large: it comes with the first PDF document. The build for older browsers knows WebKitGTK as well. */
export const library = () => import('pdfjs-dist/legacy/build/pdf.mjs');

/** Fonts and tables of letters that a document uses without holding them; they are part of the pages (ui/vite.config.ts). */
const folder = () => new URL(`${import.meta.env.BASE_URL}pdf/`, location.href).href;
const KINDS = { cMapUrl: 'cmaps/', standardFontDataUrl: 'standard_fonts/', wasmUrl: 'wasm/' } as const;

/** How long a worker has to put things away, in milliseconds: one that is at work on a hostile page for ever does not listen. */
const LEAVE_MS = 2_000;

/** Reads them here: the worker's own way knows http alone, and the window's pages have another scheme. */
class Fetched {
  async fetch({ kind, filename }: { kind: keyof typeof KINDS; filename: string }): Promise<Uint8Array> {
    const answer = await fetch(`${folder()}${KINDS[kind]}${filename}`);
    if (!answer.ok) throw new Error(`${filename}: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

/** A document that is open. */
export class Pdf {
  readonly #doc: PDFDocumentProxy;

  constructor(doc: PDFDocumentProxy) {
    this.#doc = doc;
  }

  get pages(): number {
    return this.#doc.numPages;
  }

  /** The pages, one after the other. */
  async *sheets(): AsyncGenerator<Sheet> {
    for (let n = 1; n <= this.pages; n += 1) {
      const page = await this.#doc.getPage(n);
      const { width, height } = page.getViewport({ scale: 1 });
      yield { n, width, height, page };
    }
  }

  async beside(): Promise<Beside> {
    const doc = this.#doc;
    const files = Object.values<FromPdf>((await doc.getAttachments()) ?? {}).map(attached);
    const [notes, fields, apart]: [Note[], Note[], Apart[]] = [[], [], []];
    const [links, plays] = [new Set<string>(), new Set<number>()];
    for (let n = 1; n <= this.pages; n += 1) {
      const page = await doc.getPage(n);
      // Also those that are not to be seen on a screen.
      for (const one of await page.getAnnotations({ intent: 'any' })) {
        const to: string | undefined = one.url ?? one.unsafeUrl;
        if (to) links.add(to);
        if (one.subtype === 'FileAttachment') files.push(attached(one.file ?? {}));
        if (PLAYS.includes(one.subtype)) plays.add(n);
        const where = whereOf(one);
        if (where) apart.push({ where, kind: KINDS_APART[one.subtype] ?? 'mark', page: n, text: wordsOf(one) });
        const text: string = one.contentsObj?.str?.trim() ?? '';
        // A popup repeats what it belongs to; of a link and of a field it is a hint.
        if (text && !['Popup', 'Link', 'Widget'].includes(one.subtype))
          notes.push({ page: n, by: one.titleObj?.str ?? '', text });
        if (!['Tx', 'Ch'].includes(one.fieldType)) continue;
        const value = [one.fieldValue].flat().filter(Boolean).join(', ');
        if (value) fields.push({ page: n, by: one.fieldName ?? '', text: value });
      }
    }
    return {
      files,
      layers: await this.#layers(),
      apart,
      notes,
      fields,
      links: [...links],
      plays: [...plays],
      scripts: await doc.hasJSActions(),
    };
  }

  /** What is drawn here is what a screen shows. A layer may say of itself that it prints, or not, whatever the screen shows. */
  async #layers(): Promise<Beside['layers']> {
    const groups = async (intent: 'display' | 'print') =>
      [...(await this.#doc.getOptionalContentConfig({ intent }))] as [string, Layer][];
    const print = new Map(await groups('print'));
    return (await groups('display')).flatMap(([id, { name, visible, usage }]) => {
      const says = usage?.print?.printState;
      const prints = says ? says === 'ON' : (print.get(id)?.visible ?? false);
      if (visible && prints) return [];
      return [{ where: visible ? 'screen' : prints ? 'paper' : 'nowhere', name: name ?? '' } as const];
    });
  }
}

interface Layer {
  readonly name: string | null;
  readonly visible: boolean;
  readonly usage?: { readonly print?: { readonly printState: 'ON' | 'OFF' } };
}

type FromPdf = { filename?: string; content?: Uint8Array<ArrayBuffer> | null };
const attached = ({ filename, content }: FromPdf): Attached => ({ name: filename ?? '', content: content ?? null });

/** Bits of what an annotation says of itself (ISO 32000, 12.5.3). */
const [INVISIBLE, HIDDEN, PRINT, NO_VIEW] = [1, 2, 4, 32];
const KINDS_APART: Partial<Record<string, Apart['kind']>> = { Stamp: 'stamp', FreeText: 'words', Widget: 'field' };
/** What they are on a page says nothing itself: a sign that something is there, which is named. */
const SIGNS = ['Popup', 'Link', 'Text', 'FileAttachment'];

/** An annotation, as pdf.js tells it. */
interface Annotation {
  readonly subtype: string;
  readonly annotationFlags?: number;
  readonly hasAppearance?: boolean;
  readonly contentsObj?: { readonly str?: string };
  readonly textContent?: readonly string[];
  readonly fieldName?: string;
}

/** Where it is to be seen alone; null: everywhere, or it shows nothing. */
function whereOf({ subtype, annotationFlags: flags = 0, hasAppearance }: Annotation): Where | null {
  if (!hasAppearance || SIGNS.includes(subtype)) return null;
  // `INVISIBLE` is said of kinds that a program does not know; a field is none of them.
  const shut = HIDDEN | (subtype === 'Widget' ? 0 : INVISIBLE);
  const screen = (flags & (shut | NO_VIEW)) === 0;
  const paper = (flags & shut) === 0 && (flags & PRINT) !== 0;
  if (screen === paper) return screen ? null : 'nowhere';
  return screen ? 'screen' : 'paper';
}

function wordsOf({ contentsObj, textContent, fieldName }: Annotation): string {
  return [contentsObj?.str, textContent?.join(' '), fieldName].map((one) => one?.trim()).find(Boolean) ?? '';
}

/**
 * Opens a document. `strict`: a page with a fault is not drawn at all; else what can be read of it is.
 * Nothing in it acts: its scripts are not run, and its links lead nowhere. It takes the bytes away.
 * `until`: it is closed then, also where it is being opened still.
 */
export async function openPdf(bytes: Uint8Array, strict: boolean, until: AbortSignal): Promise<Pdf> {
  const pdfjs = await library().catch((cause: unknown) => {
    throw new Undrawable('program', cause);
  });
  until.throwIfAborted();
  // Where there are no workers (the tests) it works in the page.
  const port = typeof Worker === 'undefined' ? null : new Worker(workerAddress, { type: 'module' });
  const worker = port ? pdfjs.PDFWorker.create({ port }) : undefined;
  const broken = new Promise<never>((_, reject) =>
    port?.addEventListener('error', (event) => reject(new Undrawable('program', event))),
  );
  const task = pdfjs.getDocument({
    ...CAUTIOUS,
    data: bytes,
    worker,
    stopAtErrors: strict,
    // What is drawn is the same on every machine.
    useSystemFonts: false,
    cMapUrl: `${folder()}${KINDS.cMapUrl}`,
    standardFontDataUrl: `${folder()}${KINDS.standardFontDataUrl}`,
    wasmUrl: `${folder()}${KINDS.wasmUrl}`,
    BinaryDataFactory: Fetched,
    useWorkerFetch: false,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  });
  const end = () => {
    const terminate = () => {
      clearTimeout(late);
      worker?.destroy();
      port?.terminate();
    };
    const late = setTimeout(terminate, LEAVE_MS);
    void task.destroy().then(terminate, terminate);
  };
  until.addEventListener('abort', end, { once: true });
  try {
    const doc = await Promise.race([task.promise, broken]);
    const info = (await doc.getMetadata()).info as { IsXFAPresent?: boolean; IsAcroFormPresent?: boolean };
    // Its one page only says that another program is needed.
    if (info.IsXFAPresent && !info.IsAcroFormPresent) throw new Undrawable('form');
    if (doc.numPages === 0) throw new Undrawable('empty');
    return new Pdf(doc);
  } catch (thrown) {
    end();
    if (thrown instanceof Undrawable) throw thrown;
    throw new Undrawable((thrown as Error).name === 'PasswordException' ? 'locked' : 'damaged', thrown);
  }
}
