// Draws the program's icons from icons/icon.svg: PNGs, and the containers Windows and macOS ask for.
// Run after changing the drawing: `node .ci/icons.mjs`. The results are committed.
import { readFile, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const folder = new URL('../icons/', import.meta.url);
const drawing = await readFile(new URL('icon.svg', folder), 'utf8');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

/** The drawing as a square PNG with a transparent ground, `size` pixels wide. */
async function png(size) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(`<style>*{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${drawing}`);
  const bytes = await page.screenshot({ omitBackground: true });
  await page.close();
  return bytes;
}

const sizes = new Map();
for (const size of [16, 32, 48, 64, 128, 256, 512]) sizes.set(size, await png(size));
await browser.close();

/** An .ico file: a directory of PNGs (allowed since Windows Vista). */
function ico(widths) {
  const head = Buffer.alloc(6 + 16 * widths.length);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(widths.length, 4);
  let offset = head.length;
  widths.forEach((width, i) => {
    const at = 6 + 16 * i;
    head.writeUInt8(width % 256, at);
    head.writeUInt8(width % 256, at + 1);
    head.writeUInt16LE(1, at + 4);
    head.writeUInt16LE(32, at + 6);
    head.writeUInt32LE(sizes.get(width).length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += sizes.get(width).length;
  });
  return Buffer.concat([head, ...widths.map((width) => sizes.get(width))]);
}

/** An .icns file: tagged PNGs, big-endian lengths that count their own header. */
function icns(tags) {
  const parts = Object.entries(tags).map(([tag, width]) => {
    const head = Buffer.from(`${tag}\0\0\0\0`, 'latin1');
    head.writeUInt32BE(8 + sizes.get(width).length, 4);
    return Buffer.concat([head, sizes.get(width)]);
  });
  const body = Buffer.concat(parts);
  const head = Buffer.from('icns\0\0\0\0', 'latin1');
  head.writeUInt32BE(8 + body.length, 4);
  return Buffer.concat([head, body]);
}

const files = {
  '32x32.png': sizes.get(32),
  '128x128.png': sizes.get(128),
  '128x128@2x.png': sizes.get(256),
  '512x512.png': sizes.get(512),
  'icon.ico': ico([16, 32, 48, 64, 256]),
  'icon.icns': icns({ ic11: 32, ic12: 64, ic07: 128, ic08: 256, ic09: 512 }),
};
for (const [name, bytes] of Object.entries(files)) await writeFile(new URL(name, folder), bytes);
console.log(`Wrote ${Object.keys(files).length} icons to icons/.`);
