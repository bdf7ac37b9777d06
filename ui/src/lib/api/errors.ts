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
  readonly details: unknown;

  constructor(code: string, message: string, hint: string | null = null, details: unknown = null) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.details = details;
  }

  get severity(): Severity {
    return (TABLE[this.code] ?? UNKNOWN).severity;
  }

  get presentation(): Presentation {
    return (TABLE[this.code] ?? UNKNOWN).presentation;
  }
}

interface Row {
  severity: Severity;
  presentation: Presentation;
}

const UNKNOWN: Row = { severity: 'error', presentation: 'toast' };

/** The one table from error code to how it is shown. The words come from the backend, which knows what happened. */
export const TABLE: Record<string, Row> = {
  // someone or something was faster: the person did nothing wrong
  already_answered: { severity: 'info', presentation: 'inline' },
  edit_conflict: { severity: 'warning', presentation: 'inline' },
  // asked for something the domain refuses
  refused: { severity: 'warning', presentation: 'inline' },
  invalid_params: { severity: 'error', presentation: 'toast' },
  invalid_workflow: { severity: 'warning', presentation: 'inline' },
  not_found: { severity: 'warning', presentation: 'page' },
  // the machine is in the way
  io: { severity: 'error', presentation: 'toast' },
  store: { severity: 'error', presentation: 'toast' },
  locked: { severity: 'warning', presentation: 'toast' },
  unreachable: { severity: 'error', presentation: 'page' },
  http_401: { severity: 'error', presentation: 'page' },
  internal: { severity: 'error', presentation: 'toast' },
};

/** Turns whatever was thrown into an ApiError, keeping code and hint when the backend sent them. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof HostUnreachable) {
    return new ApiError('unreachable', messages.errors.unreachable, messages.errors.unreachableHint);
  }
  if (isErrorBody(thrown)) {
    if (thrown.code === 'http_401') return new ApiError('http_401', messages.errors.token, messages.errors.tokenHint);
    return new ApiError(thrown.code, thrown.message, thrown.hint ?? null, thrown.details ?? null);
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError('internal', text || messages.errors.unknown, messages.errors.unknownHint);
}

function isErrorBody(
  value: unknown,
): value is { code: string; message: string; hint?: string | null; details?: unknown } {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { code?: unknown }).code === 'string' &&
    typeof (value as { message?: unknown }).message === 'string'
  );
}
