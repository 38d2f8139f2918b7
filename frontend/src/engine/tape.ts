/* Operations of a network on matrices in the heap, and their gradients: each operation records the step that takes the
   gradient of its result to its inputs. The rules of the gradients are those of vitviz/models/backward.py. */

import { phi } from './fallback';
import type { Heap } from './heap';

/** A matrix (rows, n) in the heap, and the place of its gradient; 0 while there is none. */
export interface Matrix {
  at: number;
  rows: number;
  n: number;
  grad: number;
}

/** A linear layer: packed weights for the forward pass and for the backward pass, and bias; 0 for none. */
export interface Linear {
  name: string;
  w: number;
  back: number;
  bias: number;
  inputs: number;
  outputs: number;
}

export interface Norm {
  name: string;
  w: number;
  b: number;
  eps: number;
}

/** "plain": the true gradient. "balanced": LibraGrad. "stream": balanced, along the residual stream alone. */
export type Rules = 'plain' | 'balanced' | 'stream';

export class Tape {
  readonly #steps: (() => void)[] = [];
  /** Products of biases and their gradients by layer. */
  readonly biases = new Map<string, number>();

  /** @param rules null to record nothing */
  constructor(
    readonly heap: Heap,
    readonly rules: Rules | null,
  ) {}

  matrix(rows: number, n: number): Matrix {
    return { at: this.heap.alloc(rows * n), rows, n, grad: 0 };
  }

  /** Record the step of a result. */
  record(out: Matrix, step: () => void): Matrix {
    if (this.rules) this.#steps.push(() => out.grad && step());
    return out;
  }

  /** Run the steps, from the gradient of a result. */
  backward(out: Matrix, grad: ArrayLike<number>) {
    const at = this.gradOf(out); // may replace the floats
    this.heap.f.set(grad, at);
    for (const step of this.#steps.reverse()) step();
  }

  gradOf(x: Matrix) {
    x.grad ||= this.heap.zeros(x.rows * x.n);
    return x.grad;
  }

  get #isBalanced() {
    return this.rules !== 'plain';
  }

  #countBias(name: string, bias: number, out: Matrix) {
    const { f } = this.heap;
    let sum = this.biases.get(name) ?? 0;
    for (let i = 0; i < out.rows * out.n; i++) sum += f[out.grad + i] * f[bias + (i % out.n)];
    this.biases.set(name, sum);
  }

  linear(x: Matrix, layer: Linear): Matrix {
    const { heap } = this;
    const { inputs, outputs, name, bias } = layer;
    const out = this.matrix(x.rows, outputs);
    heap.kernels.gemm(x.at, inputs, layer.w, 8 * inputs, bias, out.at, outputs, x.rows, inputs, outputs);
    return this.record(out, () => {
      if (bias && this.rules === 'stream') this.#countBias(name, bias, out);
      const to = this.gradOf(x);
      const grad = heap.alloc(x.rows * inputs);
      heap.kernels.gemm(out.grad, outputs, layer.back, 8 * outputs, 0, grad, inputs, x.rows, outputs, inputs);
      heap.kernels.add(grad, to, x.rows * inputs);
    });
  }

  norm(x: Matrix, norm: Norm): Matrix {
    const out = this.matrix(x.rows, x.n);
    this.heap.kernels.layerNorm(x.at, x.n, out.at, x.n, x.rows, x.n, norm.w, norm.b, norm.eps);
    return this.record(out, () => {
      if (this.rules === 'stream') this.#countBias(norm.name, norm.b, out);
      this.normBack(norm, [x.at, x.n], [out.grad, x.n], [this.gradOf(x), x.n], x.rows, x.n);
    });
  }

  /** Add the gradient of a LayerNorm's input; pairs are places and distances of rows. */
  normBack(norm: Norm, [x, ldx]: number[], [dy, ldy]: number[], [dx, lddx]: number[], rows: number, n: number) {
    const { f } = this.heap;
    for (let i = 0; i < rows; i++) {
      const [at, from, to] = [x + i * ldx, dy + i * ldy, dx + i * lddx];
      let [mean, square, sum, product] = [0, 0, 0, 0];
      for (let j = 0; j < n; j++) mean += f[at + j];
      mean /= n;
      for (let j = 0; j < n; j++) {
        const deviation = f[at + j] - mean;
        const grad = f[from + j] * f[norm.w + j];
        square += deviation * deviation;
        sum += grad;
        product += grad * deviation;
      }
      const variance = square / n + norm.eps;
      const rstd = 1 / Math.sqrt(variance);
      const slope = this.#isBalanced ? 0 : product / n / variance;
      for (let j = 0; j < n; j++) {
        f[to + j] += rstd * (f[from + j] * f[norm.w + j] - sum / n - (f[at + j] - mean) * slope);
      }
    }
  }

  /** An activation by its number. */
  activate(x: Matrix, kind: number): Matrix {
    const count = x.rows * x.n;
    const out = this.matrix(x.rows, x.n);
    this.heap.kernels.activate(x.at, out.at, count, kind);
    return this.record(out, () => {
      const to = this.gradOf(x);
      const { f } = this.heap;
      for (let i = 0; i < count; i++) {
        const [factor, slope] = phi(kind, f[x.at + i]);
        f[to + i] += f[out.grad + i] * (this.#isBalanced ? factor : factor + f[x.at + i] * slope);
      }
    });
  }

  /** SwiGLU of gates and values in the two halves of the columns. */
  gate(x: Matrix, silu: number): Matrix {
    const n = x.n / 2;
    const whole = this.matrix(x.rows, x.n);
    this.heap.kernels.activate(x.at, whole.at, x.rows * x.n, silu);
    const out = this.matrix(x.rows, n);
    const { f } = this.heap;
    const places = (i: number, j: number) => [i * x.n + j, i * x.n + n + j, i * n + j];
    for (let i = 0; i < x.rows; i++) {
      for (let j = 0; j < n; j++) {
        const [gate, value, at] = places(i, j);
        f[out.at + at] = f[whole.at + gate] * f[x.at + value];
      }
    }
    return this.record(out, () => {
      const to = this.gradOf(x);
      const { f } = this.heap;
      for (let i = 0; i < x.rows; i++) {
        for (let j = 0; j < n; j++) {
          const [gate, value, at] = places(i, j);
          f[to + value] += f[out.grad + at] * f[whole.at + gate];
          if (this.#isBalanced) continue;
          const [factor, slope] = phi(silu, f[x.at + gate]);
          f[to + gate] += f[out.grad + at] * f[x.at + value] * (factor + f[x.at + gate] * slope);
        }
      }
    });
  }

  add(x: Matrix, y: Matrix): Matrix {
    const count = x.rows * x.n;
    const out = this.matrix(x.rows, x.n);
    this.heap.f.copyWithin(out.at, x.at, x.at + count);
    this.heap.kernels.add(y.at, out.at, count);
    return this.record(out, () => {
      for (const one of [x, y]) this.heap.kernels.add(out.grad, this.gradOf(one), count);
    });
  }

  /** Multiply each column by its scale. */
  scale(x: Matrix, scale: number): Matrix {
    const out = this.matrix(x.rows, x.n);
    const { f } = this.heap;
    for (let i = 0; i < x.rows * x.n; i++) f[out.at + i] = f[x.at + i] * f[scale + (i % x.n)];
    return this.record(out, () => {
      const to = this.gradOf(x);
      const { f } = this.heap;
      for (let i = 0; i < x.rows * x.n; i++) f[to + i] += f[out.grad + i] * f[scale + (i % x.n)];
    });
  }

  /** Some of the rows. */
  rows(x: Matrix, first: number, rows: number): Matrix {
    if (rows === x.rows) return x;
    const out = { at: x.at + first * x.n, rows, n: x.n, grad: 0 };
    return this.record(out, () => this.heap.kernels.add(out.grad, this.gradOf(x) + first * x.n, rows * x.n));
  }

  /** The same values in other rows. */
  reshape(x: Matrix, rows: number, n: number): Matrix {
    const out = { at: x.at, rows, n, grad: 0 };
    return this.record(out, () => this.heap.kernels.add(out.grad, this.gradOf(x), rows * n));
  }

  /** Rows that are weighted sums of the rows of x, by weights (sums, rows). */
  mixRows(x: Matrix, weights: number[][]): Matrix {
    const out = this.matrix(weights.length, x.n);
    const { f } = this.heap;
    f.fill(0, out.at, out.at + out.rows * out.n);
    const each = (visit: (weight: number, from: number, to: number) => void) =>
      weights.forEach((of, i) => {
        of.forEach((weight, k) => {
          if (weight) for (let j = 0; j < x.n; j++) visit(weight, k * x.n + j, i * x.n + j);
        });
      });
    each((weight, from, to) => {
      f[out.at + to] += weight * f[x.at + from];
    });
    return this.record(out, () => {
      const grad = this.gradOf(x);
      const { f } = this.heap;
      each((weight, from, to) => {
        f[grad + from] += weight * f[out.grad + to];
      });
    });
  }

  /** x / |x|, one row. */
  normalize(x: Matrix): Matrix {
    const out = this.matrix(1, x.n);
    const { f } = this.heap;
    const size = Math.max(1e-12, Math.hypot(...f.subarray(x.at, x.at + x.n)));
    for (let j = 0; j < x.n; j++) f[out.at + j] = f[x.at + j] / size;
    return this.record(out, () => {
      const to = this.gradOf(x);
      const { f } = this.heap;
      let product = 0;
      if (!this.#isBalanced) for (let j = 0; j < x.n; j++) product += f[out.grad + j] * f[out.at + j];
      for (let j = 0; j < x.n; j++) f[to + j] += (f[out.grad + j] - product * f[out.at + j]) / size;
    });
  }

  /** In the rules of the residual stream a constant, whose gradient is known but goes no further. */
  leaf(x: Matrix): Matrix {
    return this.rules === 'stream' ? { ...x } : x;
  }
}
