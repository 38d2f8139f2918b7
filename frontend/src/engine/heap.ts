/* The memory in which a network computes, and its kernels: WebAssembly with SIMD, or plain JavaScript where there is
   none. Places are indices of floats; each begins at a multiple of four. */

import { bytesOf } from '../lib/base64';
import { fallbackKernels } from './fallback';
import { RELAXED_SIMD, SIMD } from './wasm';

/** Operations on the heap. Matrices are rows of floats; `ld` is the distance of two rows. A packed matrix (K, N) is in
    panels of 8 columns, (N / 8, K, 8), the last one with columns whose values do not matter. */
export interface Kernels {
  /** c = a b + bias, (M, K) times packed (K, N), `panel` floats from one panel to the next; bias 0 for none. */
  gemm(
    a: number,
    lda: number,
    b: number,
    panel: number,
    bias: number,
    c: number,
    ldc: number,
    M: number,
    K: number,
    N: number,
  ): void;
  /** Pack x, (K, N). */
  pack(x: number, ldx: number, y: number, K: number, N: number): void;
  /** Pack the transposed of x, (N, K). */
  packTransposed(x: number, ldx: number, y: number, K: number, N: number): void;
  /** y = activation of x by number, see `ACTIVATIONS`; n is rounded up to a multiple of 4. */
  activate(x: number, y: number, n: number, kind: number): void;
  /** Softmax of scale x + bias over rows of n, without gaps; bias 0 for none. */
  softmax(x: number, y: number, rows: number, n: number, scale: number, bias: number): void;
  /** LayerNorm of rows of n with weight w and bias b. */
  layerNorm(
    x: number,
    ldx: number,
    y: number,
    ldy: number,
    rows: number,
    n: number,
    w: number,
    b: number,
    eps: number,
  ): void;
  /** y += x, n floats. */
  add(x: number, y: number, n: number): void;
}

export type KernelKind = 'relaxed' | 'simd' | 'javascript';

const PAGE = 16_384; // floats of a page of WebAssembly's memory
const FIRST = 4; // place 0 stands for none
const SLACK = 1024; // kernels read, and write, a little beyond the end

export class Heap {
  /** All floats; another array after each `alloc`. */
  f: Float32Array<ArrayBuffer>;
  readonly kernels: Kernels;
  /** Which kernels run. */
  readonly kind: KernelKind;
  /** The end of what is used; what is beyond may be overwritten. */
  top = FIRST;
  readonly #grow: (floats: number) => Float32Array<ArrayBuffer>;

  /** @param kinds the kernels to try, in this order */
  constructor(kinds: readonly KernelKind[] = ['relaxed', 'simd', 'javascript']) {
    for (const kind of kinds) {
      const found = kind === 'javascript' ? null : load(kind === 'relaxed' ? RELAXED_SIMD : SIMD);
      if (kind !== 'javascript' && !found) continue;
      this.kind = kind;
      this.f = new Float32Array(found?.memory.buffer ?? new ArrayBuffer(4 * PAGE));
      this.kernels = found?.kernels ?? fallbackKernels(() => this.f);
      this.#grow = (floats) => {
        if (found) {
          found.memory.grow(Math.ceil((floats - this.f.length) / PAGE));
          return new Float32Array(found.memory.buffer);
        }
        const grown = new Float32Array(floats);
        grown.set(this.f);
        return grown;
      };
      return;
    }
    throw new Error(`no kernels of ${kinds}`);
  }

  /** Reserve n floats, whose values are any. */
  alloc(n: number): number {
    const at = this.top;
    this.top = (at + n + 3) & ~3;
    if (this.top + SLACK > this.f.length) this.f = this.#grow(Math.ceil((1.2 * this.top + SLACK) / PAGE) * PAGE);
    return at;
  }

  /** Reserve n zeros. */
  zeros(n: number): number {
    const at = this.alloc(n);
    this.f.fill(0, at, at + n);
    return at;
  }

  /** Store an array. */
  put(values: ArrayLike<number>): number {
    const at = this.alloc(values.length);
    this.f.set(values, at);
    return at;
  }
}

/** The kernels of a module; null where it does not run. */
function load(base64: string) {
  try {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(base64)), { env: { memory } });
    const e = exports as unknown as Kernels;
    const kernels: Kernels = {
      gemm: (a, lda, b, panel, bias, c, ldc, M, K, N) =>
        e.gemm(4 * a, lda, 4 * b, panel, 4 * bias, 4 * c, ldc, M, K, N),
      pack: (x, ldx, y, K, N) => e.pack(4 * x, ldx, 4 * y, K, N),
      packTransposed: (x, ldx, y, K, N) => e.packTransposed(4 * x, ldx, 4 * y, K, N),
      activate: (x, y, n, kind) => e.activate(4 * x, 4 * y, n, kind),
      softmax: (x, y, rows, n, scale, bias) => e.softmax(4 * x, 4 * y, rows, n, scale, 4 * bias),
      layerNorm: (x, ldx, y, ldy, rows, n, w, b, eps) =>
        e.layerNorm(4 * x, ldx, 4 * y, ldy, rows, n, 4 * w, 4 * b, eps),
      add: (x, y, n) => e.add(4 * x, 4 * y, n),
    };
    return { memory, kernels };
  } catch {
    return null; // no WebAssembly, no such instructions, or a policy that forbids it
  }
}
