/* Outlines of an image as smooth lines: edges in Lindeberg's sense, at one scale.

   An edge is where the gradient of the blurred image is largest along its own direction: a zero of the second derivative
   in that direction, where the third is negative (Canny 1986; Lindeberg 1998, section 2). The derivatives are those of a
   Gaussian, evaluated between pixels, so that lines have no steps even for an image of 32 x 32 pixels. */

import { isolines, type Line } from './isolines';

export interface Pixels {
  width: number;
  height: number;
  data: ArrayLike<number>; // RGBA
}

const [RED, GREEN, BLUE] = [0.55, 0.33, 0.12]; // with the weights of luminance, a red car on a green lawn would have no outline
const SAMPLES = 112; // points along the longer side at which derivatives are evaluated
const SIGMA = 0.021; // of the blur, as a fraction of the longer side
const MIN_SIGMA = 0.8; // pixels
const [STRONG, WEAK] = [0.34, 0.13]; // gradient of a line's strongest and weakest point, relative to `TOP` of the image's
const TOP = 0.99; // quantile
const MIN_CONTRAST = 2; // gray levels per `SIGMA`; weaker gradients are noise of flat images
const MIN_LENGTH = 0.09; // of the longer side
const MAX_POINTS = 1500;
const TOLERANCE = 0.0012; // of the longer side: points closer to the line between their neighbors are left out
const MAX_ORDER = 3; // of the derivatives
const REACH = 5; // of the blur, in sigmas

interface Grid {
  rows: number;
  columns: number;
}

interface Part {
  strength: number;
  points: Line;
}

/** The outlines of an image, strongest first: lines of points, across and down from 0 to 1. */
export function outlines(image: Pixels): Line[] {
  const { width, height } = image;
  const longer = Math.max(width, height);
  const count = (side: number) => Math.max(8, Math.round((SAMPLES * side) / longer));
  const grid = { rows: count(height), columns: count(width) };
  const sigma = Math.max(SIGMA * longer, MIN_SIGMA);
  const { gradient, second } = derivatives(image, grid, sigma);
  const top = Math.max(quantile(gradient, TOP), MIN_CONTRAST / sigma);
  const relative = gradient.map((value) => value / top);
  const parts = isolines(second, grid.rows, grid.columns).flatMap((line) => strongParts(line, relative, grid));
  parts.sort((a, b) => b.strength - a.strength);
  let points = 0;
  const isKept = (part: Part) => {
    points += part.points.length;
    return points <= MAX_POINTS;
  };
  return parts.filter(isKept).map((part) => part.points);
}

/** The lines as the data of an SVG path in a box of 1000 x 1000. */
export const pathOf = (lines: readonly Line[]) =>
  lines
    .map((line) => `M${line.map((point) => point.map((value) => Math.round(1000 * value)).join(' ')).join('L')}`)
    .join('');

/** The gradient, 0 at its minima, and the second derivative in its direction, (rows * columns) each. */
function derivatives({ width, height, data }: Pixels, { rows, columns }: Grid, sigma: number) {
  const gray = new Float64Array(width * height);
  for (let i = 0; i < gray.length; i++) gray[i] = RED * data[4 * i] + GREEN * data[4 * i + 1] + BLUE * data[4 * i + 2];
  const down = gaussianDerivatives(height, rows, sigma);
  const across = gaussianDerivatives(width, columns, sigma);
  const turned = transpose(gray, height, width); // (width, height)
  const byX = across.map((matrix) => transpose(multiply(matrix, turned, width, height), columns, height)); // (height, columns)
  const of = (x: number, y: number) => multiply(down[y], byX[x], height, columns); // (rows, columns)
  const [x, y, xx, xy, yy] = [of(1, 0), of(0, 1), of(2, 0), of(1, 1), of(0, 2)];
  const [xxx, xxy, xyy, yyy] = [of(3, 0), of(2, 1), of(1, 2), of(0, 3)];
  const gradient = new Float64Array(rows * columns);
  const second = gradient.map((_, i) => x[i] ** 2 * xx[i] + 2 * x[i] * y[i] * xy[i] + y[i] ** 2 * yy[i]);
  for (let i = 0; i < gradient.length; i++) {
    const third =
      x[i] ** 3 * xxx[i] + 3 * x[i] ** 2 * y[i] * xxy[i] + 3 * x[i] * y[i] ** 2 * xyy[i] + y[i] ** 3 * yyy[i];
    gradient[i] = third > 0 ? 0 : Math.sqrt(x[i] * x[i] + y[i] * y[i]);
  }
  return { gradient, second };
}

/** Matrices (count, pixels) that blur a line of pixels and differentiate it 0 to 3 times, at `count` points.
    The line is continued by its mirror image. */
export function gaussianDerivatives(pixels: number, count: number, sigma: number): Float64Array[] {
  const found = Array.from({ length: MAX_ORDER + 1 }, () => new Float64Array(count * pixels));
  const reach = Math.min(pixels, REACH * sigma);
  for (let point = 0; point < count; point++) {
    const place = ((point + 0.5) * pixels) / count - 0.5;
    const [first, last] = [Math.max(Math.ceil(place - reach), -pixels), Math.min(place + reach, 2 * pixels - 1)];
    let total = 0;
    for (let pixel = first; pixel <= last; pixel++) total += Math.exp(-0.5 * ((place - pixel) / sigma) ** 2);
    for (let pixel = first; pixel <= last; pixel++) {
      const u = (place - pixel) / sigma;
      const weight = Math.exp(-0.5 * u * u) / total;
      const inside = pixel < 0 ? -pixel - 1 : pixel >= pixels ? 2 * pixels - pixel - 1 : pixel;
      const factors = [1, -u / sigma, (u * u - 1) / sigma ** 2, -(u ** 3 - 3 * u) / sigma ** 3];
      for (const [order, factor] of factors.entries()) found[order][point * pixels + inside] += factor * weight;
    }
  }
  return found;
}

/** A matrix (k, n), most of it zeros, times values (n, m): (k, m). */
function multiply(matrix: Float64Array, values: Float64Array, n: number, m: number): Float64Array {
  const k = matrix.length / n;
  const product = new Float64Array(k * m);
  for (let i = 0; i < k; i++)
    for (let l = 0; l < n; l++) {
      const weight = matrix[i * n + l];
      if (weight) for (let j = 0; j < m; j++) product[i * m + j] += weight * values[l * m + j];
    }
  return product;
}

/** Values (n, m) as (m, n). */
function transpose(values: Float64Array, n: number, m: number): Float64Array {
  const found = new Float64Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) found[j * n + i] = values[i * m + j];
  return found;
}

function quantile(values: Float64Array, fraction: number): number {
  const sorted = values.slice().sort();
  const place = fraction * (sorted.length - 1);
  const below = Math.floor(place);
  return sorted[below] + (place - below) * (sorted[Math.min(below + 1, sorted.length - 1)] - sorted[below]);
}

/** The parts of a line, in samples, that are edges: a part ends where the gradient falls below `WEAK`; it must reach
    `STRONG` somewhere and be long enough. */
function strongParts(line: Line, gradient: Float64Array, { rows, columns }: Grid): Part[] {
  const longer = Math.max(rows, columns);
  const strength = line.map(([x, y]) => gradient[Math.round(y) * columns + Math.round(x)]);
  const found: Part[] = [];
  for (const part of runs(strength)) {
    const points = line.slice(part[0], (part.at(-1) ?? 0) + 1);
    const length = points.slice(1).reduce((sum, point, i) => sum + distance(point, points[i]), 0);
    const strongest = Math.max(...part.map((i) => strength[i]));
    if (part.length < 4 || strongest < STRONG || length < MIN_LENGTH * longer) continue;
    const mean = part.reduce((sum, i) => sum + strength[i], 0) / part.length;
    const scaled = thin(points, TOLERANCE * longer).map(([x, y]): [number, number] => [
      clip((x + 0.5) / columns),
      clip((y + 0.5) / rows),
    ]);
    found.push({ strength: length * mean, points: scaled });
  }
  return found;
}

/** The indices of each part whose strength is at least `WEAK`; single weak points do not end it. */
function runs(strength: readonly number[]): number[][] {
  const found: number[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [i, value] of strength.entries()) {
    if (value < WEAK) continue;
    if (i - last > 2) found.push([]);
    found.at(-1)?.push(i);
    last = i;
  }
  return found;
}

/** Leave out points that are close to the line between those that remain (Douglas & Peucker 1973). */
export function thin(points: Line, tolerance: number): Line {
  const kept = new Set([0, points.length - 1]);
  const spans = [[0, points.length - 1]];
  for (const [first, last] of spans) {
    let [worst, largest] = [-1, tolerance];
    for (let i = first + 1; i < last; i++) {
      const away = distanceToChord(points[i], points[first], points[last]);
      if (away > largest) [worst, largest] = [i, away];
    }
    if (worst < 0) continue;
    kept.add(worst);
    spans.push([first, worst], [worst, last]);
  }
  return points.filter((_, i) => kept.has(i));
}

function distanceToChord(point: Line[0], start: Line[0], end: Line[0]): number {
  const length = distance(start, end);
  if (!length) return distance(point, start);
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  return Math.abs((point[0] - start[0]) * dy - (point[1] - start[1]) * dx) / length;
}

const distance = (a: Line[0], b: Line[0]) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const clip = (value: number) => Math.min(Math.max(value, 0), 1);
