/** `letter.md`: a person knows a file by its name; the whole path is on hover. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The folder a file stands in, without that of its run, which says nothing to anybody. */
export const folderOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf('/'))).replace(/^\.gatehouse\/runs\/[^/]+\/?/, '');
