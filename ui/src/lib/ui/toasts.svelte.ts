import type { ApiError, Severity } from '$lib/api/errors';

export interface Toast {
  id: number;
  severity: Severity | 'success';
  text: string;
  hint?: string | null;
  /** What can be done about it: a place to go to, or something that is done at once. */
  action?: { label: string; href: string } | { label: string; run: () => void };
}

const STAYS_MS = 6_000;
/** More at a time nobody reads; errors are never pushed out. */
const AT_MOST = 3;

/** What is told over everything. Errors, and what offers to do something, stay until dismissed; the rest leaves by itself. */
class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  show(toast: Omit<Toast, 'id'>): number {
    const id = this.#next++;
    // The same words again take the place of those that stand there.
    this.list = this.list.filter((one) => one.text !== toast.text);
    const calm = this.list.filter((one) => !stays(one));
    if (calm.length >= AT_MOST) this.list = this.list.filter((one) => one !== calm[0]);
    this.list.push({ id, ...toast });
    if (!stays(toast)) setTimeout(() => this.dismiss(id), STAYS_MS);
    return id;
  }

  success(text: string, action?: Toast['action']): void {
    this.show({ severity: 'success', text, action });
  }

  info(text: string, action?: Toast['action']): void {
    this.show({ severity: 'info', text, action });
  }

  /** The toast that says it: whoever complained takes it away once it holds no more. */
  error(error: ApiError): number {
    // The same complaint twice is one complaint.
    const said = this.list.find((toast) => toast.text === error.message);
    return said?.id ?? this.show({ severity: error.severity, text: error.message, hint: error.hint });
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

const stays = ({ severity, action }: Omit<Toast, 'id'>) => severity === 'error' || (action && 'run' in action);

export const toasts = new Toasts();
