/* Final norm, pooling and head of a network. */

import { attend } from './attend';
import { ACTIVATIONS } from './fallback';
import type { Matrix, Tape } from './tape';
import { sizesOf, type ViTConfig } from './vitConfig';
import type { Pool, Weights } from './weights';

/** The number of tokens that the head reads, from the first one. */
export const tokensRead = ({ global_pool, distilled }: ViTConfig) =>
  global_pool === 'token' ? 1 + Number(distilled) : Infinity;

/** Tokens, all or those that the head reads, -> logits (1, K) and the weights of attention pooling (heads, t). */
export function runHead(tape: Tape, weights: Weights, config: ViTConfig, tokens: Matrix) {
  const { prefix: R } = sizesOf(config);
  const { global_pool, distilled, normalize_head, pool_include_prefix } = config;
  const { head, distHead } = weights;
  let x = tape.rows(tokens, 0, Math.min(tokensRead(config), tokens.rows));
  if (weights.norm) x = tape.norm(x, weights.norm);
  let pool: Float32Array | null = null;
  if (weights.pool) {
    const first = pool_include_prefix ? 0 : R;
    const read = tape.rows(x, first, x.rows - first);
    [x, pool] = poolTokens(tape, read, first, weights.pool, ACTIVATIONS.indexOf(config.act_layer));
  } else if (global_pool !== 'token') {
    const mean = Array.from({ length: x.rows }, (_, row) => (row < R ? 0 : 1 / (x.rows - R)));
    x = tape.mixRows(x, global_pool === 'avg' ? [mean] : [[1], mean]);
  }
  if (weights.fcNorm) x = tape.norm(x, weights.fcNorm);
  if (distHead) {
    const both = [tape.linear(tape.rows(x, 0, 1), head[0]), tape.linear(tape.rows(x, 1, 1), distHead)];
    return { logits: tape.mixRows(tape.add(both[0], both[1]), [[0.5]]), pool };
  }
  x = distilled ? tape.mixRows(x, [[0.5, 0.5]]) : tape.reshape(x, 1, x.rows * x.n);
  head.forEach((layer, i) => {
    if (normalize_head && i === head.length - 1) x = tape.normalize(x);
    x = tape.linear(x, layer);
  });
  return { logits: x, pool };
}

/** Attention pooling of tokens, the first of which has the number `first`. */
function poolTokens(tape: Tape, x: Matrix, first: number, of: Pool, activation: number): [Matrix, Float32Array] {
  const D = x.n;
  const kv = tape.linear(x, of.kv);
  const q = { x: tape.linear({ ...of.latent }, of.q), first: 0 };
  const scale = (D / of.heads) ** -0.5;
  const found = attend(tape, q, { x: kv, first: 0 }, { x: kv, first: D }, D, { heads: of.heads, scale });
  const y = tape.linear(found.mixed, of.proj);
  const hidden = tape.activate(tape.linear(tape.norm(y, of.norm), of.fc1), activation);
  const t = first + x.rows;
  const weights = new Float32Array(of.heads * t);
  for (let h = 0; h < of.heads; h++) {
    const at = found.weights + h * x.rows;
    weights.set(tape.heap.f.subarray(at, at + x.rows), h * t + first);
  }
  return [tape.add(y, tape.linear(hidden, of.fc2)), weights];
}
