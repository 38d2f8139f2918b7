/* A Vision Transformer in the heap: forward passes with attention, and gradients block by block, as
   `backward_by_block` in vitviz/models/backward.py. Letters in shapes are those of vitviz/models/vit.py. */

import { RefusedError } from '../lib/refused';
import { type Attended, attend, type Rope } from './attend';
import { ACTIVATIONS } from './fallback';
import { runHead, tokensRead } from './head';
import type { Heap } from './heap';
import { Patches } from './patches';
import type { ModelFile } from './safetensors';
import { type Matrix, type Rules, Tape } from './tape';
import type { Sizes, ViTConfig } from './vitConfig';
import { packTransposed, readWeights, type Weights } from './weights';

/** The input of a forward pass. */
export interface Input {
  pixels: Float32Array; // normalized, (3, H, W)
  keep: number[] | null; // patches that enter the network, ascending; null for all
  replaced: (Float32Array | undefined)[][] | null; // outputs (d) of the ablated heads, [L][A]
  asked?: Float32Array; // query of the class token instead of its own, (L, A, d)
}

/** The result of a forward pass, without the removed patches. */
export interface Output {
  logits: Float32Array; // (K,)
  attention: Float32Array[]; // of each layer, (A, T, T)
  tokens: Float32Array[]; // the input of each block and the output of the last, L + 1 of (T, D)
  pool: Float32Array | null; // weights of attention pooling, (heads, T)
}

/** One block on a tape. */
export interface BlockTrace {
  x: Matrix; // (T, D)
  qkv: Matrix; // (T, 3 D)
  attended: Attended;
  mlp: Matrix; // the output of its last layer, (T, D)
  added: Matrix; // what it adds, (T, D)
  out: Matrix; // (Q, D)
}

const HEAD_MEANS = 'training.head_means';
const NO_MEANS = 'The file of this model has no mean outputs of heads. Replace heads by zeros.';
const [GELU, SILU] = [ACTIVATIONS.indexOf('gelu'), ACTIVATIONS.indexOf('silu')];

export class Network {
  readonly config: ViTConfig;
  readonly sizes: Sizes;
  readonly patches: Patches;
  readonly weights: Weights;
  #base: number; // the end of the weights

  constructor(
    readonly file: ModelFile,
    readonly heap: Heap,
  ) {
    this.config = file.metadata.config;
    this.patches = new Patches(this.config);
    this.sizes = this.patches.sizes;
    this.weights = readWeights(file, heap);
    this.#base = heap.top;
  }

  // Forward pass

  /** Start with an empty heap but for the weights, and those of the backward pass if `rules` has one. */
  tape(rules: Rules | null): Tape {
    const { heap } = this;
    heap.top = this.#base;
    if (rules && !this.weights.linears.at(-1)!.back) {
      // or memory ran out on the way
      for (const layer of this.weights.linears) layer.back = packTransposed(this.heap, layer);
      this.#base = heap.top;
    }
    return new Tape(heap, rules);
  }

  /** Copy values (rows, n) onto the heap. */
  leaf(tape: Tape, values: Float32Array, n: number): Matrix {
    return { at: tape.heap.put(values), rows: values.length / n, n, grad: 0 };
  }

  /** Patches (n, 3 P P) -> the input of the first block (T, D). */
  embed(tape: Tape, patches: Matrix, keep: number[] | null): Matrix {
    const { D, prefix: R } = this.sizes;
    const embedded = tape.linear(patches, this.weights.embed);
    const x = tape.matrix(R + patches.rows, D);
    const { f } = tape.heap;
    f.set(this.weights.prefixTokens, x.at);
    f.copyWithin(x.at + R * D, embedded.at, embedded.at + patches.rows * D);
    for (let n = 0; this.weights.positions && n < patches.rows; n++) {
      const [to, from] = [x.at + (R + n) * D, (keep?.[n] ?? n) * D];
      for (let i = 0; i < D; i++) f[to + i] += this.weights.positions[from + i];
    }
    tape.record(x, () => tape.heap.kernels.add(x.grad + R * D, tape.gradOf(embedded), patches.rows * D));
    return this.weights.preNorm ? tape.norm(x, this.weights.preNorm) : x;
  }

  /** What attention needs in a layer with these patches: rotary waves and biases are put on the heap. */
  #placed(l: number, keep: number[] | null): { rope: Rope | null; bias: number } {
    const { heap, sizes, config } = this;
    const { N, T, A, d, prefix } = sizes;
    let rope: Rope | null = null;
    const waves = this.weights.waves[l];
    if (waves) {
      const heads = config.rope_type === 'mixed' ? A : 1;
      const [n, kept] = [keep?.length ?? N, keep ?? []];
      const [sin, cos] = !keep
        ? waves
        : waves.map((from) => {
            const to = heap.alloc(heads * n * d);
            for (let h = 0; h < heads; h++) {
              kept.forEach((patch, i) => {
                const at = from + (h * N + patch) * d;
                heap.f.copyWithin(to + (h * n + i) * d, at, at + d);
              });
            }
            return to;
          });
      rope = { sin, cos, prefix, half: config.rope_rotate_half, step: heads > 1 ? n * d : 0 };
    }
    const { bias } = this.weights.blocks[l];
    if (!bias || !keep) return { rope, bias };
    const tokens = [0, ...keep.map((patch) => 1 + patch)];
    const some = heap.alloc(A * tokens.length ** 2);
    let to = some;
    for (let h = 0; h < A; h++) {
      for (const i of tokens) for (const j of tokens) heap.f[to++] = heap.f[bias + (h * T + i) * T + j];
    }
    return { rope, bias: some };
  }

  /** One block with its first Q queries alone. */
  block(tape: Tape, l: number, x: Matrix, input: Input, Q = x.rows): BlockTrace {
    const { D, A, d } = this.sizes;
    const { architecture, act_layer, swiglu_mlp } = this.config;
    const block = this.weights.blocks[l];
    const isNormed = architecture === 'tutorial-lightning'; // residual connections skip from the normed input
    const scale = (architecture.startsWith('tutorial-scratch') ? D : d) ** -0.5;
    const normed = tape.norm(x, block.norm1);
    const qkv = tape.leaf(tape.linear(normed, block.qkv));
    const columns = (part: number, rows = x.rows) => ({ x: tape.rows(qkv, 0, rows), first: part * D });
    const { rope, bias } = this.#placed(l, input.keep);
    const { qNorm, kNorm } = block;
    const [replaced, asked] = [input.replaced?.[l], input.asked?.subarray(l * D, (l + 1) * D)];
    const options = { heads: A, scale, qNorm, kNorm, rope, bias, replaced, asked };
    const attended = attend(tape, columns(0, Q), columns(1), columns(2), D, options);
    let y = block.attnNorm ? tape.norm(attended.mixed, block.attnNorm) : attended.mixed;
    y = tape.linear(y, block.proj);
    if (block.ls1) y = tape.scale(y, block.ls1);
    y = tape.add(tape.rows(isNormed ? normed : x, 0, Q), y);
    if (isNormed) y = tape.norm(y, block.norm2);
    let hidden = tape.linear(isNormed ? y : tape.norm(y, block.norm2), block.fc1);
    hidden = swiglu_mlp ? tape.gate(hidden, SILU) : tape.activate(hidden, ACTIVATIONS.indexOf(act_layer));
    if (block.mlpNorm) hidden = tape.norm(hidden, block.mlpNorm);
    const mlp = tape.leaf(tape.linear(hidden, block.fc2));
    let added = mlp;
    if (block.ls2) added = tape.scale(mlp, block.ls2);
    if (architecture === 'tutorial-notebook') added = tape.activate(mlp, GELU);
    const out = tape.add(y, added);
    return { x, qkv, attended, mlp, added, out: block.norm ? tape.norm(out, block.norm) : out };
  }

  /** Logits, attention and tokens. */
  forward(input: Input): Output {
    const attention: Float32Array[] = [];
    const tokens: Float32Array[] = [];
    const visit = ({ attended, x }: BlockTrace) => {
      const { f } = this.heap;
      attention.push(f.slice(attended.weights, attended.weights + this.sizes.A * x.rows ** 2));
      tokens.push(f.slice(x.at, x.at + x.rows * x.n));
    };
    const { logits, pool, last } = this.#run(input, Infinity, visit);
    return { logits, attention, tokens: [...tokens, last], pool };
  }

  /** Logits alone: the last block computes what the head reads. */
  logits(input: Input): Float32Array {
    return this.#run(input, tokensRead(this.config)).logits;
  }

  /** What the head makes of tokens (T, D) that enter a block: logits, or without classes the features. */
  outputFrom(input: Input, tokens: Float32Array, layer: number): Float32Array {
    return this.#run(input, tokensRead(this.config), undefined, { tokens, layer }).output;
  }

  /** @param start the tokens that enter a block, by default those of the image */
  #run(
    input: Input,
    read: number,
    visit?: (trace: BlockTrace) => void,
    start?: { tokens: Float32Array; layer: number },
  ) {
    const tape = this.tape(null);
    const { heap } = this;
    const { D, K, L } = this.sizes;
    const rows = this.sizes.prefix + (input.keep?.length ?? this.sizes.N);
    const x = tape.matrix(rows, D); // of all blocks, one after the other
    const mark = heap.top;
    if (start) heap.f.set(start.tokens, x.at);
    else {
      const patches = this.patches.cut(input.pixels, input.keep ?? undefined);
      const first = this.embed(tape, this.leaf(tape, patches, this.weights.embed.inputs), input.keep);
      heap.f.copyWithin(x.at, first.at, first.at + rows * D);
    }
    for (let l = start?.layer ?? 0; l < L; l++) {
      heap.top = mark;
      const trace = this.block(tape, l, x, input, l < L - 1 ? rows : Math.min(rows, read));
      visit?.(trace);
      x.rows = trace.out.rows;
      heap.f.copyWithin(x.at, trace.out.at, trace.out.at + x.rows * D);
    }
    heap.top = mark;
    const { logits, pool } = runHead(tape, this.weights, this.config, x);
    const { f } = heap;
    const output = f.slice(logits.at, logits.at + logits.n);
    return { logits: output.slice(0, K), output, pool, last: f.slice(x.at, x.at + x.rows * D) };
  }

  /** Norms of the value vectors of each head after the output projection and LayerScale, (A, t), of the tokens (t, D)
      that enter a block; as `value_vectors` in vitviz/models/vit.py. */
  valueNorms(l: number, tokens: Float32Array): Float32Array {
    const tape = this.tape(null);
    const { heap } = this;
    const { D, A, d } = this.sizes;
    const { norm1, qkv, attnNorm, proj, ls1 } = this.weights.blocks[l];
    const values = tape.linear(tape.norm(this.leaf(tape, tokens, D), norm1), qkv);
    const added = tape.matrix(values.rows, D);
    const norms = new Float32Array(A * values.rows);
    const { f } = heap;
    for (let i = 0; attnNorm && i < values.rows * D; i++) {
      f[values.at + Math.floor(i / D) * 3 * D + 2 * D + (i % D)] *= f[attnNorm.w + (i % D)];
    }
    for (let h = 0; h < A; h++) {
      const [from, panels] = [values.at + 2 * D + h * d, proj.w + 8 * h * d];
      heap.kernels.gemm(from, 3 * D, panels, 8 * D, 0, added.at, D, values.rows, d, D);
      for (let i = 0; i < values.rows; i++) {
        let sum = 0;
        for (let j = 0; j < D; j++) sum += (f[added.at + i * D + j] * (ls1 ? f[ls1 + j] : 1)) ** 2;
        norms[h * values.rows + i] = Math.sqrt(sum);
      }
    }
    return norms;
  }

  /** Mean outputs of the heads over sample images, (L, A, d).
      @throws RefusedError if the file has none */
  get headMeans(): Float32Array {
    if (!this.file.has(HEAD_MEANS)) throw new RefusedError(NO_MEANS);
    return this.file.tensor(HEAD_MEANS).data;
  }

  // Gradients

  /** The gradient of the output of the last block, (T, D), of a weighted sum of the logits, and the products of the
      biases after it. */
  headGradient(output: Output, target: Float32Array, rules: Rules) {
    const tape = this.tape(rules);
    const x = this.leaf(tape, output.tokens.at(-1)!, this.sizes.D);
    tape.backward(this.head(tape, x), target);
    return { grad: this.gradient(x), biases: tape.biases };
  }

  /** Tokens (t, D) -> logits (1, K). */
  head(tape: Tape, tokens: Matrix): Matrix {
    return runHead(tape, this.weights, this.config, tokens).logits;
  }

  gradient(x: Matrix): Float32Array {
    return x.grad ? this.heap.f.slice(x.grad, x.grad + x.rows * x.n) : new Float32Array(x.rows * x.n);
  }

  /** Run the blocks again from the last one to the first, each with its gradients, and return that of the first one's
      input, (T, D). `grad` is that of the last one's output. */
  backward(
    input: Input,
    output: Output,
    grad: Float32Array,
    rules: Rules,
    visit: (trace: BlockTrace, l: number, tape: Tape) => void,
  ): Float32Array {
    let found = grad;
    for (let l = this.sizes.L - 1; l >= 0; l--) {
      const tape = this.tape(rules);
      const trace = this.block(tape, l, this.leaf(tape, output.tokens[l], this.sizes.D), input);
      tape.backward(trace.out, found);
      visit(trace, l, tape);
      found = this.gradient(trace.x);
    }
    return found;
  }

  /** The gradient of the pixels, (3, H, W), from that of the first block's input. */
  pixelGradient(input: Input, grad: Float32Array, rules: Rules): Float32Array {
    const tape = this.tape(rules);
    const patches = this.leaf(tape, this.patches.cut(input.pixels, input.keep ?? undefined), this.weights.embed.inputs);
    tape.backward(this.embed(tape, patches, input.keep), grad);
    return this.patches.join(this.gradient(patches), input.keep ?? undefined);
  }
}
