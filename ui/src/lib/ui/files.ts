/** `letter.md`: a person knows a file by its name; the whole path is on hover. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The same of a path on this computer, which may run Windows: there a backslash stands between folders, elsewhere it is a part of a name. */
export const localName = (path: string): string =>
  /^([A-Za-z]:|\\)\\/.test(path) ? path.slice(path.lastIndexOf('\\') + 1) : fileName(path);

/** The folder a file stands in, without that of its run, which says nothing to anybody. */
export const folderOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf('/'))).replace(/^\.gatehouse\/runs\/[^/]+\/?/, '');
