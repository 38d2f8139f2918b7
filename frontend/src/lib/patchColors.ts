/* Features of patches, (N, 3), as colors: `PatchPCA` in vitviz/attribution/features.py. Patches without a color are NaN. */

import type { Grid } from './grid';
import { jacobi } from './jacobi';

const FLAT = 1e-6; // of the largest limit: a component of rounding errors alone

/** Colors of one channel after the other at the ends of a component, low and high. */
type Limits = [low: number, high: number][];

function limitsOf(scores: Float32Array): Limits {
  const limits = [0, 1, 2].map((c): [number, number] => {
    const values = scores.filter((score, i) => i % 3 === c && !Number.isNaN(score));
    return [Math.min(...values), Math.max(...values)];
  });
  const largest = Math.max(1, ...limits.flat().filter(Number.isFinite).map(Math.abs));
  return limits.map(([low, high]) => [low, high - low > FLAT * largest ? high : low]);
}

/** Pixels (N) as canvas memory holds them: between the limits, which are by default those of the scores. */
export function colorsOf(scores: Float32Array, limits = limitsOf(scores)): Uint32Array {
  const pixels = new Uint8Array((4 * scores.length) / 3);
  scores.forEach((score, i) => {
    if (Number.isNaN(score)) return;
    const [low, high] = limits[i % 3];
    const value = high > low ? Math.min(1, Math.max(0, (score - low) / (high - low))) : 0.5;
    const pixel = 4 * Math.floor(i / 3);
    pixels[pixel + (i % 3)] = Math.round(255 * value);
    pixels[pixel + 3] = 255;
  });
  return new Uint32Array(pixels.buffer);
}

/** The colors of layers, (L, N), each between its own limits, of scores (L, N, 3). */
export function layerColors(scores: Float32Array, layers: number): Uint32Array {
  const size = scores.length / layers;
  const found = new Uint32Array(scores.length / 3);
  for (let l = 0; l < layers; l++) found.set(colorsOf(scores.subarray(l * size, (l + 1) * size)), (l * size) / 3);
  return found;
}

interface Scored {
  scores: Float32Array;
  grid: Grid;
}

/** Colors after the scores are shifted, scaled and rotated onto those of a reference of the same image (orthogonal
    Procrustes problem: Schönemann 1966); patches of different grids are paired by their places. */
export function alignedColors({ scores, grid }: Scored, reference: Scored): Uint32Array {
  const [rows, columns] = [Math.max(grid.rows, reference.grid.rows), Math.max(grid.columns, reference.grid.columns)];
  const at = (of: Scored, row: number, column: number) => {
    const patch =
      Math.floor((row * of.grid.rows) / rows) * of.grid.columns + Math.floor((column * of.grid.columns) / columns);
    return [...of.scores.subarray(3 * patch, 3 * patch + 3)];
  };
  const pairs = Array.from({ length: rows * columns }, (_, k) =>
    [{ scores, grid }, reference].map((of) => at(of, Math.floor(k / columns), k % columns)),
  ).filter((pair) => !pair.flat().some(Number.isNaN));
  if (!pairs.length) return colorsOf(scores);
  const [mean, target] = [0, 1].map((side) =>
    [0, 1, 2].map((c) => pairs.reduce((sum, pair) => sum + pair[side][c], 0) / pairs.length),
  );
  const product = [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => pairs.reduce((sum, [a, b]) => sum + (a[i] - mean[i]) * (b[j] - target[j]), 0)),
  );
  const [size, other] = [mean, target].map((of, side) =>
    Math.hypot(...pairs.flatMap((p) => p[side].map((v, c) => v - of[c]))),
  );
  const scale = size ? other / size : 1;
  const turn = nearestOrthogonal(product);
  const turned = scores.map((_, i) => {
    const first = i - (i % 3);
    const sum = turn.reduce((total, row, c) => total + (scores[first + c] - mean[c]) * row[i % 3], 0);
    return scale * sum + target[i % 3];
  });
  return colorsOf(turned, limitsOf(reference.scores));
}

/** The orthogonal matrix nearest to a matrix (3, 3): U V' of its singular value decomposition U S V'. */
function nearestOrthogonal(matrix: number[][]): number[][] {
  const gram = [0, 1, 2].map((i) =>
    Float64Array.from([0, 1, 2], (j) => matrix.reduce((sum, row) => sum + row[i] * row[j], 0)),
  );
  const right = jacobi(gram).vectors; // of the largest singular value first
  const left: number[][] = [];
  for (const vector of right) {
    const image = matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));
    const candidates = [image, [1, 0, 0], [0, 1, 0], [0, 0, 1]];
    left.push(candidates.map((one) => rest(one, left)).find((one) => one !== null) ?? image);
  }
  return [0, 1, 2].map((i) => [0, 1, 2].map((j) => left.reduce((sum, u, k) => sum + u[i] * right[k][j], 0)));
}

/** What is orthogonal to other unit vectors, as a unit vector; null if nothing is. */
function rest(vector: number[], others: number[][]): number[] | null {
  let found = vector;
  for (const other of others) {
    const product = found.reduce((sum, value, i) => sum + value * other[i], 0);
    found = found.map((value, i) => value - product * other[i]);
  }
  const size = Math.hypot(...found);
  return size > 1e-9 * Math.hypot(...vector) ? found.map((value) => value / size) : null;
}
