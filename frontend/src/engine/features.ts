/* Principal components and similarity of patch tokens, as in vitviz/attribution/features.py. */

import type { Context } from './context';

const COMPONENTS = 3;
const SUBSPACE = 10; // vectors of the iteration, more than components, so that it converges fast
const MAX_STEPS = 500;

interface Basis {
  mean: Float64Array;
  components: Float64Array[];
  explained: number[];
  limits: [number, number][];
}

/** The patch tokens after a block that entered the network: their patches and values. */
function patchTokens(context: Context, l: number) {
  const { D, prefix } = context.network.sizes;
  const tokens = context.output.tokens[l + 1];
  const patches = context.kept.slice(prefix).map((token) => token - prefix);
  const rows = patches.map((_, i) => Float64Array.from(tokens.subarray((prefix + i) * D, (prefix + i + 1) * D)));
  return { patches, rows };
}

/** Colors (RGBA, N) of the patch tokens after a block, and the explained variance ratios; none below three patches. */
export function pcaOf(
  context: Context,
  l: number,
  foreground: boolean,
): { pixels: Uint8Array; explained: number[] | null } {
  const { N, gh, gw } = context.network.sizes;
  const { patches, rows } = patchTokens(context, l);
  const pixels = new Uint8Array(4 * N);
  let kept = rows.map((_, i) => i);
  if (foreground && rows.length >= COMPONENTS) {
    const [first] = fitBasis(rows).components;
    const scores = project(rows, fitBasis(rows).mean, first);
    const isBorder = (n: number) => n % gw === 0 || n % gw === gw - 1 || n < gw || n >= (gh - 1) * gw;
    const side = kept.reduce((sum, i) => sum + (isBorder(patches[i]) ? Math.sign(scores[i]) : 0), 0);
    kept = kept.filter((i) => (side < 0 ? -scores[i] : scores[i]) <= 0);
  }
  if (kept.length < COMPONENTS) return { pixels, explained: null };
  const chosen = kept.map((i) => rows[i]);
  const basis = fitBasis(chosen);
  basis.components.forEach((component, c) => {
    const [low, high] = basis.limits[c];
    project(chosen, basis.mean, component).forEach((score, k) => {
      const value = high > low ? Math.min(1, Math.max(0, (score - low) / (high - low))) : 0.5;
      pixels[4 * patches[kept[k]] + c] = Math.round(255 * value);
    });
  });
  for (const i of kept) pixels[4 * patches[i] + 3] = 255;
  return { pixels, explained: basis.explained };
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

const project = (rows: Float64Array[], mean: Float64Array, component: Float64Array) =>
  rows.map((row) => dot(row, component) - dot(mean, component));

/** Mean and principal components of rows (n, D), the score of largest magnitude positive. */
function fitBasis(rows: Float64Array[]): Basis {
  const D = rows[0].length;
  const mean = Float64Array.from({ length: D }, (_, i) => rows.reduce((sum, row) => sum + row[i], 0) / rows.length);
  const centered = rows.map((row) => row.map((value, i) => value - mean[i]));
  const gram = centered.map((one) => Float64Array.from(centered, (other) => dot(one, other))); // (n, n)
  const total = Math.max(
    gram.reduce((sum, row, i) => sum + row[i], 0),
    Number.MIN_VALUE,
  );
  const { values, vectors } = largestEigen(gram);
  const found: Basis = { mean, components: [], explained: [], limits: [] };
  for (let c = 0; c < COMPONENTS; c++) {
    const component = new Float64Array(D);
    const isPart = c < values.length && values[c] > 1e-24 * total;
    if (isPart) {
      centered.forEach((row, i) => {
        for (let j = 0; j < D; j++) component[j] += (row[j] * vectors[c][i]) / Math.sqrt(values[c]);
      });
    }
    const scores = centered.map((row) => dot(row, component));
    const [low, high] = [Math.min(...scores), Math.max(...scores)];
    const sign = -low > high ? -1 : 1;
    const limits: [number, number] = sign < 0 ? [-high, -low] : [low, high];
    if (limits[1] - limits[0] <= 1e-9 * Math.max(1, Math.abs(low), Math.abs(high))) limits[1] = limits[0];
    found.components.push(component.map((value) => sign * value));
    found.explained.push(isPart ? values[c] / total : 0);
    found.limits.push(limits);
  }
  return found;
}

/** The largest eigenvalues and eigenvectors of a positive matrix, by subspace iteration (Golub & Van Loan 2013,
    section 8.2). */
function largestEigen(matrix: Float64Array[]) {
  const n = matrix.length;
  const count = Math.min(n, SUBSPACE);
  let vectors = orthonormal(
    Array.from({ length: count }, (_, k) => Float64Array.from({ length: n }, (_, i) => Math.sin((i + 1) * (k + 1.3)))),
  );
  let values: number[] = [];
  for (let step = 0; step < MAX_STEPS; step++) {
    const images = vectors.map((vector) => Float64Array.from(matrix, (row) => dot(row, vector)));
    const small = vectors.map((one) => Float64Array.from(images, (image) => dot(one, image)));
    const turned = jacobi(small);
    const next = turned.vectors.map((weights) =>
      images[0].map((_, i) => weights.reduce((sum, weight, k) => sum + weight * images[k][i], 0)),
    );
    const before = values;
    values = turned.values;
    vectors = orthonormal(next);
    const limit = 1e-13 * values[0];
    const isStill = (c: number) => Math.abs(values[c] - (before[c] ?? Infinity)) <= limit;
    if ([0, 1, 2].every((c) => c >= count || isStill(c)) && step > 20) break;
  }
  return { values, vectors };
}

/** Gram-Schmidt, twice for accuracy; a vector without a part of its own becomes 0. */
function orthonormal(vectors: Float64Array[]): Float64Array[] {
  const found: Float64Array[] = [];
  for (const vector of vectors) {
    const one = vector.slice();
    const before = Math.hypot(...one);
    for (let pass = 0; pass < 2; pass++) {
      for (const other of found) {
        const product = dot(one, other);
        for (let i = 0; i < one.length; i++) one[i] -= product * other[i];
      }
    }
    const size = Math.hypot(...one);
    found.push(one.map((value) => (size > 1e-12 * before ? value / size : 0)));
  }
  return found;
}

/** Eigenvalues, the largest first, and eigenvectors of a small symmetric matrix, by Jacobi's rotations. */
function jacobi(matrix: Float64Array[]) {
  const n = matrix.length;
  const a = matrix.map((row) => row.slice());
  const v = a.map((_, i) => Float64Array.from({ length: n }, (_, j) => Number(i === j)));
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        if (Math.abs(a[p][q]) <= 1e-300) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(1, theta));
        const c = 1 / Math.hypot(1, t);
        const turn = (row: Float64Array) => {
          [row[p], row[q]] = [c * (row[p] - t * row[q]), c * (row[q] + t * row[p])];
        };
        a.forEach(turn);
        for (let i = 0; i < n; i++) {
          [a[p][i], a[q][i]] = [c * (a[p][i] - t * a[q][i]), c * (a[q][i] + t * a[p][i])];
        }
        v.forEach(turn);
      }
    }
  }
  const order = [...Array(n).keys()].sort((i, j) => a[j][j] - a[i][i]);
  return { values: order.map((i) => a[i][i]), vectors: order.map((i) => v.map((row) => row[i])) };
}

/** Cosine similarity of the token of a patch with all patch tokens after a block, (N,); 0 for removed ones. */
export function similarityOf(context: Context, l: number, patch: number): Float32Array {
  const { patches, rows } = patchTokens(context, l);
  const out = new Float32Array(context.network.sizes.N);
  const token = rows[patches.indexOf(patch)];
  if (!token) return out;
  rows.forEach((row, i) => {
    const norms = Math.sqrt(dot(row, row) * dot(token, token));
    out[patches[i]] = norms > 0 ? Math.min(1, Math.max(-1, dot(row, token) / norms)) : 0;
  });
  return out;
}
