/* Run the engine in Node.js: `node assembly/node.js REQUESTS REPLIES` answers a JSON file with a list of requests, each
   with the path of a model file and perhaps another function of src/engine/node.ts and its argument, for tests/engine.py and `python -m benchmarks engine`. */

import { readFileSync, writeFileSync } from 'node:fs';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createServer } from 'vite';

const [requests, replies] = process.argv.slice(2);
const server = await createServer({
  configFile: false,
  root: `${import.meta.dirname}/..`,
  logLevel: 'error',
  plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
  server: { middlewareMode: true, hmr: false, ws: false },
  optimizeDeps: { noDiscovery: true },
});
try {
  const engine = await server.ssrLoadModule('/src/engine/node.ts');
  const found = [];
  for (const { model, task = 'answer', of, ...request } of JSON.parse(readFileSync(requests, 'utf8'))) {
    found.push(await engine[task](Uint8Array.from(readFileSync(model)).buffer, of ?? request));
  }
  writeFileSync(replies, JSON.stringify(found));
} finally {
  await server.close();
}
