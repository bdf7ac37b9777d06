/** Whether a picture says of itself that it shows more than one after the other: a GIF or PNG by its blocks, a WebP by its flags. */
export function moves(bytes: Uint8Array): boolean {
  const letters = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (letters(0, 3) === 'GIF') return letters(0, 1_024).includes('NETSCAPE2.0');
  if (letters(8, 16) === 'WEBPVP8X') return ((bytes[20] ?? 0) & 2) !== 0;
  // What makes a PNG move stands before its first picture.
  const head = letters(0, 4_096);
  return letters(1, 4) === 'PNG' && head.includes('acTL') && !head.split('acTL')[0]?.includes('IDAT');
}
