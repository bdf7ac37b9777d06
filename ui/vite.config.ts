import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin } from 'vite';

const pdfjs = fileURLToPath(new URL('../node_modules/pdfjs-dist', import.meta.url));

/**
 * What pdf.js fetches by its name when a document needs it, below `pdf/` with their licences: tables of letters, the fonts that a document
 * may use without holding them, and the reader of JPEG 2000 (as a script: the content security policy allows no WebAssembly).
 */
function pdfFiles(): Plugin {
  const below = (folder: string) => readdirSync(join(pdfjs, folder)).map((name) => `${folder}/${name}`);
  const wasm = below('wasm').filter((name) => name.endsWith('.js') || name.includes('OPENJPEG'));
  const names = ['LICENSE', ...below('cmaps'), ...below('standard_fonts'), ...wasm];
  return {
    name: 'pdf-files',
    generateBundle() {
      for (const name of names)
        this.emitFile({ type: 'asset', fileName: `pdf/${name}`, source: readFileSync(join(pdfjs, name)) });
    },
    configureServer({ middlewares }) {
      middlewares.use('/pdf/', (request, answer, next) => {
        const name = request.url?.slice(1) ?? '';
        if (!names.includes(name)) return next();
        if (name.endsWith('.js')) answer.setHeader('Content-Type', 'text/javascript');
        answer.end(readFileSync(join(pdfjs, name)));
      });
    },
  };
}

// Run as `vite build ui` from the project's root; the output in ui/dist is embedded in the window and in `gatehouse serve`.
export default defineConfig({
  plugins: [svelte({ configFile: fileURLToPath(new URL('./svelte.config.js', import.meta.url)) }), pdfFiles()],
  resolve: { alias: { $lib: fileURLToPath(new URL('./src/lib', import.meta.url)) } },
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: '127.0.0.1', fs: { allow: ['..'] } },
  build: {
    target: ['safari16.4', 'chrome111'],
    // Fonts must stay files: the content security policy allows no data: fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'codemirror', test: /node_modules[\\/](@codemirror|@lezer|codemirror)/ },
            { name: 'flow', test: /node_modules[\\/](@xyflow|d3-)/ },
          ],
        },
      },
    },
  },
});
