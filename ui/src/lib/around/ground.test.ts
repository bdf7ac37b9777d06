import { describe, expect, it } from 'vitest';
import { unseenWords } from './ground';

/** A page of 100 by 100 points, white, with what is painted on it. */
function page(paint: (at: (x: number, y: number, value: number) => void) => void = () => {}) {
  const data = new Uint8ClampedArray(100 * 100 * 4).fill(255);
  paint((x, y, value) => data.fill(value, (y * 100 + x) * 4, (y * 100 + x) * 4 + 3));
  return { width: 100, height: 100, data } as ImageData;
}
/** Its own y goes up. */
const VIEW = [1, 0, 0, 1, 0, 0].map((one, i) => (i === 3 ? -one : i === 5 ? 100 : one));
const word = (str: string, x: number, y: number) =>
  ({ str, transform: [10, 0, 0, 10, x, y], width: 30, height: 10 }) as never;
const found = (painted: ImageData, ...items: never[]) => unseenWords({ items }, painted, VIEW);

describe('words of which nothing is to be seen', () => {
  it('stand on one colour: white on white, drawn as nothing, covered', () => {
    const seen = page((at) => at(25, 45, 0));
    expect(found(seen, word('Seen', 20, 50), word('Unseen', 20, 80), word(' ', 20, 80))).toEqual(['Unseen']);
    const covered = page((at) => {
      for (let x = 0; x < 100; x += 1) for (let y = 0; y < 100; y += 1) at(x, y, 0);
    });
    expect(found(covered, word('Covered', 20, 50))).toEqual(['Covered']);
  });

  it('are none that differ from their ground, however they are called: on a scanned page there is its picture', () => {
    expect(
      found(
        page((at) => at(30, 46, 200)),
        word('Grey', 20, 50),
      ),
    ).toEqual([]);
    expect(
      found(
        page((at) => at(30, 46, 250)),
        word('Nearly white', 20, 50),
      ),
    ).toEqual(['Nearly white']);
  });

  it('are those beyond the edge, and turned ones are looked for where they stand', () => {
    expect(found(page(), word('Outside', 200, 50))).toEqual(['Outside']);
    const up = { str: 'Up', transform: [0, 10, -10, 0, 50, 20], width: 30, height: 10 } as never;
    expect(
      found(
        page((at) => at(45, 60, 0)),
        up,
      ),
    ).toEqual([]);
    expect(
      found(
        page((at) => at(70, 60, 0)),
        up,
      ),
    ).toEqual(['Up']);
  });
});
