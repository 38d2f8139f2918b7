"use strict";

/* Numbers: pure functions without access to the page.

   A "shape" is sent by Python with an image: {layers, heads, rows, columns, prefix, classToken}; `removed` are the
   patches whose tokens are dropped, if any.
   Tokens: the class token, if there is one, then registers (`prefix` in total), then patches in reading order.
   Without query patches the query is the class token, or in a model without one the mean over all patches. */

const MEAN = -1; // in place of a layer or head: the mean of all of them

const patchCount = (shape) => shape.rows * shape.columns;
const tokenCount = (shape) => shape.prefix + patchCount(shape);

const removedFrom = (shape) => shape.removed ?? [];
const remainingPatches = (shape) => [...Array(patchCount(shape)).keys()].filter((patch) => !removedFrom(shape).includes(patch));

/** The weight of each token under uniform attention over all remaining tokens. */
const uniformWeight = (shape) => 1 / (tokenCount(shape) - removedFrom(shape).length);

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const floatsOf = (base64) => new Float32Array(bytesOf(base64).buffer);
const uint16Of = (base64) => new Uint16Array(bytesOf(base64).buffer);

/** 256 RGB triples -> 256 pixels as canvas memory holds them (alpha, blue, green, red). */
function pixelsOf(base64) {
  const bytes = bytesOf(base64);
  const pixels = new Uint32Array(256);
  for (let i = 0; i < 256; i++) {
    pixels[i] = (255 << 24) | (bytes[3 * i + 2] << 16) | (bytes[3 * i + 1] << 8) | bytes[3 * i];
  }
  return pixels;
}

/** Buffers for the rows of all heads, a mean column, a mean row and the corner: (layers + 1) x (heads + 1) x tokens. */
function makeRows(shape) {
  const tokens = tokenCount(shape);
  const across = shape.heads + 1;
  const all = new Float32Array((shape.layers + 1) * across * tokens);
  const cells = [];
  for (let k = 0; k < (shape.layers + 1) * across; k++) cells.push(all.subarray(k * tokens, (k + 1) * tokens));
  return { all, cells, across };
}

/** The row (tokens) of one head or of a mean. */
function rowOf(rows, shape, layer, head) {
  const down = layer === MEAN ? shape.layers : layer;
  const right = head === MEAN ? shape.heads : head;
  return rows.cells[down * rows.across + right];
}

/** The query tokens of these patches; for an empty list, see above. Removed patches are excluded. */
function queryTokens(patches, shape) {
  if (!patches.length && shape.classToken) return [0];
  return (patches.length ? patches : remainingPatches(shape)).map((patch) => shape.prefix + patch);
}

/** Whether the rows of the default query, which arrive first, suffice. */
const firstRowsSuffice = (patches, direction) => direction === 'from' && !patches.length;

/** Fill `out` (tokens) with the mean attention of the query patches in one head: "from" them, or "to" them. */
function fillHead(out, shape, source, head, patches, direction) {
  const tokens = out.length;
  if (firstRowsSuffice(patches, direction)) {
    for (let j = 0; j < tokens; j++) out[j] = source.firstRows[head * tokens + j];
    return;
  }
  const queries = queryTokens(patches, shape);
  out.fill(0);
  const full = source.full;
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

function addScaled(out, row, weight) {
  for (let j = 0; j < out.length; j++) out[j] += row[j] * weight;
}

/** Compute the rows of one query for every head, and the means over the heads that are not ablated.
    @param {(layer: number, head: number) => boolean} isAblated */
function fillRows(rows, shape, source, patches, direction, isAblated) {
  const { layers, heads } = shape;
  const ofLayers = new Int32Array(layers);
  const ofHeads = new Int32Array(heads);
  for (let k = 0; k < layers * heads; k++) {
    if (isAblated(Math.floor(k / heads), k % heads)) continue;
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
      fillHead(row, shape, source, layer * heads + head, patches, direction);
      if (isAblated(layer, head)) continue;
      addScaled(ofLayer, row, 1 / ofLayers[layer]);
      addScaled(rowOf(rows, shape, MEAN, head), row, 1 / ofHeads[head]);
      addScaled(corner, row, 1 / all);
    }
  }
}

/** Nearest round number whose quarters print with few digits: 1, 2, 4, 6, 8 or 10 times a power of ten. */
function roundLimit(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-6)));
  let best = power;
  for (const step of [1, 2, 4, 6, 8, 10]) {
    if (Math.abs(step * power - value) < Math.abs(best - value)) best = step * power;
  }
  return best;
}

/** Limit of the shared scale, fixed for an image and a kind of query. It clips the largest 0.5 % of values, so that
    one focused head does not wash out all others. */
function sharedLimit(shape, source, direction, kind) {
  const tokens = tokenCount(shape);
  const remaining = remainingPatches(shape);
  const queries = kind === 'class' ? [[]] : spreadPatches(remaining.length, 8).map((k) => [remaining[k]]);
  const heads = shape.layers * shape.heads;
  const values = new Float32Array(queries.length * heads * remaining.length);
  const row = new Float32Array(tokens);
  let at = 0;
  for (const query of queries) {
    for (let head = 0; head < heads; head++) {
      fillHead(row, shape, source, head, query, direction);
      for (const patch of remaining) values[at++] = row[shape.prefix + patch];
    }
  }
  values.sort();
  return roundLimit(values[Math.floor(values.length * 0.995)]);
}

/** A few patches, distributed over the image and over its rows. */
function spreadPatches(patches, count) {
  const stride = patches / count;
  return Array.from({ length: Math.min(count, patches) }, (_, k) => Math.floor((k + 0.5) * Math.max(stride, 1)) % patches);
}

/** Index of the largest value from `first` on. */
function largest(values, first = 0) {
  let best = first;
  for (let j = first + 1; j < values.length; j++) if (values[j] > values[best]) best = j;
  return best;
}

function sumOf(values, first, end) {
  let sum = 0;
  for (let j = first; j < end; j++) sum += values[j];
  return sum;
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether all values are the same up to rounding, so that none is the largest. */
function isFlat(values) {
  const largest = Math.max(...values.map(Math.abs));
  return Math.max(...values) - Math.min(...values) <= 1e-5 * largest; // as `is_flat` in Python
}

/** Sum of the `count` largest values from `first` on. */
function weightOfLargest(values, first, count) {
  const sorted = values.slice(first).sort();
  return sumOf(sorted, sorted.length - count, sorted.length);
}

/* Scales. {kind: "linear", limit} maps 0..limit to 0..1; {kind: "signed", limit} maps -limit..limit to 0..1;
   {kind: "uniform", uniform} is logarithmic, 1/8 .. 8 times uniform, with 1 in the middle. */

function place(scale, value) {
  if (scale.kind === 'linear') return value / scale.limit;
  if (scale.kind === 'signed') return 0.5 + value / scale.limit / 2;
  return 0.5 + Math.log2(Math.max(value / scale.uniform, 1e-6)) / 6;
}

/** Entry 0..255 of the color table; values outside of the scale get its end colors. */
function colorIndex(scale, value) {
  const t = place(scale, value);
  return t >= 1 ? 255 : t > 0 ? Math.round(255 * t) : 0;
}

/** The patch that an arrow key moves to; the grid wraps around. */
function neighbour(patch, key, shape) {
  const row = Math.floor(patch / shape.columns);
  const column = patch % shape.columns;
  const down = { ArrowUp: -1, ArrowDown: 1 }[key] || 0;
  const right = { ArrowLeft: -1, ArrowRight: 1 }[key] || 0;
  const wrap = (value, count) => (value + count) % count;
  return wrap(row + down, shape.rows) * shape.columns + wrap(column + right, shape.columns);
}

const middlePatch = (shape) => Math.floor((shape.rows - 1) / 2) * shape.columns + Math.floor((shape.columns - 1) / 2);
