/** The end of a run's id, to be read: its beginning is a time, and of all runs of a day nearly the same. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);
