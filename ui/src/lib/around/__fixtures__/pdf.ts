/** The text of a PDF document: its objects from number 1 on (the first is the catalog), with the table that says where each begins. */
export function pdfText(objects: readonly string[], trailer = ''): string {
  let text = '%PDF-1.7\n';
  const places = objects.map((one, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${one}\nendobj\n`;
    return at;
  });
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  const end = `trailer\n<< /Root 1 0 R /Size ${size} ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${table}${end}`;
}

export const stream = (text: string, entries = '') =>
  `<< /Length ${text.length} ${entries} >>\nstream\n${text}\nendstream`;

/** A document with a line of words on each page. `catalog`, `page`: entries of the catalog and of every page; `more`: objects that they name. */
export function pages(lines: readonly string[], catalog = '', page = '', more: readonly string[] = []): string[] {
  const first = 4 + more.length;
  const at = lines.map((_, i) => first + 2 * i);
  return [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Count ${lines.length} /Kids [${at.map((n) => `${n} 0 R`).join(' ')}] /MediaBox [0 0 595 842] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...more,
    ...lines.flatMap((line, i) => [
      `<< /Type /Page /Parent 2 0 R /Contents ${(at[i] ?? 0) + 1} 0 R /Resources << /Font << /F 3 0 R >> >> ${page} >>`,
      stream(`BT /F 24 Tf 72 720 Td (${line}) Tj ET`),
    ]),
  ];
}

/** The number that the first of `more` has. */
export const FIRST = 4;

export const base64 = (text: string): string => btoa(text);
