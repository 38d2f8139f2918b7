/* The weights of a network in the heap, by the names of timm's `VisionTransformer`. Letters in shapes are those of
   vitviz/models/vit.py. */

import type { Heap } from './heap';
import { relativePositions, ropeAngles } from './positions';
import type { ModelFile } from './safetensors';
import type { Linear, Matrix, Norm } from './tape';
import { sizesOf } from './vitConfig';

export interface Block {
  norm1: Norm;
  qkv: Linear;
  qNorm?: Norm;
  kNorm?: Norm;
  attnNorm?: Norm; // before the output projection
  proj: Linear;
  ls1: number;
  norm2: Norm;
  fc1: Linear;
  mlpNorm?: Norm;
  fc2: Linear;
  ls2: number;
  norm?: Norm; // after the block, of the notebook tutorial
  bias: number; // (A, T, T), by relative positions
}

export interface Pool {
  latent: Matrix;
  q: Linear;
  kv: Linear;
  proj: Linear;
  norm: Norm;
  fc1: Linear;
  fc2: Linear;
  heads: number;
}

/** All weights of a network. */
export type Weights = ReturnType<typeof readWeights>;

/** Read a model file onto the heap. */
export function readWeights(file: ModelFile, heap: Heap) {
  const { config } = file.metadata;
  const sizes = sizesOf(config);
  const { A, D, K, L, prefix } = sizes;
  const linears: Linear[] = [];

  /** The place of a vector; 0 for none. */
  const vector = (name: string) => (file.has(name) ? heap.put(file.tensor(name).data) : 0);

  function linear(name: string): Linear {
    const { data, shape } = file.tensor(`${name}.weight`);
    const outputs = shape[0];
    const inputs = data.length / outputs;
    const bias = vector(`${name}.bias`);
    const w = heap.alloc(8 * inputs * Math.ceil(outputs / 8));
    const { f } = heap;
    for (let o = 0, from = 0; o < outputs; o++) {
      for (let i = 0, to = w + (o >> 3) * 8 * inputs + (o & 7); i < inputs; i++, to += 8) f[to] = data[from++];
    }
    const layer = { name, w, back: 0, bias, inputs, outputs };
    linears.push(layer);
    return layer;
  }

  function norm(name: string): Norm | undefined {
    if (!file.has(`${name}.weight`)) return undefined;
    const eps = config.architecture === 'vit' ? config.eps : 1e-5;
    return { name, w: vector(`${name}.weight`), b: vector(`${name}.bias`), eps };
  }

  /** Biases of attention scores by relative positions, (A, T, T). */
  function biasOf(table: string, index: Int32Array) {
    const { data } = file.tensor(table); // (rows, A)
    const bias = new Float32Array(A * index.length);
    for (let h = 0; h < A; h++) {
      for (let i = 0; i < index.length; i++) bias[h * index.length + i] = data[index[i] * A + h];
    }
    return heap.put(bias);
  }

  const index = file.has('blocks.0.attn.relative_position_bias_table') ? relativePositions(sizes) : null;
  const block = (name: string): Block => ({
    norm1: norm(`${name}.norm1`)!,
    qkv: linear(`${name}.attn.qkv`),
    qNorm: norm(`${name}.attn.q_norm`),
    kNorm: norm(`${name}.attn.k_norm`),
    attnNorm: norm(`${name}.attn.norm`),
    proj: linear(`${name}.attn.proj`),
    ls1: vector(`${name}.ls1.gamma`),
    norm2: norm(`${name}.norm2`)!,
    fc1: linear(`${name}.mlp.fc1`),
    mlpNorm: norm(`${name}.mlp.norm`),
    fc2: linear(`${name}.mlp.fc2`),
    ls2: vector(`${name}.ls2.gamma`),
    norm: norm(`${name}.norm`),
    bias: index ? biasOf(`${name}.attn.relative_position_bias_table`, index) : 0,
  });

  function poolOf(heads: number): Pool {
    const latent = { at: vector('attn_pool.latent'), rows: 1, n: D, grad: 0 };
    const [q, kv, proj, fc1, fc2] = ['q', 'kv', 'proj', 'mlp.fc1', 'mlp.fc2'].map((name) =>
      linear(`attn_pool.${name}`),
    );
    return { latent, q, kv, proj, fc1, fc2, heads, norm: norm('attn_pool.norm')! };
  }

  /** Prefix tokens with their positions (R, D), and the positions of the patches (N, D), if they have any. */
  function readTokens(): [Float32Array, Float32Array | null] {
    const names = ['cls_token', 'dist_token', 'reg_token'].filter((name) => file.has(name));
    const tokens = Float32Array.from(names.flatMap((name) => [...file.tensor(name).data]));
    if (!file.has('pos_embed')) return [tokens, null];
    const { data } = file.tensor('pos_embed');
    const embedded = config.no_embed_class ? 0 : prefix * D;
    for (let i = 0; i < embedded; i++) tokens[i] += data[i];
    return [tokens, data.subarray(embedded)];
  }

  /** Sines and cosines of the rotary positions, (1 or A, N, d), of each layer or of all. */
  function readWaves() {
    const freqs = file.has('rope_freqs') ? file.tensor('rope_freqs').data : null;
    const waves = ropeAngles(config, sizes, freqs).map((of) => [
      heap.put(of.map(Math.sin)),
      heap.put(of.map(Math.cos)),
    ]);
    return waves.length === 1 ? Array<number[]>(L).fill(waves[0]) : waves;
  }

  const embed = linear(config.architecture === 'vit' ? 'patch_embed.proj' : 'patch_embed');
  const [prefixTokens, positions] = readTokens();
  const heads = ['head_proj', 'head', 'head.0', 'head.1'].filter((name) => file.has(`${name}.weight`));
  return {
    embed,
    prefixTokens,
    positions,
    preNorm: norm('norm_pre'),
    blocks: Array.from({ length: L }, (_, l) => block(`blocks.${l}`)),
    norm: norm('norm'),
    pool: config.global_pool === 'map' ? poolOf(config.attn_pool_num_heads || A) : null,
    fcNorm: norm('fc_norm'),
    head: heads.map(linear), // one after the other
    distHead: config.distilled && K ? linear('head_dist') : null,
    waves: readWaves(),
    linears,
  };
}

/** The weights (out, in) of a layer packed for the backward pass. */
export function packTransposed(heap: Heap, { w, inputs, outputs }: Linear) {
  const at = heap.alloc(8 * outputs * Math.ceil(inputs / 8));
  const { f } = heap;
  for (let o = 0; o < outputs; o++) {
    for (let i = 0; i < inputs; i++) {
      f[at + (i >> 3) * 8 * outputs + 8 * o + (i & 7)] = f[w + (o >> 3) * 8 * inputs + 8 * i + (o & 7)];
    }
  }
  return at;
}
