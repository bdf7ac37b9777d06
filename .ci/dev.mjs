// `npm run dev`: the window with pages that reload as they are edited. A change in Rust needs a new start.
import { hasDisplay } from './lib/display.mjs';
import * as packages from './lib/packages.mjs';
import { keep, path, root } from './lib/programs.mjs';
import { main, say, Steps, Stop } from './lib/say.mjs';
import { npm, tools } from './lib/setup.mjs';

const ADDRESS = 'http://127.0.0.1:5173';

await main(async () => {
  if (!hasDisplay()) {
    throw new Stop(
      'npm run dev needs a display.',
      'Without one: cargo run -p cli -- serve, and npx vite ui beside it.',
    );
  }
  const steps = new Steps(4);
  await steps.run('System packages', () => packages.install(packages.desktop));
  await steps.run('Node and Rust', () => tools());
  await steps.run('npm packages', npm);
  const env = { ...process.env, PATH: path };
  const pages = keep(['vite', 'ui'], { env, stdio: 'inherit' });
  await steps.run('Pages of the window', async () => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      if (
        await fetch(ADDRESS).then(
          (answer) => answer.ok,
          () => false,
        )
      )
        return ADDRESS;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Stop(
      `Vite did not serve the pages at ${ADDRESS}.`,
      'Another program may use this port; the lines above say so.',
    );
  });
  say('The window opens when the program is built.');
  // Without the custom-protocol feature the window loads its pages from Vite.
  const words = process.argv.slice(2);
  const program = keep(
    ['cargo', 'run', '-p', 'gatehouse-desktop', '--', ...(words.length > 0 ? words : ['workflows'])],
    { cwd: root, env, stdio: 'inherit' },
  );
  const code = await program.gone;
  await pages.stop();
  return code ?? 0;
});
