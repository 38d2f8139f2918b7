/* Numbers: pure functions without access to the page.

   Tokens: the class token, if there is one, then registers (`prefix` in total), then patches in reading order.
   Without query patches the query is the class token, or in a model without one the mean over all patches. */

import { bytesOf } from './base64';
import type { Grid } from './grid';
import type { Shape as SentShape } from './routes';
import type { Head, Layer } from './view';

/** The shape that Python sends, and what follows from pooling and ablations. */
export interface Shape extends Omit<SentShape, 'distilled' | 'layer_heads' | 'captured'> {
  distilled?: boolean;
  /** Heads of each layer, if some have fewer. */
  layer_heads?: readonly number[];
  captured?: boolean;
  /** Whether the tokens are pooled by attention, which has its own row of maps. */
  pooled?: boolean;
  /** Patches whose tokens are dropped, if any. */
  removed?: readonly number[];
}

export type Direction = 'from' | 'to';

/** The attention of an image: the rows of the default query, which arrive first, and all rows, as 16-bit fractions.
    Of large models the rows of other queries instead, (layers, heads, tokens) by `queryKey`; null of other models. */
export interface AttentionRows {
  defaultRows: Float32Array;
  full: Uint16Array | null;
  rows?: ReadonlyMap<string, Float32Array> | null;
  /** The weights of attention pooling (heads, tokens), whatever the query is. */
  pool?: Float32Array | null;
}

/** The rows of one query: one cell per head and mean. */
export interface Rows {
  all: Float32Array;
  cells: Float32Array[];
  across: number;
}

/** From `low` (by default 0) to `limit`. */
export interface LinearScale {
  kind: 'linear';
  low?: number;
  limit: number;
  clips?: boolean;
  isWeight?: boolean;
  /** The shared scale of means, which are flatter than heads. */
  isOfMeans?: boolean;
}
/** From -limit to `limit`. */
export interface SignedScale {
  kind: 'signed';
  limit: number;
  isWeight?: boolean;
  /** Whether values are cosines of a text and a patch, not logits. */
  isCosine?: boolean;
}
/** Logarithmic, 1/8 .. 8 times uniform, with 1 in the middle. */
export interface UniformScale {
  kind: 'uniform';
  uniform: number;
  isWeight?: boolean;
}
export type Scale = LinearScale | SignedScale | UniformScale;

export const MEAN = 'mean' as const; // in place of a layer or head: the mean of all of them
export const POOL = 'pool' as const; // in place of a layer: attention pooling, which reads the output of the last layer

export const patchCount = (shape: Grid) => shape.rows * shape.columns;
export const tokenCount = (shape: Shape) => shape.prefix + patchCount(shape);

export const removedFrom = (shape: Shape): readonly number[] => shape.removed ?? [];
export const remainingPatches = (shape: Shape) =>
  [...Array(patchCount(shape)).keys()].filter((patch) => !removedFrom(shape).includes(patch));

/** The weight of each token under uniform attention over all remaining tokens; POOL attends to patches alone. */
export const uniformWeight = (shape: Shape, layer: Layer = MEAN) =>
  1 / ((layer === POOL ? patchCount(shape) : tokenCount(shape)) - removedFrom(shape).length);

/** 256 RGB triples -> 256 pixels as canvas memory holds them (alpha, blue, green, red). */
export function pixelsOf(base64: string) {
  const bytes = bytesOf(base64);
  const pixels = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    pixels[i] = (255 << 24) | (bytes[3 * i + 2] << 16) | (bytes[3 * i + 1] << 8) | bytes[3 * i];
  }
  return pixels;
}

/** Buffers for the rows of all heads, a mean column, a mean row, the corner and attention pooling, if there is any:
    (layers + 1 or 2) x (heads + 1) x tokens. */
export function makeRows(shape: Shape): Rows {
  const tokens = tokenCount(shape);
  const across = shape.heads + 1;
  const count = (shape.layers + 1 + Number(shape.pooled ?? false)) * across;
  const all = new Float32Array(count * tokens);
  const cells: Float32Array[] = [];
  for (let k = 0; k < count; k++) cells.push(all.subarray(k * tokens, (k + 1) * tokens));
  return { all, cells, across };
}

/** The place of a layer among all rows: after the last one come the mean and attention pooling. */
export const placeOfLayer = (layer: Layer, layers: number) =>
  layer === MEAN ? layers : layer === POOL ? layers + 1 : layer;

/** The place of a head in a row; after the last one comes the mean. */
export const placeOfHead = (head: Head, heads: number) => (head === MEAN ? heads : head);

/** The row (tokens) of one head or of a mean. */
export function rowOf(rows: Rows, shape: Shape, layer: Layer, head: Head) {
  return rows.cells[placeOfLayer(layer, shape.layers) * rows.across + placeOfHead(head, shape.heads)];
}

/** The query tokens of these patches; for an empty list, see above. Removed patches are excluded. */
export function queryTokens(patches: readonly number[], shape: Shape) {
  if (!patches.length && shape.class_token) return [0];
  return (patches.length ? patches : remainingPatches(shape)).map((patch) => shape.prefix + patch);
}

export const queryKey = (patches: readonly number[], direction: Direction) => `${direction} ${patches}`;

/** The rows of a query (layers, heads, tokens), if they arrived on their own: the default query's arrive first. */
export const givenRows = ({ defaultRows, rows }: AttentionRows, patches: readonly number[], direction: Direction) =>
  direction === 'from' && !patches.length ? defaultRows : rows?.get(queryKey(patches, direction));

/** Whether the attention of a query is there. */
export const hasQuery = (attention: AttentionRows, patches: readonly number[], direction: Direction) =>
  attention.full !== null || givenRows(attention, patches, direction) !== undefined;

/** Fill `out` (tokens) with the mean attention of the query patches in one head: "from" them, or "to" them. */
export function fillHead(
  out: Float32Array,
  shape: Shape,
  attention: AttentionRows,
  head: number,
  patches: readonly number[],
  direction: Direction,
) {
  const tokens = out.length;
  const given = givenRows(attention, patches, direction);
  if (given) {
    out.set(given.subarray(head * tokens, (head + 1) * tokens));
    return;
  }
  const { full } = attention;
  if (!full) throw new Error('this query needs the full attention');
  const queries = queryTokens(patches, shape);
  out.fill(0);
  const start = head * tokens * tokens;
  const weight = 1 / (65535 * queries.length);
  for (const token of queries) {
    if (direction === 'from') {
      const row = start + token * tokens;
      for (let j = 0; j < tokens; j++) out[j] += full[row + j] * weight;
    } else {
      for (let j = 0; j < tokens; j++) out[j] += full[start + j * tokens + token] * weight;
    }
  }
}

function addScaled(out: Float32Array, row: Float32Array, weight: number) {
  for (let j = 0; j < out.length; j++) out[j] += row[j] * weight;
}

/** Compute the rows of one query for every head, and the means over the heads that are not empty. */
export function fillRows(
  rows: Rows,
  shape: Shape,
  attention: AttentionRows,
  patches: readonly number[],
  direction: Direction,
  isEmpty: (layer: number, head: number) => boolean,
) {
  const { layers, heads } = shape;
  const ofLayers = new Int32Array(layers);
  const ofHeads = new Int32Array(heads);
  for (let k = 0; k < layers * heads; k++) {
    if (isEmpty(Math.floor(k / heads), k % heads)) continue;
    ofLayers[Math.floor(k / heads)]++;
    ofHeads[k % heads]++;
  }
  const all = ofLayers.reduce((sum, count) => sum + count, 0);
  const corner = rowOf(rows, shape, MEAN, MEAN).fill(0);
  for (let head = 0; head < heads; head++) rowOf(rows, shape, MEAN, head).fill(0);
  for (let layer = 0; layer < layers; layer++) {
    const ofLayer = rowOf(rows, shape, layer, MEAN).fill(0);
    for (let head = 0; head < heads; head++) {
      const row = rowOf(rows, shape, layer, head);
      fillHead(row, shape, attention, layer * heads + head, patches, direction);
      if (isEmpty(layer, head)) continue;
      addScaled(ofLayer, row, 1 / ofLayers[layer]);
      addScaled(rowOf(rows, shape, MEAN, head), row, 1 / ofHeads[head]);
      addScaled(corner, row, 1 / all);
    }
  }
  if (shape.pooled) fillPool(rows, shape, attention.pool);
}

function fillPool(rows: Rows, shape: Shape, pool: AttentionRows['pool']) {
  const tokens = tokenCount(shape);
  const mean = rowOf(rows, shape, POOL, MEAN).fill(0);
  const heads = pool ? pool.length / tokens : 0; // may be another number than that of the layers
  for (let head = 0; pool && head < heads; head++) {
    const weights = pool.subarray(head * tokens, (head + 1) * tokens);
    if (head < shape.heads) rowOf(rows, shape, POOL, head).set(weights);
    addScaled(mean, weights, 1 / heads);
  }
}

/** Nearest round number whose quarters print with few digits: 1, 2, 4, 6, 8 or 10 times a power of ten. */
export function roundLimit(value: number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
  let best = power;
  for (const step of [1, 2, 4, 6, 8, 10]) {
    if (Math.abs(step * power - value) < Math.abs(best - value)) best = step * power;
  }
  return best;
}

/** Limit of a scale that clips the largest 2 % of the weights of patches in some rows, as `clip_limit` in Python. */
export function sharedLimit(shape: Shape, rows: Float32Array) {
  const tokens = tokenCount(shape);
  const values = rows.filter((_, i) => i % tokens >= shape.prefix).sort();
  return roundLimit(values[Math.floor(values.length * 0.98)]);
}

/** The head that an image opens with: in the last third of the layers, the one whose squared weights have the largest
    sum over the patches. It is large if few patches get much attention, and small if most goes to other tokens. */
export function sharpestHead(shape: Shape, rows: Float32Array) {
  const tokens = tokenCount(shape);
  const first = shape.heads * Math.floor((2 * shape.layers) / 3);
  const sharpness = Array.from({ length: shape.layers * shape.heads }, (_, k) =>
    k < first
      ? 0
      : sumOf(
          rows.subarray(k * tokens, (k + 1) * tokens).map((weight) => weight ** 2),
          shape.prefix,
          tokens,
        ),
  );
  const k = largest(sharpness, first);
  return { layer: Math.floor(k / shape.heads), head: k % shape.heads };
}

/** Index of the largest value from `first` on. */
export function largest(values: ArrayLike<number>, first = 0) {
  let best = first;
  for (let j = first + 1; j < values.length; j++) if (values[j] > values[best]) best = j;
  return best;
}

/** Index of the smallest value. */
export const smallest = (values: number[]) => largest(values.map((value) => -value));

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

export function sumOf(values: ArrayLike<number>, first: number, end: number) {
  let sum = 0;
  for (let j = first; j < end; j++) sum += values[j];
  return sum;
}

export const meanOf = (values: ArrayLike<number>) => sumOf(values, 0, values.length) / values.length;

/** Whether all values are the same up to rounding, so that none is the largest. */
export function isFlat(values: ArrayLike<number>) {
  let [low, high] = [Infinity, -Infinity];
  for (let j = 0; j < values.length; j++) [low, high] = [Math.min(low, values[j]), Math.max(high, values[j])];
  return high - low <= 1e-5 * Math.max(Math.abs(low), Math.abs(high)); // as `is_flat` in Python
}

/** Sum of the `count` largest values from `first` on. */
export function weightOfLargest(values: Float32Array, first: number, count: number) {
  const sorted = values.slice(first).sort();
  return sumOf(sorted, sorted.length - count, sorted.length);
}

export const lowOf = ({ low = 0 }: LinearScale) => low;

/** The place of a value on a scale, 0..1 within it. */
export function place(scale: Scale, value: number) {
  if (scale.kind === 'linear') return (value - lowOf(scale)) / (scale.limit - lowOf(scale));
  if (scale.kind === 'signed') return 0.5 + value / scale.limit / 2;
  return 0.5 + Math.log2(Math.max(value / scale.uniform, 1e-6)) / 6;
}

/** Entry 0..255 of the color table; values outside of the scale get its end colors. */
export function colorIndex(scale: Scale, value: number) {
  const t = place(scale, value);
  return t >= 1 ? 255 : t > 0 ? Math.round(255 * t) : 0;
}
