/** One thing that changed on the other side; `kind` says what, the rest says where. Narrowed by `$lib/api`. */
export interface RawNotice {
  kind: string;
  [field: string]: unknown;
}

/** Whether notices arrive. After `lost` comes `open` again: what happened in between must be asked for anew. */
export type LinkState = 'open' | 'lost';

/**
 * The only door to the backend. It moves values and knows none of their meanings:
 * no method names, no types of the API, no user interface.
 */
export interface Host {
  readonly kind: 'window' | 'http' | 'test';
  /** Answers with the method's result, or rejects with what the backend sent as its error. */
  rpc(method: string, params: unknown): Promise<unknown>;
  /** Batches of notices, in order. Returns the function that ends the subscription. */
  subscribe(onNotices: (batch: RawNotice[]) => void, onLink?: (state: LinkState) => void): () => void;
  /** Comes when this page will not be answered any more: the backend was started anew and expects another token. */
  readonly replaced?: Promise<void>;
  /** Lets the person choose another folder and opens a window on it. Absent where there is no folder chooser. */
  openFolder?(title: string): Promise<void>;
  /** Opens a window on a folder. Absent where there are no windows. */
  showFolder?(folder: string): Promise<void>;
  /** Lets the person choose a folder. Absent where there is no folder chooser. */
  pickFolder?(title: string): Promise<string | null>;
  /** Lets the person choose a file with one of these endings. Absent where there is no file chooser that tells where a file lies. */
  pickFile?(title: string, endings: string[]): Promise<string | null>;
  /** The system's "save as". Absent where there is none. */
  pickSave?(title: string, suggestedName: string): Promise<string | null>;
  /** Opens an address in the system's browser. */
  openExternal?(url: string): Promise<void>;
  /** Hands a text to the person as a file. Present where there is no save dialog. */
  download?(name: string, mime: string, text: string): void;
  /** Where a file can be fetched that the backend has just written at this path. Absent where the person has that folder before them. */
  written?(path: string): string;
}

/** The backend could not be reached at all: no answer, so no error of its own. */
export class HostUnreachable extends Error {
  override name = 'HostUnreachable';
}
