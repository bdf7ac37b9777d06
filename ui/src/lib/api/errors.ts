import { HostUnreachable } from '$lib/host';
import { messages } from '$lib/ui/messages';

/** How bad it is for the person in front of the window. */
export type Severity = 'info' | 'warning' | 'error';
/** Where it is told: over everything, beside what was touched, or instead of the view that could not be shown. */
export type Presentation = 'toast' | 'inline' | 'page';

/** Every failed call arrives as one of these; clients branch on `code`, never on text. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: string;
  readonly hint: string | null;
  /** Of a form: what is wrong with each answer, by the name of its question. */
  readonly fields: Record<string, string>;

  constructor(code: string, message: string, hint: string | null = null, fields: Record<string, string> = {}) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.fields = fields;
  }

  get severity(): Severity {
    return rowOf(this.code).severity;
  }

  get presentation(): Presentation {
    return rowOf(this.code).presentation;
  }
}

interface Row {
  severity: Severity;
  presentation: Presentation;
}

const UNKNOWN: Row = { severity: 'error', presentation: 'toast' };

/**
 * The one table from error code to how it is shown; the words come from the backend, which knows what happened.
 * A code `family:detail` that has no row of its own is shown like its family.
 */
export const TABLE: Record<string, Row> = {
  // somebody was faster, or the domain says no: told where it was tried
  'refused:already_answered': { severity: 'info', presentation: 'inline' },
  refused: { severity: 'warning', presentation: 'inline' },
  invalid_workflow: { severity: 'warning', presentation: 'inline' },
  invalid_inputs: { severity: 'warning', presentation: 'inline' },
  // there is nothing to show
  not_found: { severity: 'warning', presentation: 'page' },
  unreachable: { severity: 'error', presentation: 'page' },
  unauthorised: { severity: 'error', presentation: 'page' },
  // a script of the pages is not there
  not_loaded: { severity: 'error', presentation: 'inline' },
  // the machine is in the way: it may pass
  store_locked: { severity: 'warning', presentation: 'toast' },
  disk_full: { severity: 'error', presentation: 'toast' },
  read_only: { severity: 'warning', presentation: 'toast' },
  // a fault of ours
  bad_parameters: { severity: 'error', presentation: 'toast' },
  unknown_command: { severity: 'error', presentation: 'toast' },
  internal: { severity: 'error', presentation: 'toast' },
};

function rowOf(code: string): Row {
  return TABLE[code] ?? TABLE[code.split(':')[0] ?? ''] ?? UNKNOWN;
}

/** Turns whatever was thrown into an ApiError, keeping code and hint when the backend sent them. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof HostUnreachable) {
    return new ApiError('unreachable', messages.errors.unreachable, messages.errors.unreachableHint);
  }
  if (isErrorBody(thrown)) {
    return new ApiError(thrown.code, thrown.message, thrown.hint ?? null, thrown.fields);
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError('internal', text || messages.errors.unknown, messages.errors.unknownHint);
}

function isErrorBody(
  value: unknown,
): value is { code: string; message: string; hint?: string | null; fields?: Record<string, string> } {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { code?: unknown }).code === 'string' &&
    typeof (value as { message?: unknown }).message === 'string'
  );
}
