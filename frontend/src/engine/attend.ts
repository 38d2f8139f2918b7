/* Attention on a tape. */

import type { Heap } from './heap';
import type { Matrix, Norm, Tape } from './tape';

/** Rotary position embeddings of the patches: waves (n, d) of one head after another, or of all. */
export interface Rope {
  sin: number;
  cos: number;
  prefix: number;
  half: boolean;
  step: number; // floats from one head to the next
}

/** What attention needs besides queries, keys and values. */
interface AttendOptions {
  heads: number;
  scale: number;
  qNorm?: Norm;
  kNorm?: Norm;
  rope?: Rope | null;
  bias?: number; // (A, T, T) in the heap
  replaced?: (Float32Array | undefined)[] | null; // outputs of ablated heads
  asked?: Float32Array; // scaled query of the first token instead of its own, (A, d)
}

/** The columns of a matrix at which one head after the other begins. */
interface Columns {
  x: Matrix;
  first: number;
}

/** Weights and their gradients, (A, Q, T), the latter after a backward pass; and what they are made of. */
export interface Attended {
  mixed: Matrix;
  weights: number;
  grads: number;
  queries: number; // (A, Q, d), after norm and rotation
  keys: number; // (A, T, d)
}

/** Attention of queries (Q, A d) to keys and values (T, A d): the mixed values (Q, A d) and the weights. */
export function attend(tape: Tape, q: Columns, k: Columns, v: Columns, D: number, options: AttendOptions): Attended {
  const { heap, rules } = tape;
  const { kernels } = heap;
  const { heads, scale, bias = 0 } = options;
  const [Q, T, d] = [q.x.rows, k.x.rows, D / heads];
  const mixed = tape.matrix(Q, D);
  const weights = heap.alloc(heads * Q * T);
  const queries = heap.alloc(Q * D);
  const keys = heap.alloc(T * D);
  const scores = heap.alloc(Q * T);
  const panels = heap.alloc((T + 8) * (d + 8));
  const found: Attended = { mixed, weights, grads: 0, queries, keys };
  for (let h = 0; h < heads; h++) {
    const [query, key, of] = [queries + h * Q * d, keys + h * T * d, weights + h * Q * T];
    prepare(heap, q, query, h, d, options.qNorm, options.rope);
    prepare(heap, k, key, h, d, options.kNorm, options.rope);
    if (options.asked) for (let i = 0; i < d; i++) heap.f[query + i] = options.asked[h * d + i] / scale;
    kernels.packTransposed(key, d, panels, d, T);
    kernels.gemm(query, d, panels, 8 * d, 0, scores, T, Q, d, T);
    kernels.softmax(scores, of, Q, T, scale, bias && bias + h * T * T);
    kernels.pack(v.x.at + v.first + h * d, v.x.n, panels, T, d);
    kernels.gemm(of, T, panels, 8 * T, 0, mixed.at + h * d, D, Q, T, d);
    const replacement = options.replaced?.[h];
    for (let i = 0; replacement && i < Q; i++) heap.f.set(replacement, mixed.at + i * D + h * d);
  }
  tape.record(mixed, () => {
    found.grads = heap.alloc(heads * Q * T);
    const [turned, dq] = [heap.alloc(T * Q), heap.alloc(Math.max(Q, T) * d)];
    const wide = heap.alloc((Math.max(Q, T) + 8) * (d + 8));
    const ends = [q, k, v].map(({ x, first }) => tape.gradOf(x) + first);
    for (let h = 0; h < heads; h++) {
      const [of, grads, dm] = [weights + h * Q * T, found.grads + h * Q * T, mixed.grad + h * d];
      const { f } = heap;
      if (options.replaced?.[h]) {
        f.fill(0, grads, grads + Q * T);
        continue;
      }
      kernels.packTransposed(v.x.at + v.first + h * d, v.x.n, wide, d, T);
      kernels.gemm(dm, D, wide, 8 * d, 0, grads, T, Q, d, T);
      transpose(f, of, turned, Q, T);
      kernels.pack(dm, D, wide, Q, d);
      kernels.gemm(turned, Q, wide, 8 * Q, 0, dq, d, T, Q, d);
      addRows(f, dq, ends[2] + h * d, v.x.n, T, d);
      if (rules !== 'plain') continue;
      for (let i = 0; i < Q; i++) {
        let product = 0;
        for (let j = i * T; j < (i + 1) * T; j++) product += f[of + j] * f[grads + j];
        for (let j = i * T; j < (i + 1) * T; j++) f[scores + j] = f[of + j] * (f[grads + j] - product) * scale;
      }
      const [query, key] = [queries + h * Q * d, keys + h * T * d];
      transpose(f, scores, turned, Q, T);
      kernels.pack(key, d, wide, T, d);
      kernels.gemm(scores, T, wide, 8 * T, 0, dq, d, Q, T, d);
      unprepare(tape, q, dq, ends[0], h, d, options.qNorm, options.rope);
      kernels.pack(query, d, wide, Q, d);
      kernels.gemm(turned, Q, wide, 8 * Q, 0, dq, d, T, Q, d);
      unprepare(tape, k, dq, ends[1], h, d, options.kNorm, options.rope);
    }
  });
  return found;
}

/** Queries or keys of a head after norm and rotation, (rows, d). */
function prepare(heap: Heap, { x, first }: Columns, to: number, h: number, d: number, norm?: Norm, rope?: Rope | null) {
  const { f, kernels } = heap;
  const from = x.at + first + h * d;
  if (norm) kernels.layerNorm(from, x.n, to, d, x.rows, d, norm.w, norm.b, norm.eps);
  else for (let i = 0; i < x.rows; i++) f.copyWithin(to + i * d, from + i * x.n, from + i * x.n + d);
  if (rope) rotate(f, to, x.rows, d, rope, h, 1);
}

/** Add the gradient of the columns to that of their matrix, from the gradient of `#prepare`, which is overwritten. */
function unprepare(
  tape: Tape,
  { x, first }: Columns,
  grad: number,
  to: number,
  h: number,
  d: number,
  norm?: Norm,
  rope?: Rope | null,
) {
  const { f } = tape.heap;
  if (rope) rotate(f, grad, x.rows, d, rope, h, -1);
  if (norm) tape.normBack(norm, [x.at + first + h * d, x.n], [grad, d], [to + h * d, x.n], x.rows, d);
  else addRows(f, grad, to + h * d, x.n, x.rows, d);
}

/** Rotate the patches among rows (rows, d), or back with sign -1. */
function rotate(f: Float32Array, x: number, rows: number, d: number, rope: Rope, h: number, sign: number) {
  const [sin, cos] = [rope.sin + h * rope.step, rope.cos + h * rope.step];
  const [next, step, count] = rope.half ? [d / 2, 1, d / 2] : [1, 2, d / 2];
  for (let i = rope.prefix; i < rows; i++) {
    const [at, wave] = [x + i * d, (i - rope.prefix) * d];
    for (let k = 0, j = 0; k < count; k++, j += step) {
      const [a, b] = [f[at + j], f[at + j + next]];
      f[at + j] = a * f[cos + wave + j] - sign * b * f[sin + wave + (sign > 0 ? j : j + next)];
      f[at + j + next] = b * f[cos + wave + j + next] + sign * a * f[sin + wave + (sign > 0 ? j + next : j)];
    }
  }
}

function transpose(f: Float32Array, x: number, y: number, rows: number, columns: number) {
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) f[y + j * rows + i] = f[x + i * columns + j];
}

/** Add rows (rows, n) to rows at a distance of `ld`. */
function addRows(f: Float32Array, x: number, y: number, ld: number, rows: number, n: number) {
  for (let i = 0; i < rows; i++) for (let j = 0; j < n; j++) f[y + i * ld + j] += f[x + i * n + j];
}
