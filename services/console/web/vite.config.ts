import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const brotli = promisify(brotliCompress);
/** The highest quality, 11, takes ten times as long and saves 5% more. */
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
const encodings = { br: (content: Buffer) => brotli(content, { params }), gz: promisify(gzip) };

/** Writes a compressed copy beside each asset, which the server sends to browsers that accept it. */
function compressedAssets(): Plugin {
  return {
    name: 'compressed-assets',
    apply: 'build',
    writeBundle: async ({ dir = '' }, bundle) => {
      const assets = Object.keys(bundle).filter((name) => /\.(?:js|css)$/.test(name));
      for (const name of assets) {
        const path = join(dir, name);
        const content = await readFile(path);
        for (const [ending, compress] of Object.entries(encodings)) {
          await writeFile(`${path}.${ending}`, await compress(content));
        }
      }
    },
  };
}

/** Scripts, styles and images are separate files, because the content security policy allows none inside a page. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [compressedAssets()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2024',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Libraries contain the directive 'use client'. It has no meaning in this bundle, so the warning is left out.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log);
      },
    },
  },
});
