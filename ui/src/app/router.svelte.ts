import { parseAddress, type Route } from './address';

export { to, type Route } from './address';

class Router {
  route = $state.raw<Route>(parseAddress(''));

  start(): () => void {
    const read = () => (this.route = parseAddress(location.hash));
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }

  go(address: string): void {
    location.hash = address;
  }

  /** Changes the address without a step in the history: for the playhead, tabs and selections. */
  replace(address: string): void {
    history.replaceState(history.state, '', address);
    this.route = parseAddress(address);
  }
}

export const router = new Router();
