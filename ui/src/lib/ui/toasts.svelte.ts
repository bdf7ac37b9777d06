import type { ApiError, Severity } from '$lib/api/errors';

export interface Toast {
  id: number;
  severity: Severity | 'success';
  text: string;
  hint?: string | null;
  /** What can be done about it: a place to go to, a file to keep, or something that is done at once. */
  action?: { label: string; href: string; download?: boolean } | { label: string; run: () => void };
}

const STAYS_MS = 6_000;
/** What leads somewhere is read, and then gone to. */
const STAYS_WITH_LINK_MS = 12_000;
/** More at a time nobody reads; errors are never pushed out. */
const AT_MOST = 3;

/** What is told over everything. Errors, and what offers to do something, stay until dismissed; the rest leaves by itself. */
class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;
  readonly #leaving = new Map<number, ReturnType<typeof setTimeout>>();

  show(toast: Omit<Toast, 'id'>): number {
    const id = this.#next++;
    // The same words again take the place of those that stand there.
    this.withdraw(toast.text);
    const calm = this.list.filter((one) => !stays(one));
    if (calm[0] && calm.length >= AT_MOST) this.dismiss(calm[0].id);
    this.list.push({ id, ...toast });
    this.release(id);
    return id;
  }

  success(text: string, action?: Toast['action']): void {
    this.show({ severity: 'success', text, action });
  }

  /** The toast that says it: whoever told it takes it away once it holds no more. */
  info(text: string, action?: Toast['action']): number {
    return this.show({ severity: 'info', text, action });
  }

  /** The toast that says it: whoever complained takes it away once it holds no more. */
  error(error: ApiError): number {
    // The same complaint twice is one complaint.
    const said = this.list.find((toast) => toast.text === error.message);
    return said?.id ?? this.show({ severity: error.severity, text: error.message, hint: error.hint });
  }

  /** What these words say does not hold any more. */
  withdraw(text: string): void {
    for (const one of this.list) if (one.text === text) this.dismiss(one.id);
  }

  /** It is looked at: it does not leave meanwhile. */
  hold(id: number): void {
    clearTimeout(this.#leaving.get(id));
    this.#leaving.delete(id);
  }

  /** It leaves by itself, unless it stays: nobody looks at it any more. */
  release(id: number): void {
    this.hold(id);
    const toast = this.list.find((one) => one.id === id);
    if (!toast || stays(toast)) return;
    const time = toast.action ? STAYS_WITH_LINK_MS : STAYS_MS;
    this.#leaving.set(
      id,
      setTimeout(() => this.dismiss(id), time),
    );
  }

  dismiss(id: number): void {
    this.hold(id);
    this.list = this.list.filter((toast) => toast.id !== id);
  }
}

const stays = ({ severity, action }: Omit<Toast, 'id'>) => severity === 'error' || (action && 'run' in action);

export const toasts = new Toasts();
