/** Every place of the window has an address; notifications, tests and colleagues open it. */
export type Route =
  | { view: 'inbox'; run: string | null; gate: string | null; round: number | null }
  | { view: 'library'; make: 'pipeline' | 'workflow' | null }
  | { view: 'workflow'; path: string; tab: string | null; step: string | null }
  | { view: 'run'; id: string; at: number | null; step: string | null; ask: 'resume' | null }
  | { view: 'runs' }
  | { view: 'compare'; left: string | null; right: string | null }
  | { view: 'evidence'; run: string | null; show: string | null }
  | { view: 'report'; run: string }
  | { view: 'session'; path: string | null; run: string | null }
  | { view: 'settings'; at?: 'agents' | 'people' | 'rules' }
  | { view: 'unknown'; address: string };

export function parseAddress(hash: string): Route {
  const address = hash.replace(/^#?\/?/, '');
  const [path = '', query = ''] = splitOnce(address, '?');
  const [view = '', ...rest] = path.split('/').map(decode);
  const params = new URLSearchParams(query);
  const first = rest[0] ?? '';
  switch (view) {
    case '':
    case 'inbox':
      return {
        view: 'inbox',
        run: first || null,
        gate: rest.slice(1).join('/') || null,
        round: wholeNumber(params.get('round')),
      };
    case 'library': {
      const make = params.get('new');
      return { view: 'library', make: make === 'pipeline' || make === 'workflow' ? make : null };
    }
    case 'workflow':
      if (rest.join('') !== '') {
        return { view: 'workflow', path: rest.join('/'), tab: params.get('tab'), step: params.get('step') };
      }
      break;
    case 'run':
      if (first) {
        return {
          view: 'run',
          id: first,
          at: wholeNumber(params.get('at')),
          step: params.get('step'),
          ask: params.get('ask') === 'resume' ? 'resume' : null,
        };
      }
      break;
    case 'compare':
      return { view: 'compare', left: first || null, right: rest[1] || null };
    case 'runs':
      return { view: 'runs' };
    case 'evidence':
      return { view: 'evidence', run: first || null, show: params.get('show') };
    case 'report':
      if (first) return { view: 'report', run: first };
      break;
    case 'session': {
      const of = rest.slice(1).join('/');
      if (of && first === 'file') return { view: 'session', path: of, run: null };
      if (first === 'dropped') return { view: 'session', path: null, run: null };
      if (of && first === 'run') return { view: 'session', path: null, run: of };
      break;
    }
    case 'settings': {
      const at = params.get('at');
      return at === 'agents' || at === 'people' || at === 'rules' ? { view: 'settings', at } : { view: 'settings' };
    }
  }
  return { view: 'unknown', address: `#/${address}` };
}

/** The addresses, each the inverse of `parseAddress`. */
export const to = {
  /** Without a round: the latest one. */
  inbox: (run?: string, gate?: string, round?: number): string =>
    run && gate ? `#/inbox/${encodeURIComponent(run)}/${encodeURIComponent(gate)}${query({ round })}` : '#/inbox',
  /** With what is to be made: its dialog is open. */
  library: (make?: 'pipeline' | 'workflow'): string => `#/library${query({ new: make })}`,
  workflow: (path: string, at: { tab?: string; step?: string } = {}): string =>
    `#/workflow/${path.split('/').map(encodeURIComponent).join('/')}${query(at)}`,
  run: (id: string, at: { at?: number; step?: string; ask?: 'resume' } = {}): string =>
    `#/run/${encodeURIComponent(id)}${query(at)}`,
  runs: (): string => '#/runs',
  /** Two runs beside each other; without the second, or both: they are chosen there. */
  compare: (left?: string, right?: string): string =>
    ['#/compare', left, right]
      .filter((part) => part !== undefined)
      .map((part, i) => (i ? encodeURIComponent(part) : part))
      .join('/'),
  /** Of one run, or of all; `show`: one record, brought into view. */
  evidence: (of: { run?: string; show?: string } = {}): string =>
    `#/evidence${of.run ? `/${encodeURIComponent(of.run)}` : ''}${query({ show: of.show })}`,
  report: (run: string): string => `#/report/${encodeURIComponent(run)}`,
  /** The session that stands in a file. */
  session: (path: string): string => `#/session/file/${path.split('/').map(encodeURIComponent).join('/')}`,
  /** A run as a session. */
  sessionOf: (run: string): string => `#/session/run/${encodeURIComponent(run)}`,
  /** A session that was dropped on the window. */
  dropped: (): string => '#/session/dropped',
  /** `at`: the part that is brought into view; the rules have a page of their own. */
  settings: (at?: 'agents' | 'people' | 'rules'): string => `#/settings${query({ at })}`,
};

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

function query(values: Record<string, string | number | undefined>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined) params.set(key, String(value));
  const text = params.toString();
  return text ? `?${text}` : '';
}
