/* Two builds, both committed in vitviz/webapp/static: the modules of the page, which share a chunk, and with
   `--mode standalone` one self-contained module for the saved HTML file and the notebook widget.
   PAGES=train,explore builds only these modules. */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { minifySync, type Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const PAGES = ['explore', 'compare', 'train', 'internals', 'learn', 'masthead'];
const STANDALONE = 'standalone';
const PACKAGES = 'packages';
const PRINT_STYLES = 'src/lib/print.css'; // the last word
const SHARED_STYLES = ['src/lib/base.css', 'src/lib/matrix.css', 'src/lib/models.css'];

/** The style sheets of a page: those that pages share, then those of its folder. */
function stylesOf(page: string): string[] {
  const names = readdirSync(`src/${page}`).filter((name) => name.endsWith('.css'));
  const own = names.sort().map((name) => `src/${page}/${name}`);
  return own.length ? [...SHARED_STYLES, ...own, PRINT_STYLES] : [];
}

/** Emit the styles of each page as one file, unchanged: Gradio nests them and reads them as a template. */
function pageStyles(pages: readonly string[]): Plugin {
  return {
    name: 'page-styles',
    generateBundle() {
      for (const page of pages) {
        const source = stylesOf(page)
          .map((path) => readFileSync(path, 'utf-8'))
          .join('\n');
        if (!source) continue;
        if (/[\\`]/.test(source))
          this.error(`${page}.css contains a backslash or backtick, which Gradio would interpret`);
        this.emitFile({ type: 'asset', fileName: `${page}.css`, source });
      }
    },
  };
}

/** Minify the packages, which take half of the page; its own modules stay readable in the browser's tools. */
function minifyPackages(): Plugin {
  return {
    name: 'minify-packages',
    renderChunk: (code, { name, fileName }) => (name === PACKAGES ? minifySync(fileName, code).code : null),
  };
}

/** Remove modules of earlier builds. */
function removeStale(): Plugin {
  return {
    name: 'remove-stale',
    writeBundle({ dir = '' }, bundle) {
      for (const file of readdirSync(dir)) {
        const isBuilt = file.endsWith('.js') || file.endsWith('.css');
        if (isBuilt && !(file in bundle) && file !== `${STANDALONE}.js`) rmSync(join(dir, file));
      }
    },
  };
}

/** What needs a server, and is not rendered without one: left out of the saved HTML file and the notebook widget. */
const SERVED =
  /\/(Picker|Intro|ModelSelect|OnRequest|PixelToggle|ClassSearch|Contributions|Features|Patching)\.svelte$/;

function leaveOutServed(): Plugin {
  return {
    name: 'leave-out-served',
    enforce: 'pre',
    resolveId: (source) => (SERVED.test(source) ? '\0served' : null),
    load: (id) => (id === '\0served' ? 'export default () => {};' : null),
  };
}

export default defineConfig(({ mode }) => {
  const isStandalone = mode === STANDALONE;
  const pages = process.env.PAGES?.split(',') ?? PAGES;
  const names = isStandalone ? [STANDALONE] : pages;
  const isWhole = !isStandalone && !process.env.PAGES;
  return {
    base: './',
    plugins: [
      ...(isStandalone ? [leaveOutServed()] : []),
      svelte({ configFile: false, compilerOptions: { runes: true, discloseVersion: false } }),
      ...(isStandalone ? [] : [pageStyles(pages), minifyPackages()]),
      ...(isWhole ? [removeStale()] : []),
    ],
    resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
    build: {
      outDir: '../vitviz/webapp/static',
      emptyOutDir: false, // the two builds share it
      target: 'es2022',
      minify: isStandalone,
      cssMinify: false,
      modulePreload: false,
      license: isWhole && { fileName: 'licenses.md' }, // of bundled packages
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: Object.fromEntries(names.map((name) => [name, `src/${name}/${name}.ts`])),
        preserveEntrySignatures: 'strict',
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
          minifyInternalExports: false,
          comments: { legal: true, annotation: false, jsdoc: false },
          codeSplitting: !isStandalone && {
            groups: [
              { name: PACKAGES, test: /node_modules/, minShareCount: 2, priority: 1 },
              { name: 'shared', minShareCount: 2 },
            ],
          },
        },
      },
    },
    test: {
      environment: 'node',
      pool: 'threads',
      testTimeout: 60_000, // ms; a busy machine may take long
      include: ['src/**/*.test.ts'],
      coverage: {
        provider: 'v8',
        include: ['src/lib/**/*.ts'],
        exclude: ['src/lib/api.ts', 'src/**/*.test.ts'],
        reporter: ['text'],
        thresholds: { lines: 90 },
      },
    },
  };
});
