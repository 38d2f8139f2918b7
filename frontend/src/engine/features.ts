/* Principal components and similarity of patch tokens, as in vitviz/attribution/features.py. */

import { jacobi } from '../lib/jacobi';
import { type Context, probabilitiesOf, type Target } from './context';

const COMPONENTS = 3;
const SUBSPACE = 10; // vectors of the iteration, more than components, so that it converges fast
const MAX_STEPS = 500;

interface Basis {
  mean: Float64Array;
  components: Float64Array[];
  explained: number[];
}

/** The patch tokens after a block that entered the network: their patches and values. */
function patchTokens(context: Context, l: number) {
  const { D, prefix } = context.network.sizes;
  const tokens = context.output.tokens[l + 1];
  const patches = context.kept.slice(prefix).map((token) => token - prefix);
  const rows = patches.map((_, i) => Float64Array.from(tokens.subarray((prefix + i) * D, (prefix + i + 1) * D)));
  return { patches, rows };
}

/** The patch tokens after a block along their principal components, (N, 3), NaN outside of the foreground, and the
    explained variance ratios; none below three patches. */
export function pcaOf(
  context: Context,
  l: number,
  foreground: boolean,
): { scores: Float32Array; explained: number[] | null } {
  const { N, gh, gw } = context.network.sizes;
  const { patches, rows } = patchTokens(context, l);
  const scores = new Float32Array(COMPONENTS * N).fill(Number.NaN);
  let kept = rows.map((_, i) => i);
  if (foreground && rows.length >= COMPONENTS) {
    const { mean, components } = fitBasis(rows);
    const first = project(rows, mean, components[0]);
    const isBorder = (n: number) => n % gw === 0 || n % gw === gw - 1 || n < gw || n >= (gh - 1) * gw;
    const side = kept.reduce((sum, i) => sum + (isBorder(patches[i]) ? Math.sign(first[i]) : 0), 0);
    kept = kept.filter((i) => (side < 0 ? -first[i] : first[i]) <= 0);
  }
  if (kept.length < COMPONENTS) return { scores, explained: null };
  const chosen = kept.map((i) => rows[i]);
  const { mean, components, explained } = fitBasis(chosen);
  components.forEach((component, c) => {
    project(chosen, mean, component).forEach((score, k) => {
      scores[COMPONENTS * patches[kept[k]] + c] = score;
    });
  });
  return { scores, explained };
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
  const found: Basis = { mean, components: [], explained: [] };
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
    found.components.push(component.map((value) => sign * value));
    found.explained.push(isPart ? values[c] / total : 0);
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

/** Probability of the (first) class at each patch after each layer, (L + 1, N); 0 for removed ones.
    @param weight (L + 1, K, D)
    @param bias (L + 1, K) */
export function readLens(context: Context, target: Target, weight: Float32Array, bias: Float32Array): Float32Array {
  const { N, D, K, L } = context.network.sizes;
  const out = new Float32Array((L + 1) * N);
  const [chosen] = context.targetOf(target);
  for (let l = 0; l <= L; l++) {
    const { patches, rows } = patchTokens(context, l - 1);
    rows.forEach((row, i) => {
      const logits = Float32Array.from({ length: K }, (_, k) => {
        const at = l * K + k;
        return dot(row, weight.subarray(at * D, (at + 1) * D)) + bias[at];
      });
      out[l * N + patches[i]] = probabilitiesOf(logits, false)[chosen];
    });
  }
  return out;
}

/** Cosine similarity of the token of a patch with all patch tokens of an image after a block, (N,); 0 for removed ones. */
export function similarityOf(context: Context, l: number, patch: number, other: Context): Float32Array {
  const { patches, rows } = patchTokens(other, l);
  const out = new Float32Array(context.network.sizes.N);
  const own = patchTokens(context, l);
  const token = own.rows[own.patches.indexOf(patch)];
  if (!token) return out;
  rows.forEach((row, i) => {
    const norms = Math.sqrt(dot(row, row) * dot(token, token));
    out[patches[i]] = norms > 0 ? Math.min(1, Math.max(-1, dot(row, token) / norms)) : 0;
  });
  return out;
}
