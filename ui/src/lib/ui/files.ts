/** `letter.md`: a person knows a file by its name; the whole path is on hover. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The same of a path on this computer, which may run Windows: there a backslash stands between folders, elsewhere it is a part of a name. */
export const localName = (path: string): string =>
  /^([A-Za-z]:|\\)\\/.test(path) ? path.slice(path.lastIndexOf('\\') + 1) : fileName(path);

/** The folder a file stands in, without that of its run, which says nothing to anybody. */
export const folderOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf('/'))).replace(/^\.gatehouse\/runs\/[^/]+\/?/, '');

/** What files are called beside each other: by their names, and those of one name with as much of their folders as tells them apart. */
export function apart(paths: readonly string[]): string[] {
  const all = paths.map((path) => [...folderOf(path).split('/').filter(Boolean), fileName(path)]);
  return all.map((own, at) => {
    let long = 1;
    const end = (parts: readonly string[]) => parts.slice(-long).join('/');
    while (long < own.length && all.some((other, i) => i !== at && end(other) === end(own))) long += 1;
    return end(own);
  });
}

/** A long name in the pieces that a line may end behind: at `/`, `_`, `-` and `.`, and not in the middle of a word. */
export const pieces = (name: string): string[] => name.match(/[^/_.-]*[/_.-]+|[^/_.-]+/g) ?? [];
