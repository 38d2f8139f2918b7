/* Three builds, committed in vitviz/webapp/static: the app with a module and a style sheet for each page (also of a static site), and with
   `--mode standalone` one self-contained module for the saved HTML file and the notebook widget, with
   `--mode withModel` one for a saved HTML file that holds its model. */

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const STANDALONE = ['standalone', 'withModel']; // modes and modules

/** The selector under which styles are nested: those of a page under its panel, as two pages may use one class name,
    with the specificity of an id, which Gradio's rules lack; those of paper have the last word. */
function scopeOf(file: string): string | null {
  const [, folder, name] = /\/src\/(\w+)\/(?:.+\/)?([^/]+)\.css$/.exec(file) ?? [];
  if (!folder || folder === 'app') return null; // its styles are of the frame, too
  if (name === 'print') return '#vitviz#vitviz';
  return folder === 'lib' ? '#vitviz' : `#${folder}`;
}

function nestStyles(): Plugin {
  return {
    name: 'nest-styles',
    enforce: 'pre',
    transform(code, id) {
      const scope = scopeOf(id);
      return scope && { code: `${scope} {\n${code}}\n`, map: null };
    },
  };
}

/** Remove modules of earlier builds. */
function removeStale(): Plugin {
  return {
    name: 'remove-stale',
    writeBundle({ dir = '' }, bundle) {
      for (const file of readdirSync(dir)) {
        const isBuilt = file.endsWith('.js') || file.endsWith('.css');
        if (isBuilt && !(file in bundle) && !STANDALONE.includes(file.replace('.js', ''))) rmSync(join(dir, file));
      }
    },
  };
}

/** What needs a server, and is not rendered without one: left out of the saved HTML file and the notebook widget. */
const SERVED =
  /\/((Picker|Intro|ModelSelect|Alone|OnRequest|ClassSearch|Effect|Headless|Words|Contributions|Features|Patching|[iI]mageSet)\.svelte|pdf|glyph|animation|movie)$/;
const SERVER = /\/server$/;
const SERVED_STYLES = /(views|set)\/\w+\.css\?inline$/;
/** What stands for them. */
const STUBS: Record<string, string> = {
  '\0served': 'export default () => {};',
  '\0served-styles': "export default '';",
};

/** What needs the model, which is in the other file. */
const LIVE =
  /\/((Picker|OnRequest|ClassSearch|Effect|Contributions|Features)\.svelte|(contributions|features)\.css\?inline)$/;
const PLAIN_STYLES = /\.css$/;

function leaveOutServed(isLive: boolean): Plugin {
  return {
    name: 'leave-out-served',
    enforce: 'pre',
    resolveId(source) {
      if (SERVER.test(source)) return join(import.meta.dirname, 'src/standalone/noServer.ts');
      if (isLive && LIVE.test(source)) return null;
      if (PLAIN_STYLES.test(source)) return '\0served-styles'; // a file nests its styles itself
      return SERVED.test(source) ? '\0served' : SERVED_STYLES.test(source) ? '\0served-styles' : null;
    },
    load: (id) => STUBS[id] ?? null,
  };
}

const SHARED = /src.lib|node_modules/;
/** What only files of figures need: loaded when the first one is saved. */
const FIGURES = /src.lib.export.(?!animation|gif|pdf|glyph)|inline$/;
/** What only movies need. */
const MOVIES = /src.lib.(mp4|video|export.(animation|gif))|mediabunny|gifenc/;
/** What only charts need, which the first page has none of. */
const CHARTS = /src.lib.(ValueAxis|axes)/;
/** Modules that read layout or draw on canvases: tests/browser/test_figures.py runs them in a browser. */
const LAID_OUT = 'src/lib/export/{animation,canvas,glyph,shapes,sheet,walk}.ts';

export default defineConfig(({ mode }) => {
  const isStandalone = STANDALONE.includes(mode);
  return {
    base: './',
    plugins: [
      ...(isStandalone ? [leaveOutServed(mode === 'withModel')] : []),
      svelte({ configFile: false, compilerOptions: { runes: true, discloseVersion: false } }),
      ...(isStandalone ? [] : [nestStyles(), removeStale()]),
    ],
    resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
    build: {
      outDir: '../vitviz/webapp/static',
      emptyOutDir: false, // the two builds share it
      target: 'es2022',
      minify: true,
      cssMinify: false,
      modulePreload: false,
      license: !isStandalone && { fileName: 'licenses.md' }, // of bundled packages
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: isStandalone ? { [mode]: `src/standalone/${mode}.ts` } : { main: 'src/app/main.ts' },
        preserveEntrySignatures: 'strict',
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          assetFileNames: '[name][extname]',
          minifyInternalExports: true,
          comments: { legal: true, annotation: false, jsdoc: false },
          codeSplitting: !isStandalone && {
            groups: [
              {
                name: 'shared',
                test: (id) => SHARED.test(id) && ![FIGURES, MOVIES, CHARTS].some((one) => one.test(id)),
                minShareCount: 3,
              },
              { name: 'figures', test: FIGURES, minShareCount: 2 },
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
        exclude: ['src/lib/routes.ts', 'src/**/*.test.ts', 'src/**/*.d.ts', 'src/**/*.testdata.ts', LAID_OUT],
        reporter: ['text'],
        thresholds: { lines: 90 },
      },
    },
  };
});
