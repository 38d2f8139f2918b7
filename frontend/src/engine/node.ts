/* Answers of the engine in Node.js; see assembly/node.js. */

import { compare } from '../compare/sides';
import { floatsOf } from '../lib/base64';
import type { ComparisonRequest, ExplainedImage, MethodInfo } from '../lib/routes';
import type { Image, Subject } from '../lib/view';
import type { Route } from '../session/engine';
import { Explanation } from '../session/explanation.svelte';
import { inputOf } from './context';
import { Explainer } from './explainer';
import { Heap, type KernelKind } from './heap';
import { METHODS, methodsOf } from './maps';
import { ModelEngine } from './modelEngine';
import { Network } from './network';
import { ModelFile } from './safetensors';
import { serve } from './worker';
import type { Port } from './workerPool';

interface Request {
  kernels: KernelKind;
  pixels: string; // float32 in base64
  ablations: Subject['ablations'];
  other?: string; // pixels of the image "dog"
  calls: [Route, object][]; // requests of the engine, without their subject
  comparisons?: Comparison[];
  methods?: MethodInfo[];
}

interface Comparison {
  request: ComparisonRequest;
  snapshots?: string[];
}

/** Floats as a list; of 16 bits, too. */
const asArrays = (_: string, value: unknown) => (ArrayBuffer.isView(value) ? [...(value as Float32Array)] : value);

/** A worker in this thread. */
function localPort(kernels: KernelKind[]): Port {
  const port: Port = { postMessage: () => {}, onmessage: null, onerror: null, terminate: () => {} };
  const answer = serve((data) => queueMicrotask(() => port.onmessage?.({ data })), kernels);
  port.postMessage = (message) => answer(message as Parameters<typeof answer>[0]);
  return port;
}

/** The forward pass of an image, its logits `alone`, without attention, and the replies to calls, or their refusals. */
export async function answer(file: ArrayBuffer, request: Request) {
  const { kernels, pixels, other = '', ablations, calls, comparisons = [], methods = [] } = request;
  const network = new Network(new ModelFile(file), new Heap([kernels]));
  const image = async (one: Image) => {
    const name = one.kind === 'sample' ? one.name : '';
    return { pixels: floatsOf(name === 'dog' ? other : pixels), shown: { name } as ExplainedImage };
  };
  const engine = new ModelEngine({ file, image, workers: 2, start: () => localPort([kernels]) });
  const subject = { model: 'model', snapshot: null, image: { kind: 'sample', name: 'cat' }, ablations } as Subject;
  const { signal } = new AbortController();
  const replies: unknown[] = [];
  for (const [route, of] of calls) {
    const reply = engine.request(route, { subject, ...of } as never, signal, ...([() => {}] as never));
    replies.push(await reply.catch((error: Error) => ({ refusal: error.message })));
  }
  const explained = async (one: Subject) =>
    new Explanation(one, await engine.request('explanations', { subject: one }, signal, () => {}), null as never);
  const compared: unknown[] = [];
  for (const { request, snapshots = [] } of comparisons) {
    const [a, b] = await Promise.all([request.a, request.b].map(({ subject: one }) => explained(one as Subject)));
    compared.push(await compare(engine, { a, b, request }, methods, snapshots, signal));
  }
  const input = inputOf(network, floatsOf(pixels), ablations);
  const alone = network.logits(input);
  return JSON.parse(JSON.stringify({ ...network.forward(input), alone, replies, compared }, asArrays));
}

/** Memory (bytes) after some of many images: floats of the heap, and objects. */
export function soak(file: ArrayBuffer, counts: number[]) {
  const heap = new Heap();
  const explainer = new Explainer(file, heap);
  const { img_size, class_token } = new ModelFile(file).metadata.config;
  const [K, size] = [10, 3 * img_size[0] * img_size[1]];
  const methods = methodsOf({ K, hasClassToken: class_token }).filter((key) => !METHODS[key].isSlow);
  const found: { heap: number; objects: number }[] = [];
  for (let i = 1; i <= Math.max(...counts); i++) {
    const pixels = Float32Array.from({ length: size }, (_, k) => Math.sin(i * k));
    const given = { key: `${i}`, pixels, ablations: [] };
    explainer.explain(given);
    explainer.attention(given);
    explainer.maps(given, [i % K], methods);
    explainer.contributions(given, { target: [i % K] });
    if (i % 25 === 0) explainer.features(given, { foreground: true });
    if (!counts.includes(i)) continue;
    globalThis.gc?.();
    globalThis.gc?.(); // what the first one has only marked
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    found.push({ heap: 4 * heap.f.length, objects: heapUsed + arrayBuffers });
  }
  return found;
}

/** Relevance before and after memory ran out while the weights of the backward pass were made, and its refusal. */
export function starve(file: ArrayBuffer, pixels: string) {
  const heap = new Heap();
  const explainer = new Explainer(file, heap);
  const maps = (key: string) => explainer.maps({ key, pixels: floatsOf(pixels), ablations: [] }, [0], ['relevance']);
  explainer.explain({ key: 'image', pixels: floatsOf(pixels), ablations: [] });
  let left = 12; // places until there is no more
  heap.alloc = (n) => {
    if (!left--) throw new RangeError('no memory');
    return Heap.prototype.alloc.call(heap, n);
  };
  let refusal = '';
  try {
    maps('image');
  } catch (error) {
    refusal = String(error);
  }
  heap.alloc = Heap.prototype.alloc;
  const fresh = new Explainer(file, new Heap());
  const expected = fresh.maps({ key: 'image', pixels: floatsOf(pixels), ablations: [] }, [0], ['relevance']);
  return { refusal, found: maps('image').relevance, expected: expected.relevance };
}
