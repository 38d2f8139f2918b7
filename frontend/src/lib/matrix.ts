/* The matrix of maps: one row per layer, one column per head, then the means. */

import { MEAN, neighbour, type Shape } from './numbers';
import type { Tile } from './paint';

/** A map of the matrix. */
export interface MatrixTile {
  layer: number;
  head: number;
  values: Tile;
}

/** Indices in the order of the matrix: 0 .. count - 1, then the mean. */
export const withMean = (count: number) => [...Array(count).keys(), MEAN];

/** The text of a row or column header. Above narrow tiles only the corner has the word "head". */
export function headerText(kind: 'layer' | 'head', index: number, shape: Shape) {
  if (index === MEAN) return 'mean';
  return index === 0 && (kind === 'layer' || shape.heads <= 6) ? `${kind} 1` : String(index + 1);
}

/** The sizes that matrix.css needs, as a style of the page. */
export const matrixStyle = ({ rows, columns, aspect, layers, heads }: Shape) =>
  `--rows: ${rows}; --columns: ${columns}; --aspect: ${aspect}; --layers: ${layers}; --heads: ${heads};`;

/** Whether a phone shows one layer at a time, as the class `many-heads` of the page. */
export const hasManyHeads = (shape: Shape) => shape.heads > 8;

/** Patches in a row; tiles of more may have fewer pixels, and are smoothed. */
export const MANY_PATCHES = 28;

/** The map that a key of the grid moves to from a layer and head. */
export function nextMap(shape: Shape, layer: number, head: number, key: string) {
  const grid = { rows: shape.layers + 1, columns: shape.heads + 1 };
  const index = (value: number, count: number) => (value === MEAN ? count : value);
  const value = (place: number, count: number) => (place === count ? MEAN : place);
  const at = index(layer, shape.layers) * grid.columns + index(head, shape.heads);
  const next = neighbour(at, key, grid);
  return {
    layer: value(Math.floor(next / grid.columns), shape.layers),
    head: value(next % grid.columns, shape.heads),
  };
}
