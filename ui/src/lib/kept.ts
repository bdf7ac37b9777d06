/**
 * Scenarios that somebody at this window made or kept. They are there to be tried as tests; what a rehearsal begins with by itself
 * stays what it was before. Nothing of a run depends on it, so it is kept with the window.
 */
const KEY = 'gatehouse.scenarios.own';
/** More than these nobody looks for. */
const AT_MOST = 200;

export const ownScenarios = {
  has(path: string): boolean {
    return read().includes(path);
  },
  add(path: string): void {
    const others = read().filter((one) => one !== path);
    localStorage.setItem(KEY, JSON.stringify([...others, path].slice(-AT_MOST)));
  },
};

function read(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
