import { useHost, type ArtifactView } from '$lib/api';
import { FakeHost } from '$lib/host/fake';
import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type ArtifactCard from './Artifact.svelte';
import { base64, FIRST, pages, pdfText, stream } from './__fixtures__/pdf';

/** Here is no canvas: what is drawn is told, and everything else is pdf.js itself. */
const drawing = vi.hoisted(() => ({ page: vi.fn<(n: number) => Promise<boolean>>(), unseen: [] as string[] }));
vi.mock('./sheet', async (original) => ({
  ...(await original<object>()),
  draw: ({ n }: { n: number }, paper: HTMLElement, words: HTMLElement) => ({
    done: drawing.page(n).then((whole) => {
      paper.replaceChildren(document.createElement('canvas'));
      words.textContent = `words of ${n}`;
      return { whole, unseen: drawing.unseen };
    }),
    cancel: () => {},
  }),
}));

/** What each page is watched in. */
let roots: (Element | null)[] = [];
let near: ((n: number, is: boolean) => void) | null = null;
/** Which places of pages are on the screen. */
let onScreen: (mark: Element) => boolean = () => true;
/** Documents whose coming near the view is told by the test. */
let far: (() => void)[] | null = null;
let Artifact: typeof ArtifactCard;

beforeEach(async () => {
  const watched = new Map<Element, (seen: unknown[]) => void>();
  roots = [];
  onScreen = () => true;
  far = null;
  drawing.unseen = [];
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(
        readonly told: (seen: unknown[]) => void,
        { root }: { root: Element | null },
      ) {
        roots.push(root);
      }
      observe(element: Element) {
        watched.set(element, this.told);
        const come = () => this.told([{ isIntersecting: true, intersectionRatio: 1, target: element }]);
        if (element.matches('.pdf') && !far) come();
        else if (element.matches('.pdf')) far?.push(come);
        // A place on a page: whether it is on the screen is known at once.
        if (element.matches('.mark'))
          this.told([
            { isIntersecting: onScreen(element), intersectionRatio: onScreen(element) ? 1 : 0, target: element },
          ]);
      }
      disconnect() {}
    },
  );
  near = (n, is) => {
    const element = screen.getAllByTestId('pdf-page')[n - 1];
    if (element) watched.get(element)?.([{ isIntersecting: is, intersectionRatio: is ? 1 : 0 }]);
  };
  // pdf.js takes both for granted, and works in this very page without a worker.
  vi.stubGlobal('DOMMatrix', globalThis.DOMMatrix ?? class {});
  await import('pdfjs-dist/legacy/build/pdf.worker.mjs' as string);
  ({ default: Artifact } = await import('./Artifact.svelte'));
  drawing.page.mockReset().mockResolvedValue(true);
});
afterEach(() => vi.unstubAllGlobals());

const file = (over: Partial<ArtifactView> = {}): ArtifactView => ({
  path: 'out/contract.pdf',
  bytes: 900,
  digest: 'aa11',
  kind: 'pdf',
  html: null,
  changes: null,
  differs_on_disk: false,
  ...over,
});

/** `around`: what it is shown in. */
function show(text: string, around: HTMLElement = document.body) {
  const host = new FakeHost().on('run.file.bytes', () => ({ media: 'application/pdf', base64: base64(text) }));
  useHost(host);
  const [ondrawn, onattached] = [vi.fn(), vi.fn()];
  render(Artifact, { target: around, props: { artifact: file(), run: 'run-1', ondrawn, onattached } });
  return { host, ondrawn, onattached };
}

/** Something that scrolls. */
function scroller(): HTMLElement {
  const around = document.body.appendChild(document.createElement('div'));
  around.style.overflowY = 'auto';
  return around;
}

describe('a PDF document', () => {
  it('is drawn page by page as each comes near, and counts as drawn when all of them are', async () => {
    const { host, ondrawn } = show(pdfText(pages(['First', 'Second'])));
    await vi.waitFor(() => expect(screen.getAllByTestId('pdf-page')).toHaveLength(2));
    expect(host.called('run.file.bytes')).toEqual([{ run_id: 'run-1', path: 'out/contract.pdf', digest: 'aa11' }]);
    expect(screen.getByRole('group', { name: 'Page 2 of 2' })).toBeVisible();
    expect(screen.getByTestId('pdf-pages')).toHaveTextContent('2 pages · 0 shown so far');
    expect(drawing.page).not.toHaveBeenCalled();
    near?.(1, true);
    await vi.waitFor(() => expect(screen.getByTestId('pdf-pages')).toHaveTextContent('1 shown so far'));
    expect(ondrawn).not.toHaveBeenCalled();
    near?.(1, false);
    near?.(2, true);
    await vi.waitFor(() => expect(ondrawn).toHaveBeenCalledOnce());
    expect(screen.getByTestId('pdf-pages')).toHaveTextContent(/^2 pages$/);
    // What is far away takes no memory, and stays drawn.
    expect(screen.getByRole('group', { name: 'Page 1 of 2' }).querySelector('canvas')).toBeNull();
    expect(screen.queryByTestId('pdf-beside')).toBeNull();
  });

  it('counts no page of which a part was never on the screen', async () => {
    onScreen = (mark) => mark.nextElementSibling !== null;
    const { ondrawn } = show(pdfText(pages(['First'])));
    await screen.findByTestId('pdf-page');
    near?.(1, true);
    await vi.waitFor(() =>
      expect(screen.getByRole('group', { name: 'Page 1 of 1' }).querySelector('canvas')).toBeTruthy(),
    );
    expect(screen.getByTestId('pdf-pages')).toHaveTextContent('0 shown so far');
    expect(ondrawn).not.toHaveBeenCalled();
    // Its end comes to the screen when it is drawn once more.
    onScreen = (mark) => mark.nextElementSibling === null;
    near?.(1, false);
    near?.(1, true);
    await vi.waitFor(() => expect(ondrawn).toHaveBeenCalledOnce());
  });

  it('leads to the first page that was passed without being drawn', async () => {
    show(pdfText(pages(['First', 'Second', 'Third'])));
    await vi.waitFor(() => expect(screen.getAllByTestId('pdf-page')).toHaveLength(3));
    expect(screen.queryByTestId('pdf-next')).toBeNull();
    near?.(1, true);
    near?.(3, true);
    const next = await screen.findByRole('button', { name: 'Go to page 2, which was not shown yet' });
    const second = screen.getByRole('group', { name: 'Page 2 of 3' });
    second.scrollIntoView = vi.fn();
    await userEvent.click(next);
    expect(second.scrollIntoView).toHaveBeenCalledOnce();
    near?.(2, true);
    await vi.waitFor(() => expect(screen.queryByTestId('pdf-next')).toBeNull());
  });

  it('is watched in what scrolls it, whatever that becomes', async () => {
    const around = scroller();
    show(pdfText(pages(['First'])), around);
    await screen.findByTestId('pdf-page');
    expect(roots.at(-1)).toBe(around);
    // At 200 % the window is too low for it: something else scrolls.
    around.style.overflowY = 'visible';
    vi.stubGlobal('innerHeight', 400);
    window.dispatchEvent(new Event('resize'));
    await vi.waitFor(() => expect(roots.at(-1)).toBeNull());
    around.remove();
  });

  it('is larger and smaller, and fits again', async () => {
    show(pdfText(pages(['First'])));
    await screen.findByTestId('pdf-page');
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Larger' }));
    expect(screen.getByText('125 %')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Fit to the width' }));
    expect(screen.getByText('100 %')).toBeVisible();
  });

  it('that is made larger stays where it is read', async () => {
    const around = scroller();
    show(pdfText(pages(['First', 'Second', 'Third'])), around);
    await vi.waitFor(() => expect(screen.getAllByTestId('pdf-page')).toHaveLength(3));
    // Here nothing is laid out: the pages stand under each other, as high as they say.
    const all = () => screen.getAllByTestId('pdf-page');
    const height = (page: Element) => parseFloat((page as HTMLElement).style.height);
    const place = vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      const at = all().indexOf(this as HTMLElement);
      if (at < 0) return new DOMRect(0, 0, 0, 0);
      const above = all()
        .slice(0, at)
        .reduce((sum, page) => sum + height(page), 0);
      return new DOMRect(0, above - around.scrollTop, 1, height(this));
    });
    const [page] = all();
    // In the middle of a page, and where one begins.
    for (const at of [1.5, 1, 0]) {
      around.scrollTop = at * height(page!);
      await userEvent.click(screen.getByRole('button', { name: 'Larger' }));
      expect(around.scrollTop / height(page!)).toBeCloseTo(at);
      await userEvent.click(screen.getByRole('button', { name: 'Fit to the width' }));
      expect(around.scrollTop / height(page!)).toBeCloseTo(at);
    }
    place.mockRestore();
    around.remove();
  });

  it('names what its pages may not show', async () => {
    const names = `/Names << /EmbeddedFiles << /Names [(prices) ${FIRST} 0 R] >> >>`;
    const layers = `/OCProperties << /OCGs [${FIRST + 2} 0 R] /D << /OFF [${FIRST + 2} 0 R] >> >>`;
    const acts = '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>';
    const more = [
      `<< /Type /Filespec /F (prices.xlsx) /EF << /F ${FIRST + 1} 0 R >> >>`,
      stream('abc', '/Type /EmbeddedFile'),
      '<< /Type /OCG /Name (Draft) >>',
      '<< /Type /Annot /Subtype /Text /Rect [9 9 20 20] /T (Ann) /Contents (Is this agreed?) >>',
      '<< /Type /Annot /Subtype /Link /Rect [9 9 20 20] /A << /S /URI /URI (https://example.org/) >> >>',
      '<< /Type /Annot /Subtype /Screen /Rect [9 9 20 20] >>',
      '<< /Type /Annot /Subtype /Widget /FT /Tx /T (price) /V (9000) /Rect [9 9 20 20] >>',
    ];
    const annots = `/Annots [${[3, 4, 5, 6].map((n) => `${FIRST + n} 0 R`).join(' ')}]`;
    const form = `/AcroForm << /Fields [${FIRST + 6} 0 R] >>`;
    show(pdfText(pages(['First'], `${names} ${layers} ${acts} ${form}`, annots, more)));
    const beside = within(await screen.findByTestId('pdf-beside'));
    expect(beside.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      'An attached file, which is not shown: prices.xlsx (3 bytes) Save a copy…',
      '1 layer is switched off: Draft',
      'Films, sounds or models, which are not played, on page 1',
      'Scripts, which are not run',
      'A link, which leads nowhere here: https://example.org/',
      'In the field price on page 1: 9000',
      'A note of Ann on page 1: Is this agreed?',
    ]);
  });

  it('with a file attached is never shown whole, and the file is saved as it is', async () => {
    const names = `/Names << /EmbeddedFiles << /Names [(prices) ${FIRST} 0 R] >> >>`;
    const more = [
      `<< /Type /Filespec /F (prices.xlsx) /EF << /F ${FIRST + 1} 0 R >> >>`,
      stream('abc', '/Type /EmbeddedFile'),
    ];
    const { host, ondrawn, onattached } = show(pdfText(pages(['First'], names, '', more)));
    await vi.waitFor(() => expect(onattached).toHaveBeenCalledExactlyOnceWith(1));
    near?.(1, true);
    await vi.waitFor(() => expect(screen.getByTestId('pdf-pages')).toHaveTextContent(/^1 page$/));
    const save = await screen.findByRole('button', { name: 'Save a copy of prices.xlsx…' });
    // In a browser it is fetched from the page itself.
    URL.createObjectURL = vi.fn(() => 'blob:1');
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
    await userEvent.click(save);
    expect(click.mock.instances[0]).toMatchObject({ download: 'prices.xlsx' });
    click.mockRestore();
    // In the window a dialog asks where to.
    Object.assign(host, { pickSave: vi.fn(async () => '/home/ada/prices.xlsx') });
    host.on('run.file.save', () => ({ path: '/home/ada/prices.xlsx', bytes: 3 }));
    await userEvent.click(save);
    await vi.waitFor(() =>
      expect(host.called('run.file.save')).toEqual([
        {
          run_id: 'run-1',
          path: 'out/contract.pdf',
          digest: 'aa11',
          to: '/home/ada/prices.xlsx',
          attached: btoa('abc'),
        },
      ]),
    );
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it('says what prints and is not on the screen, and the other way round', async () => {
    const usage = (state: string) => `/Usage << /Print << /PrintState /${state} >> >>`;
    const look = (n: number) => `/AP << /N ${FIRST + n} 0 R >> /Rect [9 9 90 90]`;
    const layers =
      `/OCProperties << /OCGs [${FIRST} 0 R ${FIRST + 1} 0 R ${FIRST + 2} 0 R] ` + `/D << /OFF [${FIRST} 0 R] >> >>`;
    const more = [
      `<< /Type /OCG /Name (Copy) ${usage('ON')} >>`,
      `<< /Type /OCG /Name (Draft) ${usage('OFF')} >>`,
      '<< /Type /OCG /Name (Plan) >>',
      stream('', '/Type /XObject /Subtype /Form /BBox [0 0 81 81]'),
      // Print; NoView and Print; Hidden; neither of them.
      `<< /Type /Annot /Subtype /Stamp /F 4 ${look(3)} >>`,
      `<< /Type /Annot /Subtype /Stamp /F 36 /Contents (VOID) ${look(3)} >>`,
      `<< /Type /Annot /Subtype /Square /F 2 ${look(3)} >>`,
      `<< /Type /Annot /Subtype /Stamp /F 0 /Contents (Seen) ${look(3)} >>`,
    ];
    const annots = `/Annots [${[4, 5, 6, 7].map((n) => `${FIRST + n} 0 R`).join(' ')}]`;
    show(pdfText(pages(['First'], layers, annots, more)));
    const beside = within(await screen.findByTestId('pdf-beside'));
    expect(beside.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      '1 layer prints and is not on the screen: Copy',
      '1 layer is on the screen and does not print: Draft',
      'Prints, not on the screen: stamp on page 1: VOID',
      'Hidden, neither on the screen nor in print: mark on page 1',
      'On the screen, does not print: stamp on page 1: Seen',
      'A note on page 1: VOID',
      'A note on page 1: Seen',
    ]);
  });

  it('says which words nobody sees, and is shown when that was on the screen', async () => {
    drawing.unseen = ['Without', 'limit.'];
    onScreen = (mark) => mark.closest('[data-testid="pdf-beside"]') === null;
    const { ondrawn } = show(pdfText(pages(['First'])));
    await screen.findByTestId('pdf-page');
    near?.(1, true);
    expect(await screen.findByTestId('pdf-beside')).toHaveTextContent(
      'Words on page 1 of which nothing is to be seen there: Without limit.',
    );
    expect(ondrawn).not.toHaveBeenCalled();
    // They come to the screen; what is said below is looked for once more when it changes.
    onScreen = () => true;
    drawing.unseen = ['Without', 'any', 'limit.'];
    near?.(1, false);
    near?.(1, true);
    await vi.waitFor(() => expect(ondrawn).toHaveBeenCalledOnce());
  });

  it('names the first of many links, and all of them on demand, before it counts as shown', async () => {
    const more = Array.from(
      { length: 60 },
      (_, i) => `<< /Type /Annot /Subtype /Link /Rect [9 9 20 20] /A << /S /URI /URI (https://example.org/${i}) >> >>`,
    );
    const annots = `/Annots [${more.map((_, i) => `${FIRST + i} 0 R`).join(' ')}]`;
    const { ondrawn } = show(pdfText(pages(['First'], '', annots, more)));
    const beside = within(await screen.findByTestId('pdf-beside'));
    near?.(1, true);
    await vi.waitFor(() => expect(screen.getByTestId('pdf-pages')).toHaveTextContent(/^1 page$/));
    expect(beside.getAllByRole('listitem')).toHaveLength(50);
    expect(ondrawn).not.toHaveBeenCalled();
    await userEvent.click(beside.getByRole('button', { name: 'Show all: 10 more' }));
    expect(beside.getAllByRole('listitem')).toHaveLength(60);
    await vi.waitFor(() => expect(ondrawn).toHaveBeenCalledOnce());
  });

  it('is not even asked for before it comes near the view', async () => {
    far = [];
    const { host } = show(pdfText(pages(['First'])));
    await vi.waitFor(() => expect(far).toHaveLength(1));
    expect(host.called('run.file.bytes')).toEqual([]);
    far[0]?.();
    await screen.findByTestId('pdf-page');
    expect(host.called('run.file.bytes')).toHaveLength(1);
  });

  it('has pages that a single huge one does not shrink', async () => {
    const objects = pages(['First', 'Second', 'Third']);
    const huge = objects.map((one, i) =>
      i === objects.length - 2 ? one.replace('/Type /Page ', '/Type /Page /MediaBox [0 0 14000 14000] ') : one,
    );
    show(pdfText(huge));
    await vi.waitFor(() => expect(screen.getAllByTestId('pdf-page')).toHaveLength(3));
    const widths = screen.getAllByTestId('pdf-page').map((one) => parseFloat(one.style.width));
    expect(widths[2]).toBeCloseTo(widths[0]!);
  });

  it.each([
    ['asks for a password', [pages(['Secret']), locked()], /asks for a password/],
    ['is damaged', [[], ''], /is damaged and cannot be drawn/],
    [
      'is a form that only scripts draw',
      [pages(['Please wait'], xfa(), '', [stream('<xdp/>')]), ''],
      /is a form \(XFA\)/,
    ],
    ['has no pages', [pages([]), ''], /has no pages/],
  ] as const)('that %s says so and does not count as drawn', async (_, [objects, trailer], words) => {
    const { ondrawn } = show(objects.length > 0 ? pdfText(objects, trailer) : '%PDF-1.7\nnothing\n');
    expect(await screen.findByTestId('artifact-not-shown')).toHaveTextContent(words);
    expect(screen.getByRole('button', { name: 'Save a copy…' })).toBeVisible();
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it('of which a page cannot be drawn is drawn as far as it goes, says so and does not count as drawn', async () => {
    drawing.page.mockRejectedValueOnce(new Error('a fault')).mockResolvedValue(true);
    const { host, ondrawn } = show(pdfText(pages(['First'])));
    await screen.findByTestId('pdf-page');
    near?.(1, true);
    expect(await screen.findByTestId('pdf-partly')).toHaveTextContent(/what cannot be read is not drawn/);
    await vi.waitFor(() => expect(host.called('run.file.bytes')).toHaveLength(2));
    await screen.findByTestId('pdf-page');
    near?.(1, true);
    await vi.waitFor(() => expect(screen.getByTestId('pdf-pages')).toHaveTextContent(/^1 page$/));
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it('of which a page is missing shows the others, says so and does not count as drawn', async () => {
    const objects = pages(['First', 'Second']);
    const { ondrawn } = show(pdfText(objects.map((one, i) => (i === objects.length - 2 ? 'null' : one))));
    expect(await screen.findByTestId('pdf-partly')).toBeVisible();
    await screen.findByTestId('pdf-page');
    near?.(1, true);
    await vi.waitFor(() => expect(screen.getByTestId('pdf-pages')).toHaveTextContent('2 pages · 1 shown so far'));
    expect(screen.queryByTestId('artifact-not-shown')).toBeNull();
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it('on which a picture is missing says so and does not count as drawn', async () => {
    drawing.page.mockResolvedValue(false);
    const { ondrawn } = show(pdfText(pages(['First'])));
    await screen.findByTestId('pdf-page');
    near?.(1, true);
    expect(await screen.findByTestId('pdf-partly')).toBeVisible();
    expect(ondrawn).not.toHaveBeenCalled();
  });

  it('says what stands in the way of its bytes', async () => {
    const said = 'This run knows no such file: out/contract.pdf.';
    useHost(
      new FakeHost().on('run.file.bytes', () => {
        throw { code: 'not_found', message: said };
      }),
    );
    render(Artifact, { artifact: file(), run: 'run-1' });
    expect(await screen.findByTestId('artifact-not-shown')).toHaveTextContent(said);
  });
});

/** A password that nobody knows: no password opens it. */
function locked(): string {
  const letters = 'x'.repeat(32);
  return `/ID [(a) (a)] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (${letters}) /U (${letters}) >>`;
}

function xfa(): string {
  return `/AcroForm << /Fields [] /XFA ${FIRST} 0 R >>`;
}
