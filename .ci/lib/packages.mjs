// The Debian packages Gatehouse needs. The lists are the single place where they are named.
import { must, ask } from './programs.mjs';
import { Stop } from './say.mjs';

/** To build the desktop program and run it. */
export const desktop = [
  'build-essential',
  'pkg-config',
  'libwebkit2gtk-4.1-dev',
  'libgtk-3-dev',
  'librsvg2-dev',
  'libayatana-appindicator3-dev',
  'libxdo-dev',
  'libssl-dev',
];

/** To show it on a machine without a display, and take a picture of it. */
export const virtualDisplay = [
  'xvfb',
  'xauth',
  'imagemagick',
  'dbus',
  'dbus-x11',
  'at-spi2-core',
  'libegl1',
  'libgl1-mesa-dri',
  'libgles2',
  'fonts-dejavu-core',
];

/** To drive it, and the same pages in a browser, from tests; to read what a browser prints. */
export const tests = ['webkit2gtk-driver', 'xdotool', 'chromium', 'poppler-utils'];

/** Those of `names` that dpkg does not report as installed. */
export function missing(names) {
  return names.filter((name) => ask('dpkg-query', '-W', '-f', '${db:Status-Status}', name) !== 'installed');
}

/** Installs what is missing, or stops with the one line that does. */
export async function install(names) {
  if (process.platform !== 'linux') return 'not Linux: nothing to install';
  if (ask('dpkg-query', '--version') === null) return `not a Debian system: taking for granted ${names.join(' ')}`;
  const wanted = missing(names);
  if (wanted.length === 0) return `all ${names.length} are there`;

  const sudo = process.getuid() === 0 ? [] : ['sudo', '-n'];
  if (sudo.length > 0 && ask('sudo', '-n', 'true') === null) {
    throw new Stop(
      `${wanted.length} Debian packages are missing, and installing them needs your password.`,
      `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${wanted.join(' ')}`,
    );
  }
  const apt = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=120'];
  const hint = 'Check that the Debian mirrors in /etc/apt can be reached, then run this again.';
  await must('apt-update', [...apt, 'update'], hint);
  await must('apt-install', [...apt, 'install', '-y', '--no-install-recommends', ...wanted], hint);
  const still = missing(wanted);
  if (still.length > 0)
    throw new Stop(`apt-get ended well, yet these packages are not there: ${still.join(' ')}`, hint);
  return `installed ${wanted.length}: ${wanted.join(' ')}`;
}
