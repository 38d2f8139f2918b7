/* Bundle the engine for a page of `python -m benchmarks engine`: `node assembly/bundle.js FOLDER` writes engine.js. */

import { build } from 'vite';

await build({
  configFile: false,
  root: `${import.meta.dirname}/..`,
  logLevel: 'error',
  build: {
    outDir: process.argv[2],
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: 'src/engine/measure.ts', name: 'engine', formats: ['iife'], fileName: () => 'engine.js' },
  },
});
