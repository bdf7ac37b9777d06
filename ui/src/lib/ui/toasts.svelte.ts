import type { ApiError, Severity } from '$lib/api/errors';

export interface Toast {
  id: number;
  severity: Severity | 'success';
  text: string;
  hint?: string | null;
  action?: { label: string; href: string };
}

const STAYS_MS = 6_000;
/** More at a time nobody reads; errors are never pushed out. */
const AT_MOST = 3;

/** What is told over everything. Errors stay until dismissed; the rest leaves by itself. */
class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  show(toast: Omit<Toast, 'id'>): number {
    const id = this.#next++;
    const calm = this.list.filter((one) => one.severity !== 'error');
    if (calm.length >= AT_MOST) this.list = this.list.filter((one) => one !== calm[0]);
    this.list.push({ id, ...toast });
    if (toast.severity !== 'error') setTimeout(() => this.dismiss(id), STAYS_MS);
    return id;
  }

  success(text: string, action?: Toast['action']): void {
    this.show({ severity: 'success', text, action });
  }

  info(text: string, action?: Toast['action']): void {
    this.show({ severity: 'info', text, action });
  }

  error(error: ApiError): void {
    // The same complaint twice is one complaint.
    if (this.list.some((toast) => toast.text === error.message)) return;
    this.show({ severity: error.severity, text: error.message, hint: error.hint });
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
