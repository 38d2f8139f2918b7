/* Maps over the patches of one image, equal to those of the same names in vitviz/attribution. */

import { RefusedError } from '../lib/refused';
import type { Context, Target } from './context';
import { Generator } from './random';

/** A method of the engine: its values (t,) of the tokens that enter the network, or (N,) of `patches`. */
interface Method {
  of?: (context: Context, target: Target) => Float32Array;
  patches?: (context: Context, target: Target) => Float32Array;
  isInstant?: boolean;
  isFirst?: boolean;
  forClass?: boolean;
  /** Many forward passes, which the workers share. */
  isSlow?: boolean;
}

/** In the order of `METHODS` in vitviz/attribution/methods.py. */
export const METHODS: Record<string, Method> = {
  attention: { of: (context) => weightedRows(context, [lastOf(context)]), isInstant: true, isFirst: true },
  reverse_attention: { of: reverseAttention, isInstant: true },
  average: { of: (context) => weightedRows(context, layersOf(context)), isInstant: true },
  rollout: { of: rollout, isInstant: true, isFirst: true },
  balanced_gradients: { of: balancedGradients, isFirst: true, forClass: true },
  contributions: { of: contributions, isFirst: true, forClass: true },
  gradient_rollout: { of: gradientRollout, forClass: true },
  relevance: { of: relevance, forClass: true },
  legrad: { of: legrad, forClass: true },
  attention_gradcam: { of: gradcam, isFirst: true, forClass: true },
  value_norm: { of: valueNorm },
  input_gradient: { patches: inputGradient, forClass: true },
  occlusion: { isSlow: true, forClass: true },
  random: { patches: randomMap },
};

/** The methods that a model has here. */
export const methodsOf = ({ K, hasClassToken }: { K: number; hasClassToken: boolean }) =>
  Object.keys(METHODS).filter((key) => (K || !METHODS[key].forClass) && (hasClassToken || key !== 'reverse_attention'));

/** The map (N,) of a method that is not slow. */
export function mapOf(context: Context, key: string, target: Target): Float32Array {
  const { of, patches } = METHODS[key] ?? {};
  if (patches) return patches(context, target);
  if (!of) throw new RefusedError(LEFT_OUT);
  return context.expand(of(context, target)).slice(context.network.sizes.prefix);
}

/** Why other methods are not among the maps. */
export const LEFT_OUT =
  'AttnLRP, integrated gradients, Shapley values and the greedy order need a running vitviz: the model in this page does not compute them.';

/** The map of a method per pixel, (H, W). */
export function pixelMapOf(context: Context, key: string, target: Target): Float32Array {
  const { pixels } = context.input;
  const area = pixels.length / 3;
  if (key !== 'input_gradient' && key !== 'balanced_gradients') {
    throw new RefusedError(
      `method must be input_gradient or balanced_gradients, which have a map per pixel: got ${key}.`,
    );
  }
  const { image } = context.gradients(target, key === 'input_gradient' ? 'plain' : 'balanced');
  const value = (i: number) => (key === 'input_gradient' ? Math.abs(image[i]) : image[i] * pixels[i]);
  return Float32Array.from({ length: area }, (_, i) => value(i) + value(i + area) + value(i + 2 * area));
}

const layersOf = (context: Context) => [...Array(context.network.sizes.L).keys()];
const lastOf = (context: Context) => context.network.sizes.L - 1;

/** Equal weights of the patches, of sum 1, or 1 for the class token. */
function tokenWeights({ t, network }: Context, classToken: boolean): Float32Array {
  const { prefix } = network.sizes;
  return Float32Array.from({ length: t }, (_, i) => (classToken ? Number(i === 0) : i < prefix ? 0 : 1 / (t - prefix)));
}

/** Weights of the queries whose attention is shown. */
export const queryWeights = (context: Context) => tokenWeights(context, context.network.config.class_token);

/** Weights of the tokens that the head reads. */
function readoutWeights(context: Context): Float32Array {
  const { output, t, network } = context;
  const { distilled, global_pool } = network.config;
  if (output.pool) {
    const heads = output.pool.length / t;
    return Float32Array.from({ length: t }, (_, i) => {
      let sum = 0;
      for (let h = 0; h < heads; h++) sum += output.pool![h * t + i];
      return sum / heads;
    });
  }
  if (distilled) return Float32Array.from({ length: t }, (_, i) => (i < 2 ? 0.5 : 0));
  const patches = tokenWeights(context, false);
  if (global_pool === 'token_avg') return patches.map((weight, i) => (weight + Number(i === 0)) / 2);
  return global_pool === 'token' ? tokenWeights(context, true) : patches;
}

/** The mean of `value` over the heads that are not ablated, (t, t), or null if all are. */
function meanOverHeads(context: Context, l: number, value: (at: number) => number): Float64Array | null {
  const { t } = context;
  const heads = [...Array(context.network.sizes.A).keys()].filter((h) => !context.isAblated(l, h));
  const mean = new Float64Array(t * t);
  for (const h of heads) for (let i = 0; i < t * t; i++) mean[i] += value(h * t * t + i) / heads.length;
  return heads.length ? mean : null;
}

/** row @ matrix (t, t). */
function times(row: ArrayLike<number>, matrix: ArrayLike<number>): Float64Array {
  const t = row.length;
  const out = new Float64Array(t);
  for (let i = 0; i < t; i++) if (row[i]) for (let j = 0; j < t; j++) out[j] += row[i] * matrix[i * t + j];
  return out;
}

/** The attention of the default query, mean over heads of layers. */
function weightedRows(context: Context, layers: number[]): Float32Array {
  const { A } = context.network.sizes;
  const query = queryWeights(context);
  const out = new Float32Array(context.t);
  let count = 0;
  for (const l of layers) {
    const mean = meanOverHeads(context, l, (at) => context.output.attention[l][at]);
    const heads = [...Array(A).keys()].filter((h) => !context.isAblated(l, h)).length;
    if (mean)
      times(query, mean).forEach((value, j) => {
        out[j] += value * heads;
      });
    count += heads;
  }
  return out.map((value) => (count ? value / count : 0));
}

function reverseAttention(context: Context): Float32Array {
  const { attention } = context.output;
  const mean = meanOverHeads(context, lastOf(context), (at) => attention[lastOf(context)][at]);
  return Float32Array.from({ length: context.t }, (_, i) => mean?.[i * context.t] ?? 0);
}

function rollout(context: Context): Float32Array {
  let row: ArrayLike<number> = queryWeights(context);
  for (const l of layersOf(context).reverse()) {
    const mean = meanOverHeads(context, l, (at) => context.output.attention[l][at]);
    const before = row;
    if (mean) row = times(before, mean).map((value, j) => (value + before[j]) / 2);
  }
  return Float32Array.from(row);
}

/** Weights times gradients, mean over all heads, (t, t); `positive` products alone if set. */
function meanProducts(context: Context, grads: Float32Array, l: number, positive: boolean): Float64Array {
  const { t, network, output } = context;
  const mean = new Float64Array(t * t);
  const { A } = network.sizes;
  for (let at = 0; at < grads.length; at++) {
    const product = output.attention[l][at] * grads[at];
    if (product > 0 || !positive) mean[at % (t * t)] += product / A;
  }
  return mean;
}

function gradientRollout(context: Context, target: Target): Float32Array {
  const { t } = context;
  const grads = context.gradients(target, 'plain').attention;
  let row: ArrayLike<number> = readoutWeights(context);
  for (const l of layersOf(context).reverse()) {
    const step = meanProducts(context, grads[l], l, false).map((value) => Math.max(0, value));
    for (let i = 0; i < t; i++) step[i * t + i] += 1;
    const sums = Float64Array.from({ length: t }, (_, i) => step.subarray(i * t, (i + 1) * t).reduce((a, b) => a + b));
    row = times(
      sums.map((sum, i) => row[i] / sum),
      step,
    );
  }
  return Float32Array.from(row);
}

function relevance(context: Context, target: Target): Float32Array {
  const grads = context.gradients(target, 'plain').attention;
  let row: ArrayLike<number> = readoutWeights(context);
  for (const l of layersOf(context).reverse()) {
    const before = row;
    row = times(before, meanProducts(context, grads[l], l, true)).map((value, j) => value + before[j]);
  }
  return Float32Array.from(row);
}

function gradcam(context: Context, target: Target): Float32Array {
  const { t, network, output } = context;
  const { A, N, prefix } = network.sizes;
  const l = lastOf(context);
  const grads = context.gradients(target, 'plain').attention[l];
  const read = readoutWeights(context);
  const sum = new Float64Array(t);
  for (let h = 0; h < A; h++) {
    const of = (values: Float32Array) => values.subarray(h * t * t, (h + 1) * t * t);
    const slopes = times(
      read.map((weight) => Number(weight > 0)),
      of(grads),
    );
    const weight = slopes.subarray(prefix).reduce((a, b) => a + b, 0) / N;
    times(read, of(output.attention[l])).forEach((value, j) => {
      sum[j] += (weight * value) / A;
    });
  }
  return Float32Array.from(sum, (value) => Math.max(0, value));
}

function balancedGradients(context: Context, target: Target): Float32Array {
  const { products } = context.gradients(target, 'balanced');
  return products[0].map((_, i) => products.reduce((sum, of) => sum + of[i], 0) / products.length);
}

function contributions(context: Context, target: Target): Float32Array {
  const { t } = context;
  const out = new Float64Array(t);
  context.contributions(target).heads.forEach((value, i) => {
    out[i % t] += value;
  });
  return Float32Array.from(out);
}

function legrad(context: Context, target: Target): Float32Array {
  const { t, network, input, output } = context;
  const { A, D } = network.sizes;
  const out = new Float64Array(t);
  for (const l of layersOf(context)) {
    const tape = network.tape('plain');
    const trace = network.block(tape, l, network.leaf(tape, output.tokens[l], D), input);
    const logits = network.head(tape, trace.out);
    const weights = new Float32Array(logits.n);
    target.forEach((k, i) => {
      weights[k] = i ? -1 : 1;
    });
    tape.backward(logits, weights);
    const { f } = network.heap;
    for (let i = 0; i < A * t * t; i++) out[i % t] += Math.max(0, f[trace.attended.grads + i]) / (A * t);
  }
  return Float32Array.from(out);
}

/** Norms of the values after the output projection and LayerScale, mean over layers and heads of attention times them. */
function valueNorm(context: Context): Float32Array {
  const { t, network, output } = context;
  const { A, L } = network.sizes;
  const query = queryWeights(context);
  const out = new Float64Array(t);
  for (const l of layersOf(context)) {
    const norms = network.valueNorms(l, output.tokens[l]);
    for (let h = 0; h < A; h++) {
      if (context.isAblated(l, h)) continue;
      times(query, output.attention[l].subarray(h * t * t, (h + 1) * t * t)).forEach((weight, j) => {
        out[j] += (weight * norms[h * t + j]) / (L * A);
      });
    }
  }
  return Float32Array.from(out);
}

function inputGradient(context: Context, target: Target): Float32Array {
  return context.network.patches.sums(context.gradients(target, 'plain').image.map(Math.abs));
}

function randomMap(context: Context): Float32Array {
  const { N } = context.network.sizes;
  return Float32Array.from(new Generator(context.seed).permutation(N), (rank) => (rank + 1) / N);
}
