/* The kernels in plain JavaScript, 7 to 14 times slower than those of assembly/kernels.ts. */

import type { Kernels } from './heap';

/** Activations x phi(x), by number. */
export const ACTIVATIONS = ['gelu', 'gelu_tanh', 'quick_gelu', 'silu'] as const;

/** phi of an activation, and its slope. */
export function phi(kind: number, x: number): [number, number] {
  if (kind === 0) return [0.5 + 0.5 * erf(x * Math.SQRT1_2), Math.exp(-0.5 * x * x) * 0.3989422804014327];
  const [z, slope] =
    kind === 1
      ? [1.5957691216057308 * (x + 0.044715 * x ** 3), 1.5957691216057308 * (1 + 0.134145 * x * x)]
      : kind === 2
        ? [1.702 * x, 1.702]
        : [x, 1];
  const sigmoid = 1 / (1 + Math.exp(-z));
  return [sigmoid, sigmoid * (1 - sigmoid) * slope];
}

const NUMERATOR = [
  -2.72614225801306e-10, 2.77068142495902e-8, -2.10102402082508e-6, -5.69250639462346e-5, -7.34990630326855e-4,
  -2.954599803e-3, -1.60960333262415e-2,
];
const DENOMINATOR = [
  -1.45660718464996e-5, -2.13374055278905e-4, -1.68282697438203e-3, -7.37332916720468e-3, -1.42647390514189e-2,
];

/** The error function, to 1e-7 (the rational approximation of Eigen). */
function erf(x: number) {
  const t = Math.max(-4, Math.min(4, x));
  const at = (coefficients: number[]) => coefficients.reduce((sum, one) => sum * t * t + one, 0);
  return (t * at(NUMERATOR)) / at(DENOMINATOR);
}

export function fallbackKernels(heap: () => Float32Array): Kernels {
  return {
    gemm(a, lda, b, panel, bias, c, ldc, M, K, N) {
      const f = heap();
      const sums = new Float64Array(8);
      for (let j = 0; j < N; j += 8) {
        const n = Math.min(8, N - j);
        for (let i = 0; i < M; i++) {
          for (let q = 0; q < 8; q++) sums[q] = bias ? f[bias + j + q] : 0;
          for (let k = 0, p = b + (j >> 3) * panel, at = a + i * lda; k < K; k++, p += 8, at++) {
            const x = f[at];
            sums[0] += x * f[p];
            sums[1] += x * f[p + 1];
            sums[2] += x * f[p + 2];
            sums[3] += x * f[p + 3];
            sums[4] += x * f[p + 4];
            sums[5] += x * f[p + 5];
            sums[6] += x * f[p + 6];
            sums[7] += x * f[p + 7];
          }
          for (let q = 0; q < n; q++) f[c + i * ldc + j + q] = sums[q];
        }
      }
    },
    pack(x, ldx, y, K, N) {
      const f = heap();
      for (let j = 0, to = y; j < N; j += 8) {
        for (let k = 0; k < K; k++, to += 8) f.copyWithin(to, x + k * ldx + j, x + k * ldx + j + 8);
      }
    },
    packTransposed(x, ldx, y, K, N) {
      const f = heap();
      for (let j = 0; j < N; j++) {
        for (let k = 0; k < K; k++) f[y + (j >> 3) * 8 * K + 8 * k + (j & 7)] = f[x + j * ldx + k];
      }
    },
    activate(x, y, n, kind) {
      const f = heap();
      for (let i = 0; i < n; i++) f[y + i] = f[x + i] * phi(kind, f[x + i])[0];
    },
    softmax(x, y, rows, n, scale, bias) {
      const f = heap();
      for (let row = 0; row < rows * n; row += n) {
        let top = -Infinity;
        for (let j = row; j < row + n; j++) {
          f[y + j] = f[x + j] * scale + (bias ? f[bias + j] : 0);
          top = Math.max(top, f[y + j]);
        }
        let sum = 0;
        for (let j = row; j < row + n; j++) {
          f[y + j] = Math.exp(f[y + j] - top);
          sum += f[y + j];
        }
        for (let j = row; j < row + n; j++) f[y + j] /= sum;
      }
    },
    layerNorm(x, ldx, y, ldy, rows, n, w, b, eps) {
      const f = heap();
      for (let i = 0; i < rows; i++) {
        const at = x + i * ldx;
        let [mean, square] = [0, 0];
        for (let j = 0; j < n; j++) mean += f[at + j] / n;
        for (let j = 0; j < n; j++) square += (f[at + j] - mean) ** 2;
        const rstd = 1 / Math.sqrt(square / n + eps);
        for (let j = 0; j < n; j++) f[y + i * ldy + j] = (f[at + j] - mean) * rstd * f[w + j] + f[b + j];
      }
    },
    add(x, y, n) {
      const f = heap();
      for (let i = 0; i < n; i++) f[y + i] += f[x + i];
    },
  };
}
