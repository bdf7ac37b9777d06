/** Whether a text holds every word that was typed, in any order and case. */
export function holds(text: string, query: string): boolean {
  const hay = text.toLocaleLowerCase();
  return query
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => hay.includes(word));
}
