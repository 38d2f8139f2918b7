/* Scales of the maps. */

import type { MethodInfo } from '../lib/api';
import type { Scale } from '../lib/numbers';
import { makeTile, type Tile } from '../lib/paint';

/** The scale of a method's map: from 0 to its maximum, or symmetric about 0 for signed methods. */
export function methodScale(method: MethodInfo, values: number[]): Scale {
  const limit = Math.max(...values.map(Math.abs)) || 1;
  if (method.unit === 'logits') return { kind: 'signed', limit, isWeight: false };
  return { kind: 'linear', limit, clips: false, isWeight: method.unit === 'weights' };
}

/** From 0 to the maximum of the patches of one row.
    @param prefix tokens before the patches */
export function mapScale(row: Float32Array, prefix: number): Scale {
  let limit = 1e-9;
  for (let j = prefix; j < row.length; j++) if (row[j] > limit) limit = row[j];
  return { kind: 'linear', limit, clips: false, isWeight: true };
}

/** The color table of a scale. */
export const tableKind = (scale: Scale) => (scale.kind === 'linear' ? 'seq' : 'div');

/** The tile of a canvas; a new one if the size changes, which clears the canvas. */
export const fitTile = (tile: Tile | null, canvas: HTMLCanvasElement, columns: number, rows: number): Tile =>
  tile?.canvas === canvas && canvas.width === columns && canvas.height === rows
    ? tile
    : makeTile(canvas, columns, rows);
