import type { TextContent } from 'pdfjs-dist/types/src/display/api';

/** A difference that nobody sees: of 255 steps of a colour. */
const ALIKE = 16;

type Matrix = readonly number[];
type Painted = Pick<ImageData, 'width' | 'height' | 'data'>;

/**
 * Words of a page of which nothing is to be seen where they stand: written in the colour of their ground, drawn as nothing, covered, or
 * beyond the edge. What was drawn is looked at, not how: the words that lie unseen over a scanned page stand where it shows them.
 * Words that share their place with something that is seen are not found.
 */
export function unseenWords({ items }: Pick<TextContent, 'items'>, painted: Painted, viewport: Matrix): string[] {
  return items.flatMap((one) => {
    if (!('str' in one) || one.str.trim() === '' || !(one.height > 0 && one.width > 0)) return [];
    return isPlain(painted, boxOf(one, viewport)) ? [one.str.trim()] : [];
  });
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where it stands, in points of what is painted, with what reaches below its line. */
function boxOf(of: { transform: Matrix; width: number; height: number }, viewport: Matrix): Box {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = of.transform;
  const [along, up] = [of.width / (Math.hypot(a, b) || 1), of.height / (Math.hypot(c, d) || 1)];
  const [va = 1, vb = 0, vc = 0, vd = 1, ve = 0, vf = 0] = viewport;
  const corners = [0, along].flatMap((x) =>
    [-0.2 * up, up].map((y) => {
      const [px, py] = [e + a * x + c * y, f + b * x + d * y];
      return [va * px + vc * py + ve, vb * px + vd * py + vf] as const;
    }),
  );
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    left: Math.floor(Math.min(...xs)),
    right: Math.ceil(Math.max(...xs)),
    top: Math.floor(Math.min(...ys)),
    bottom: Math.ceil(Math.max(...ys)),
  };
}

/** All of it has one colour, or it lies beyond the edge. */
function isPlain({ width, height, data }: Painted, box: Box): boolean {
  const [left, right] = [Math.max(0, box.left), Math.min(width, box.right)];
  const [top, bottom] = [Math.max(0, box.top), Math.min(height, box.bottom)];
  const [least, most] = [
    [255, 255, 255],
    [0, 0, 0],
  ];
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = (y * width + x) * 4;
      for (let part = 0; part < 3; part += 1) {
        const value = data[at + part] ?? 0;
        if (value < (least[part] ?? 0)) least[part] = value;
        if (value > (most[part] ?? 0)) most[part] = value;
        if ((most[part] ?? 0) - (least[part] ?? 0) > ALIKE) return false;
      }
    }
  }
  return true;
}
