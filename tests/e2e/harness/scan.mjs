// A step that makes a PDF document and a picture, about which somebody decides. It is looked at in a browser and in the real window, whose
// pages have a scheme of their own: what draws a PDF document works beside the page, and is fetched in another way there.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';

export const scan = { path: 'scan.yaml', pdf: 'contract.pdf', picture: 'seal.png', last: 'Payment is due in 30 days.' };
const FLOW = `key: scan
title: "Scan a contract"

steps:
  - id: scan
    agents: [scanner]
    outputs: [${scan.pdf}, ${scan.picture}]
    human_gate: required
    gate_question: "May it be signed?"
    routing: { kind: terminal }
`;

/** Puts the workflow into a sandbox's project, with who does its work. */
export async function addScan({ project }) {
  const config = join(project, 'gatehouse.yaml');
  const text = await readFile(config, 'utf8');
  await writeFile(
    config,
    text.replace('\nagents:\n', '\nagents:\n  scanner: { engine: shell, run: "cp scanned/* ." }\n'),
  );
  await writeFile(join(project, scan.path), FLOW);
  await mkdir(join(project, 'scanned'));
  await writeFile(join(project, 'scanned', scan.pdf), contract());
  await writeFile(join(project, 'scanned', scan.picture), seal());
}

/** Runs in the page: how many dark points are drawn of each page of the document, and of the picture. */
export function ink() {
  const dark = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let points = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] < 100 && data[i + 3] > 0) points += 1;
    return points;
  };
  const pages = [...document.querySelectorAll('[data-testid="pdf-page"]')].map((page) => {
    const canvas = page.querySelector('canvas');
    return canvas ? dark(canvas) : 0;
  });
  const image = document.querySelector('[data-testid="picture"]');
  if (!image?.complete) return { pages, picture: 0 };
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext('2d').drawImage(image, 0, 0);
  return { pages, picture: dark(canvas) };
}

/** Pages with words, in a font that is not part of the document; the last one is far from the first. */
function contract() {
  const words = (text) => {
    const drawn = `BT /F 24 Tf 72 720 Td (${text}) Tj ET`;
    return `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`;
  };
  const lines = ['The supplier delivers.', 'It says what is delivered,', 'and when it is delivered.', scan.last];
  const kids = lines.map((_, i) => 4 + 2 * i);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${lines.length} /Kids [${kids.map((n) => `${n} 0 R`).join(' ')}] /MediaBox [0 0 595 842] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...lines.flatMap((line, i) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${kids[i] + 1} 0 R /Resources << /Font << /F 3 0 R >> >> >>`,
      words(line),
    ]),
  ];
  let text = '%PDF-1.7\n';
  const table = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table.join('')}trailer\n<< /Root 1 0 R /Size ${size} >>\nstartxref\n${text.length}\n%%EOF\n`;
}

/** A black picture of 40 by 20 points. */
function seal() {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.from([0, 0, 0, 40, 0, 0, 0, 20, 8, 0, 0, 0, 0]);
  const rows = deflateSync(Buffer.alloc(20 * 41));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}
