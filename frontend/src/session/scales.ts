/* Scales of the maps. */

import { isFlat, removedFrom, type Scale, type Shape } from '../lib/numbers';
import { makeTile, type Tile } from '../lib/paint';
import type { Limits, MapScale, MethodInfo } from '../lib/routes';
import type { View } from '../lib/view';
import { digitsOf, FLAT_WEIGHTS, percent } from '../lib/words';

/** The scale of a method's map: from its minimum to its maximum, or symmetric about 0 for signed methods. That of
    cosines is from -1 to 1, or -2 to 2 for a difference that needs it. */
export function methodScale(method: MethodInfo, values: number[] | Float32Array): Scale {
  let limit = 0;
  for (const value of values) limit = Math.max(limit, Math.abs(value));
  limit ||= 1;
  if (method.unit === 'logits') return { kind: 'signed', limit, isWeight: false };
  if (method.unit === 'cosine') return { kind: 'signed', limit: limit > 1 ? 2 : 1, isWeight: false, isCosine: true };
  if (method.unit === 'weights') return rangeScale(values);
  return { kind: 'linear', low: isFlat(values) ? 0 : least(values), limit, clips: false, isWeight: false };
}

/** Without the limit of arguments that Math.min has. */
const least = (values: number[] | Float32Array) => {
  let low = Infinity;
  for (const value of values) low = Math.min(low, value);
  return low;
};

/** From the smallest to the largest weight of the patches of one row, so that nearly uniform maps use all colors. */
export function mapScale(row: Float32Array, shape: Shape): Scale {
  return rangeScale(row, shape.prefix, removedFrom(shape));
}

/** Equal weights have the color in the middle. */
function rangeScale(weights: ArrayLike<number>, first = 0, removed: readonly number[] = []): Scale {
  let [low, high] = [Infinity, 0];
  for (let j = first; j < weights.length; j++) {
    if (removed.length && removed.includes(j - first)) continue;
    low = Math.min(low, weights[j]);
    high = Math.max(high, weights[j]);
  }
  const ends = high - low > FLAT_WEIGHTS ? { low, limit: high } : { low: 0, limit: 2 * high || 1 };
  return { kind: 'linear', ...ends, clips: false, isWeight: true };
}

/** The scale of a map of the server, as canvases take it. */
export function scaleOf({ kind, low, limit, clips, is_weight: isWeight }: MapScale): Scale {
  if (kind === 'uniform') return { kind, uniform: limit, isWeight };
  return kind === 'signed' ? { kind, limit, isWeight } : { kind, low, limit, clips, isWeight };
}

/** What the scales of the matrix are. */
export function scaleNote(choice: View['scale'], { heads, means }: Limits) {
  if (choice === 'map') return 'one scale per map';
  if (choice === 'uniform') return 'one scale';
  const end = (limit: number) => percent(limit, digitsOf(limit));
  return `heads to ${end(heads)}, means to ${end(means)}`;
}

/** The color table of a scale. */
export const tableKind = (scale: Scale) => (scale.kind === 'linear' ? 'seq' : 'div');

/** The tile of a canvas; a new one if the size changes, which clears the canvas. */
export const fitTile = (tile: Tile | null, canvas: HTMLCanvasElement, columns: number, rows: number): Tile =>
  tile?.canvas === canvas && canvas.width === columns && canvas.height === rows
    ? tile
    : makeTile(canvas, columns, rows);
