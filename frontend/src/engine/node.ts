/* Answers of the engine in Node.js; see assembly/node.js. */

import { floatsOf } from '../lib/numbers';
import { Heap, type KernelKind } from './heap';
import { Network } from './network';
import { ModelFile } from './safetensors';

interface Request {
  kernels: KernelKind;
  pixels: string; // float32 in base64
  keep: number[] | null;
}

const asArrays = (_: string, value: unknown) => (value instanceof Float32Array ? [...value] : value);

/** The forward pass of an image, and the logits `alone`, without attention. */
export async function answer(file: ArrayBuffer, { kernels, pixels, keep }: Request) {
  const network = new Network(new ModelFile(file), new Heap([kernels]));
  const input = { pixels: floatsOf(pixels), keep, replaced: null };
  const alone = network.logits(input);
  return JSON.parse(JSON.stringify({ ...network.forward(input), alone }, asArrays));
}
