/* Two builds, both committed in vitviz/webapp/static: the modules of the page, which share their chunks, and
   `standalone`, one self-contained module for the saved HTML file and the notebook widget. */

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const PAGES = ['explore', 'train', 'internals', 'masthead'];

export default defineConfig(({ mode }) => {
  const names = mode === 'standalone' ? ['standalone'] : PAGES;
  return {
    base: './',
    plugins: [svelte()],
    build: {
      outDir: '../vitviz/webapp/static',
      emptyOutDir: mode !== 'standalone',
      target: 'es2022',
      cssCodeSplit: true,
      modulePreload: false,
      rollupOptions: {
        input: Object.fromEntries(names.map((name) => [name, `src/${name}/${name}.ts`])),
        preserveEntrySignatures: 'strict',
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' },
      },
    },
    test: {
      environment: 'node',
      coverage: { provider: 'v8', include: ['src/lib/**/*.ts'], thresholds: { lines: 90 } },
    },
  };
});
