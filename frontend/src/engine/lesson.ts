/* The numbers of a lesson, as vitviz/attribution/lesson.py and vitviz/webapp/routes/lessons.py compute them. */

import { base64Of } from '../lib/base64';
import { meanOf } from '../lib/numbers';
import { RefusedError } from '../lib/refused';
import type * as api from '../lib/routes';
import { type Context, probabilitiesOf } from './context';
import { mapOf } from './maps';
import type { Network } from './network';
import { Generator } from './random';
import { hasSigmoid } from './vitConfig';

const NAMED_BY = ['attention', 'average', 'balanced_gradients']; // methods whose patches are removed
const REMOVED = 0.25; // fraction of the patches
const NUM_RANDOM = 20; // random sets of patches
const MAX_ROWS = 64; // patches that are drawn
const MAX_NUMBERS = 64; // of a token that are drawn

/** All of a lesson but what removing patches does, and which are removed. */
export type Begun = Omit<api.Lesson, 'removals' | 'random' | 'reshaped'> & { removed: Removed[]; drawn: number[][] };
type Removed = Pick<api.Removal, 'method' | 'patches'>;

export function lessonOf(context: Context): Begun {
  const { network, output } = context;
  const { L, K, N, T, prefix, D } = network.sizes;
  const { config } = network;
  const read = (tokens: Float32Array) => [
    ...probabilitiesOf(network.outputFrom(context.input, tokens, L), hasSigmoid(config)),
  ];
  const normOf = (tokens: Float32Array, token: number) => Math.hypot(...tokens.subarray(token * D, (token + 1) * D));
  const patchNorms = (tokens: Float32Array) => Array.from({ length: N }, (_, n) => normOf(tokens, prefix + n));
  const last = output.tokens[L];
  const count = Math.max(1, Math.floor(REMOVED * N));
  const every = Math.ceil(N / MAX_ROWS);
  const rows = [...Array(T).keys()].filter((row) => row < prefix || (row - prefix) % every === 0);
  const contributions = K ? context.contributions(context.targetOf([])) : null;
  return {
    model: describe(network),
    logits: [...output.logits],
    lens: output.tokens.map(read),
    norms: output.tokens.map((tokens) => (config.class_token ? normOf(tokens, 0) : meanOf(patchNorms(tokens)))),
    patch_predictions:
      config.global_pool === 'token' && !config.distilled && K
        ? Array.from({ length: N }, (_, n) => read(last.slice((prefix + n) * D, (prefix + n + 1) * D)))
        : null,
    contributions: contributions && byLayer(contributions, L),
    removed: K ? NAMED_BY.map((method) => ({ method, patches: rankPatches(context, method).slice(0, count) })) : [],
    rows,
    tokens: encode(
      Float32Array.from(output.tokens.flatMap((tokens) => rows.flatMap((row) => numbersOf(tokens, row, D)))),
    ),
    drawn: K ? randomOrders(context).map((order) => order.slice(0, count)) : [],
  };
}

/** The first numbers of a token. */
const numbersOf = (tokens: Float32Array, row: number, D: number) => [
  ...tokens.subarray(row * D, row * D + Math.min(D, MAX_NUMBERS)),
];

/** All patches by the map of a method for the predicted class, the largest value first. */
export function rankPatches(context: Context, method: string): number[] {
  const map = mapOf(context, method, context.targetOf([]));
  return [...map.keys()].sort((i, j) => map[j] - map[i]);
}

/** Random orders of the patches with the image's seed. */
export function randomOrders({ seed, network }: Context): number[][] {
  const generator = new Generator(seed);
  return Array.from({ length: NUM_RANDOM }, () => generator.permutation(network.sizes.N));
}

function byLayer(
  { embedding, heads, attention_bias, mlp, bias, logit }: ReturnType<Context['contributions']>,
  L: number,
) {
  const size = heads.length / L;
  const attention = attention_bias.map((value, l) =>
    heads.subarray(l * size, (l + 1) * size).reduce((sum, part) => sum + part, value),
  );
  return { embedding, attention, mlp, bias, logit };
}

/** The square root of it divides the attention scores. */
const scaledWidth = ({ config, sizes }: Pick<Network, 'config' | 'sizes'>) =>
  config.architecture.startsWith('tutorial-scratch') ? sizes.D : sizes.d;

function describe({ config, sizes, file, weights }: Network): api.LessonModel {
  const { train_config: trained } = file.metadata.record;
  const isOwn = trained && !trained.init_from;
  return {
    img_size: config.img_size,
    patch_size: config.patch_size,
    patch: sizes.cell,
    embed_dim: sizes.D,
    head_dim: sizes.d,
    scaled_width: scaledWidth({ config, sizes }),
    mlp_dim: Math.round(sizes.D * config.mlp_ratio),
    positions: weights.positions?.some(Boolean) ?? false,
    position_start: !isOwn ? 'unknown' : config.architecture === 'vit' ? 'sine-cosine' : 'unstructured',
    rotary: config.rope_type !== 'none',
    rel_pos_bias: file.has('blocks.0.attn.relative_position_bias_table'),
    patch_bias: file.has('patch_embed.bias') || file.has('patch_embed.proj.bias'),
    qkv_bias: file.has('blocks.0.attn.qkv.bias'),
    qk_norm: file.has('blocks.0.attn.q_norm.weight'),
    has_sigmoid: hasSigmoid(config),
  };
}

/** A row of the attention of a head, and what the block does to its query. */
export function headVectors(context: Context, layer: number, head: number, token: number): api.HeadVectors {
  const { network, output, input } = context;
  const { D, d, T, L, A } = network.sizes;
  check('layer', layer, L);
  check('head', head, A);
  check('token', token, T);
  const tape = network.tape(null);
  const x = network.leaf(tape, output.tokens[layer], D);
  const { qkv, attended, added, out } = network.block(tape, layer, x, input);
  const { f } = network.heap;
  const at = (from: number, count: number) => f.slice(from, from + count);
  const values = new Float32Array(T * d);
  for (let t = 0; t < T; t++) values.set(at(qkv.at + t * qkv.n + 2 * D + head * d, d), t * d);
  const headWeights = new Float32Array(A * T);
  for (let h = 0; h < A; h++) headWeights.set(at(attended.weights + (h * T + token) * T, T), h * T);
  const query = at(attended.queries + (head * T + token) * d, d);
  const keys = at(attended.keys + head * T * d, T * d);
  const own = at(x.at + token * D, D);
  const mlp = at(added.at + token * D, D);
  const headOutputs = at(attended.mixed.at + token * D, D);
  const { bias } = network.weights.blocks[layer];
  const scale = scaledWidth(network) ** -0.5;
  const scores = Float32Array.from({ length: T }, (_, t) => {
    let product = 0;
    for (let i = 0; i < d; i++) product += query[i] * keys[t * d + i];
    return product * scale + (bias ? f[bias + (head * T + token) * T + t] : 0);
  });
  return {
    query: encode(query),
    keys: encode(keys),
    values: encode(values),
    scores: encode(scores),
    weights: encode(headWeights.slice(head * T, (head + 1) * T)),
    output: encode(headOutputs.slice(head * d, (head + 1) * d)),
    head_weights: encode(headWeights),
    head_outputs: encode(headOutputs),
    input: encode(own),
    attention: encode(own.map((value, i) => f[out.at + token * D + i] - value - mlp[i])),
    mlp: encode(mlp),
    size: d,
  };
}

/** A dimension of the embedding of a patch. */
export function patchEmbedding(context: Context, patch: number, dimension: number): api.PatchEmbedding {
  const { network, output, input } = context;
  const { N, D, prefix } = network.sizes;
  check('patch', patch, N);
  check('dimension', dimension, D);
  const { patches, file, weights: all } = network;
  const weights = patches.toImage(filterOf(network, dimension)); // (3, h, w)
  const pixels = patches.toImage(patches.cut(input.pixels, [patch]));
  const productOf = (filter: Float32Array) => pixels.reduce((sum, value, i) => sum + value * filter[i], 0);
  const product = productOf(weights);
  const first = Array.from({ length: Math.min(D, MAX_NUMBERS) }, (_, one) =>
    productOf(patches.toImage(filterOf(network, one))),
  );
  const value = output.tokens[0][(prefix + patch) * D + dimension];
  return {
    pixels: encode(pixels),
    weights: encode(weights),
    product,
    rest: file.has('norm_pre.weight') ? null : value - product,
    value,
    products: encode(Float32Array.from(first)),
    tokens: encode(Float32Array.from(output.tokens.flatMap((tokens) => numbersOf(tokens, prefix + patch, D)))),
    positions: all.positions ? cosines(all.positions, patch, N) : Array(N).fill(0),
  };
}

/** The weights of a dimension of the patch embedding, (3 P P), in the order of the values of a patch. */
function filterOf({ weights: { embed }, heap }: Network, dimension: number): Float32Array {
  const first = embed.w + (dimension >> 3) * 8 * embed.inputs + (dimension & 7);
  return Float32Array.from({ length: embed.inputs }, (_, i) => heap.f[first + 8 * i]);
}

function cosines(rows: Float32Array, chosen: number, N: number): number[] {
  const D = rows.length / N;
  const dot = (i: number, j: number) => {
    let sum = 0;
    for (let c = 0; c < D; c++) sum += rows[i * D + c] * rows[j * D + c];
    return sum;
  };
  const size = Math.sqrt(dot(chosen, chosen));
  return Array.from({ length: N }, (_, n) => dot(chosen, n) / Math.max(size * Math.sqrt(dot(n, n)), 1e-12));
}

export function check(field: string, value: number, count: number) {
  if (value < 0 || value >= count) throw new RefusedError(`${field} must be from 0 to ${count - 1}: got ${value}.`);
}

const encode = (values: Float32Array) => base64Of(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
