import '@testing-library/jest-dom/vitest';
import { vi } from 'vitest';

// Files share a process, because starting one and loading jsdom into it takes longer than most files need. Each begins
// with modules of its own, so nothing that one keeps in a variable reaches the next, and with an untouched page.
vi.resetModules();
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllGlobals();
if (typeof window !== 'undefined') {
  for (const element of [document.documentElement, document.head, document.body]) {
    for (const { name } of [...element.attributes]) element.removeAttribute(name);
  }
  document.head.replaceChildren();
  document.body.replaceChildren();
  document.title = '';
  localStorage.clear();
  sessionStorage.clear();
  history.replaceState(null, '', '/');
}

// What jsdom does not have and a browser does. Pure tests run without a page at all.
if (typeof window !== 'undefined') {
  window.matchMedia ??= ((query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => {},
    removeEventListener: () => {},
  })) as unknown as typeof window.matchMedia;
  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  // Nothing is laid out here: all of it is on the screen.
  globalThis.IntersectionObserver ??= class {
    readonly #told: IntersectionObserverCallback;
    constructor(told: IntersectionObserverCallback) {
      this.#told = told;
    }
    observe(target: Element) {
      const seen = { isIntersecting: true, intersectionRatio: 1, target } as IntersectionObserverEntry;
      this.#told([seen], this as unknown as IntersectionObserver);
    }
    unobserve() {}
    disconnect() {}
  } as unknown as typeof IntersectionObserver;
  Element.prototype.scrollIntoView ??= () => {};
  Element.prototype.scrollTo ??= () => {};
}
