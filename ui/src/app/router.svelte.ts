import { parseAddress, type Route } from './address';

export { to, type Route } from './address';

class Router {
  route = $state.raw<Route>(parseAddress(''));
  /** The address that the route was read from. */
  #read = '';

  start(): () => void {
    const read = () => this.#take();
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }

  go(address: string): void {
    location.hash = address;
    this.#take();
  }

  /**
   * Changes the address without a step in the history: for the playhead, tabs and selections. The page hears of a new address only a
   * moment after it stands there: whoever has gone elsewhere by then is not called back by what the old place still had to write.
   */
  replace(address: string): void {
    if (location.hash === this.#read) history.replaceState(history.state, '', address);
    this.#take();
  }

  #take(): void {
    this.#read = location.hash;
    this.route = parseAddress(location.hash);
  }
}

export const router = new Router();
