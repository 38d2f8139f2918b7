/* Replies that a static page has in files in place of a server: `vitviz.webapp.site` writes them. */

import { RefusedError } from '../lib/refused';
import { answerBy } from '../lib/server';

let known: ReadonlySet<string> = new Set(); // keys

/** Answer requests by files. */
export function useReplies(keys: readonly string[]) {
  known = new Set(keys);
  answerBy(answer);
}

/** The key of a request, as of `key_of` in Python: FNV-1a of its JSON, whose names are sorted. */
export function keyOf(route: string, request: object): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${route} ${canonical(request)}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)}}`;
}

/** Whether there is a reply to a request. */
export const isStored = (route: string, request: object) => known.has(keyOf(route, request));

async function answer(route: string, request: object, signal?: AbortSignal): Promise<Response> {
  const key = keyOf(route, request);
  if (!known.has(key)) throw new RefusedError(NOT_STORED);
  return fetch(new URL(`replies/${key}.json`, document.baseURI), { signal }).catch(() => {
    signal?.throwIfAborted();
    throw new RefusedError(NOT_LOADED);
  });
}

const NOT_STORED = 'This needs a running vitviz: pip install vitviz, then vitviz app.';
const NOT_LOADED = 'An example could not be loaded. Check the connection, then try again.';
