/* For tests: an engine whose replies are given by hand, and a session that runs on it. */

import { flushSync } from 'svelte';
import { vi } from 'vitest';
import { CatalogState } from '../lib/catalog.svelte';
import type { Catalog } from '../lib/routes';
import type { Image as SubjectImage } from '../lib/view';
import type { Engine, Explained, Report } from './engine';
import { Session } from './session.svelte';

export const SHAPE = {
  layers: 2,
  heads: 2,
  rows: 2,
  columns: 3,
  aspect: 1.5,
  prefix: 1,
  class_token: true,
  distilled: false,
  layer_heads: [2, 2],
  captured: false,
};
const TOKENS = 7;
export const encoded = (array: Float32Array | Uint16Array | Uint32Array) =>
  btoa(String.fromCharCode(...new Uint8Array(array.buffer)));

/** An explanation whose head l, h attends most to patch l + h. */
export function explained(changes: Partial<Explained> = {}): Explained {
  const { layers, heads } = { ...SHAPE, ...changes.shape };
  const cls = new Float32Array(layers * heads * TOKENS).fill(0.1);
  for (let k = 0; k < layers * heads; k++) cls[k * TOKENS + 1 + ((Math.floor(k / heads) + (k % heads)) % 6)] = 0.4;
  return {
    shape: SHAPE,
    classes: ['cat', 'dog'],
    probabilities: [0.75, 0.25],
    cls: encoded(cls),
    pool: null,
    on_demand: false,
    credit: '',
    limits: { from: { heads: 1, means: 1 }, to: { heads: 1, means: 1 } },
    methods: ['rollout', 'relevance'],
    maps: { rollout: [1, 2, 3, 4, 5, 6] },
    notes: {},
    image: {
      ...{ pixels: encoded(new Float32Array(3)), width: 2, height: 2, original: null },
      ...{ name: 'cat', caption: '', truth: 0, shows: 'cat', crop: null, note: '' },
    },
    ...changes,
  };
}

interface Sent {
  name: string;
  argument: unknown;
  signal: AbortSignal;
  report: Report;
  respond: (reply: unknown) => Promise<void>;
  refuse: (error: Error) => Promise<void>;
}

/** Let promises and effects settle. */
export async function settle() {
  for (let k = 0; k < 20; k++) {
    await Promise.resolve();
    flushSync();
  }
}

const METHODS = [
  {
    key: 'rollout',
    name: 'Rollout',
    unit: 'weights',
    forClass: false,
    onRequest: false,
    hasPixels: false,
    isFirst: true,
  },
  {
    key: 'relevance',
    name: 'Relevance',
    unit: 'relative',
    forClass: true,
    onRequest: false,
    hasPixels: false,
    isFirst: true,
  },
];

const imageOf = (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) });

/** Let canvases be drawn on. */
export function stubCanvas() {
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue({
    createImageData: imageOf,
    getImageData: () => imageOf(2, 2),
    putImageData: () => {},
  } as never);
}

/** A running session, the requests to its engine, and a function that ends it. */
export function sessionWith(isLive = true, isFast = false) {
  stubCanvas();
  const requests: Sent[] = [];
  const record = (name: string, argument: unknown, signal: AbortSignal, report?: Report) =>
    new Promise((resolve, reject) => {
      const then = (end: (value: never) => void) => async (value: unknown) => {
        end(value as never);
        await settle();
      };
      requests.push({ name, argument, signal, report, respond: then(resolve), refuse: then(reject) } as Sent);
    });
  const request = (route: string, { subject, ...of }: { subject: unknown }, signal: AbortSignal, report?: Report) =>
    record(
      route === 'explanations' ? 'explain' : route.slice('explanations/'.length),
      Object.keys(of).length ? of : subject,
      signal,
      report,
    );
  const openImage = (file: File, signal: AbortSignal) => record('openImage', file, signal);
  const engine = { isLive, isFast: () => isFast, openImage, request } as unknown as Engine;
  const lists = { methods: METHODS, models: [{ name: 'ti4' }, { name: 'ti9' }], samples: [], photos: [] };
  const session = new Session(engine, new CatalogState(lists as unknown as Catalog));
  const end = $effect.root(() => {
    session.run();
    session.status.watch(() => session.isWaiting);
  });
  const latest = (name: string) => {
    const found = requests.findLast((one) => one.name === name);
    if (!found) throw new Error(`${name} was not requested`);
    return found;
  };
  return { session, requests, latest, end };
}

export const sample = (name: string): SubjectImage => ({ kind: 'sample', name });

/** A session that shows an explanation with its full attention, in which each token attends to itself. */
export async function openSession(changes: Partial<Explained> = {}, isLive = true, isFast = false) {
  const open = sessionWith(isLive, isFast);
  open.session.explain({ model: 'ti4', image: sample('cat') });
  await settle();
  await open.latest('explain').respond(explained(changes));
  return open;
}

/** Attention between all tokens in which each attends to itself alone. */
export function identity({ layers, heads } = SHAPE) {
  const full = new Uint16Array(layers * heads * TOKENS ** 2);
  for (let k = 0; k < layers * heads; k++) {
    for (let t = 0; t < TOKENS; t++) full[k * TOKENS ** 2 + t * TOKENS + t] = 65535;
  }
  return full;
}
