/* The forward pass of one image, from which the maps are computed, as `ForwardContext` in
   vitviz/attribution/context.py. Values are those of the tokens that enter the network (t of T) until `expand`. */

import { RefusedError } from '../lib/refused';
import type { Ablation } from '../lib/routes';
import type { Input, Network, Output } from './network';
import { crc32 } from './random';
import type { Rules } from './tape';
import { hasSigmoid } from './vitConfig';

/** A class, or a class and the one that it is contrasted with. */
export type Target = readonly number[];

/** Gradients of a target. */
interface Gradients {
  attention: Float32Array[]; // of each layer, (A, t, t)
  products: Float32Array[]; // inputs of the blocks times their gradients, summed over the channels, L of (t,)
  image: Float32Array; // of the pixels, (3, H, W)
}

/** `Contributions` in vitviz/attribution/contributions.py; `heads` is (L, A, t). */
export interface Parts {
  embedding: number;
  heads: Float32Array;
  attention_bias: number[];
  mlp: number[];
  bias: number;
  logit: number;
}

export class Context {
  readonly output: Output;
  readonly kept: number[]; // tokens that enter the network
  readonly #gradients = new Map<Rules, { key: string; found: Gradients }>(); // of the last target
  #parts: { key: string; found: Parts } | null = null;

  constructor(
    readonly network: Network,
    readonly input: Input,
  ) {
    const { prefix, T } = network.sizes;
    this.output = network.forward(input);
    if (!this.output.logits.every(Number.isFinite)) throw new RefusedError(NOT_FINITE);
    const patches = input.keep?.map((patch) => prefix + patch);
    this.kept = patches ? [...Array(prefix).keys(), ...patches] : [...Array(T).keys()];
  }

  get t() {
    return this.kept.length;
  }

  /** Seed for random numbers, a checksum of the image. */
  get seed() {
    const { buffer, byteOffset, byteLength } = this.input.pixels;
    return crc32(new Uint8Array(buffer, byteOffset, byteLength));
  }

  isAblated = (l: number, h: number) => this.input.replaced?.[l][h] !== undefined;

  get probabilities(): Float32Array {
    return probabilitiesOf(this.output.logits, hasSigmoid(this.network.config));
  }

  /** The target, by default the predicted class. */
  targetOf(target: Target): Target {
    const { logits } = this.output;
    if (target.some((k) => k < 0 || k >= logits.length)) {
      throw new RefusedError(`target must be a class from 0 to ${logits.length - 1}: got ${target}.`);
    }
    return target.length ? target : [logits.indexOf(Math.max(...logits))];
  }

  /** Insert zeros for the removed tokens along the last `axes` axes, each of t. */
  expand(values: Float32Array, axes = 1): Float32Array {
    const { T } = this.network.sizes;
    const { kept, t } = this;
    if (t === T) return values;
    const rows = values.length / t ** axes;
    const out = new Float32Array(rows * T ** axes);
    for (let row = 0, from = 0; row < rows; row++) {
      for (const i of axes === 2 ? kept : [0]) {
        const start = axes === 2 ? (row * T + i) * T : row * T;
        for (const j of kept) out[start + j] = values[from++];
      }
    }
    return out;
  }

  #seedOf(target: Target): Float32Array {
    const weights = new Float32Array(this.output.logits.length);
    weights[target[0]] = 1;
    if (target.length > 1) weights[target[1]] = -1;
    return weights;
  }

  gradients(target: Target, rules: Rules): Gradients {
    const stored = this.#gradients.get(rules);
    const key = String(target);
    if (stored?.key === key) return stored.found;
    const { network, input, output } = this;
    const { A, L, D } = network.sizes;
    const attention: Float32Array[] = [];
    const products: Float32Array[] = Array.from({ length: L }, () => new Float32Array(this.t));
    const { grad } = network.headGradient(output, this.#seedOf(target), rules);
    const first = network.backward(input, output, grad, rules, ({ x, attended }, l) => {
      const { f } = network.heap;
      attention[l] = f.slice(attended.grads, attended.grads + A * this.t ** 2);
      for (let i = 0; i < x.rows * D; i++) products[l][Math.floor(i / D)] += f[x.at + i] * f[x.grad + i];
    });
    const found = { attention, products, image: network.pixelGradient(input, first, rules) };
    this.#gradients.set(rules, { key, found });
    return found;
  }

  /** Direct contributions to the logit of a target. */
  contributions(target: Target): Parts {
    const key = String(target);
    if (this.#parts?.key === key) return this.#parts.found;
    const { network, input, output, t } = this;
    const { A, L, D, d } = network.sizes;
    const { grad, biases } = network.headGradient(output, this.#seedOf(target), 'stream');
    const heads = new Float32Array(L * A * t);
    const found: Parts = { embedding: 0, heads, attention_bias: [], mlp: [], bias: sumOf(biases.values()), logit: 0 };
    const first = network.backward(input, output, grad, 'stream', ({ attended, mlp }, l, tape) => {
      const { f } = network.heap;
      for (let h = 0; h < A; h++) {
        for (let i = 0; i < t * t; i++) {
          const at = h * t * t + i;
          heads[(l * A + h) * t + (i % t)] += f[attended.weights + at] * f[attended.grads + at];
        }
      }
      found.mlp[l] = 0;
      for (let i = 0; mlp.grad && i < t * D; i++) found.mlp[l] += f[mlp.at + i] * f[mlp.grad + i];
      found.attention_bias[l] = 0;
      for (const [name, product] of tape.biases) {
        if (name.includes('.attn.')) found.attention_bias[l] += product;
        else found.bias += product;
      }
      input.replaced?.[l].forEach((replacement, h) => {
        if (!replacement) return;
        for (let i = 0; i < t * d; i++) {
          found.attention_bias[l] +=
            f[attended.mixed.grad + Math.floor(i / d) * D + h * d + (i % d)] * replacement[i % d];
        }
      });
    });
    first.forEach((g, i) => {
      found.embedding += g * output.tokens[0][i];
    });
    found.logit = sumOf(target.map((k, i) => (i ? -1 : 1) * output.logits[k]));
    this.#parts = { key, found };
    return found;
  }
}

const NOT_FINITE =
  'The logits of this model must be finite: got NaN or infinity. Its weights overflow; train it again.';

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

export function probabilitiesOf(logits: Float32Array, sigmoid: boolean): Float32Array {
  if (sigmoid) return logits.map((x) => 1 / (1 + Math.exp(-x)));
  const top = Math.max(...logits);
  const powers = logits.map((x) => Math.exp(x - top));
  const sum = sumOf(powers);
  return powers.map((power) => power / sum);
}

/** The input of an image (3, H, W) after ablations, as `ablate` in vitviz/attribution/ablation.py.
    @throws RefusedError if all heads or patches would be ablated, or a head mean is not known */
export function inputOf(network: Network, pixels: Float32Array, ablations: readonly Ablation[]): Input {
  const { A, L, N, d } = network.sizes;
  const input: Input = { pixels, keep: null, replaced: null };
  for (const { heads = [], patches = [], mode, patch_mode } of ablations) {
    const means = mode === 'mean' && heads.length ? network.headMeans : null;
    for (const [l, h] of heads) {
      input.replaced ??= Array.from({ length: L }, () => Array(A).fill(undefined));
      const at = (l * A + h) * d;
      input.replaced[l][h] = means ? means.slice(at, at + d) : new Float32Array(d);
    }
    const gone = new Set(patches);
    const rest = (input.keep ?? [...Array(N).keys()]).filter((patch) => !gone.has(patch));
    if (!rest.length) throw new RefusedError(NO_PATCHES);
    if (patches.length && patch_mode === 'gray') input.pixels = network.patches.gray(input.pixels, patches);
    else if (patches.length) input.keep = rest;
  }
  if (input.replaced?.every((of) => of.every((one) => one))) throw new RefusedError(NO_HEADS);
  return input;
}

const NO_PATCHES = 'Not all patches can be removed: the model would get no image. Keep at least one.';
const NO_HEADS = 'Not all heads can be ablated: no information would pass between tokens. Keep at least one.';
