/* Answers of the engine in Node.js; see assembly/node.js. */

import { floatsOf } from '../lib/base64';
import type { ExplainedImage } from '../lib/routes';
import type { Subject } from '../lib/view';
import type { Route } from '../session/engine';
import { inputOf } from './context';
import { Heap, type KernelKind } from './heap';
import { ModelEngine } from './modelEngine';
import { Network } from './network';
import { ModelFile } from './safetensors';
import { serve } from './worker';
import type { Port } from './workerPool';

interface Request {
  kernels: KernelKind;
  pixels: string; // float32 in base64
  ablations: Subject['ablations'];
  calls: [Route, object][]; // requests of the engine, without their subject
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
export async function answer(file: ArrayBuffer, { kernels, pixels, ablations, calls }: Request) {
  const network = new Network(new ModelFile(file), new Heap([kernels]));
  const image = async () => ({ pixels: floatsOf(pixels), shown: {} as ExplainedImage });
  const engine = new ModelEngine({ file, image, workers: 2, start: () => localPort([kernels]) });
  const subject = { model: 'model', snapshot: null, image: { kind: 'sample', name: 'cat' }, ablations } as Subject;
  const { signal } = new AbortController();
  const replies: unknown[] = [];
  for (const [route, of] of calls) {
    const reply = engine.request(route, { subject, ...of } as never, signal, ...([() => {}] as never));
    replies.push(await reply.catch((error: Error) => ({ refusal: error.message })));
  }
  const input = inputOf(network, floatsOf(pixels), ablations);
  const alone = network.logits(input);
  return JSON.parse(JSON.stringify({ ...network.forward(input), alone, replies }, asArrays));
}
