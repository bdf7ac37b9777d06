/**
 * How well something fits what is looked for: every word has to stand in its title or its keywords as it is typed. Where all of them begin
 * words of the title, it comes first.
 */
export function fits(value: string, looked: string, keywords: string[] = []): number {
  const title = value.toLowerCase();
  const all = [title, ...keywords].join(' ').toLowerCase();
  const words = looked.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => all.includes(word))) return 0;
  const parts = title.split(/[^\p{L}\p{N}]+/u);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1;
  return words.every((word) => title.includes(word)) ? 0.6 : 0.3;
}
