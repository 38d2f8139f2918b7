/* The matrix of maps: one row per layer, one column per head, then the means. */

import { neighbour } from './grid';
import { MEAN, POOL, placeOfHead, placeOfLayer, type Shape } from './numbers';
import type { Tile } from './paint';
import type { Head, Layer } from './view';

/** A map of the matrix. */
export interface MatrixTile {
  layer: Layer;
  head: Head;
  values: Tile;
}

/** Indices in the order of the matrix: 0 .. count - 1, then the mean. */
export const withMean = (count: number): Head[] => [...Array(count).keys(), MEAN];

/** The rows of the matrix: layers, their mean, and attention pooling if the model has it. */
export const layersOf = ({ layers, pooled }: Pick<Shape, 'layers' | 'pooled'>): Layer[] => [
  ...withMean(layers),
  ...(pooled ? [POOL] : []),
];

/** The text of a row or column header. Above narrow tiles only the corner has the word "head". */
export function headerText(kind: 'layer' | 'head', index: Layer, shape: Shape) {
  if (typeof index !== 'number') return index;
  return index === 0 && (kind === 'layer' || shape.heads <= 6) ? `${kind} 1` : String(index + 1);
}

/** The sizes that matrix.css needs, as a style of the page. */
export const matrixStyle = ({ rows, columns, aspect, layers, heads, pooled }: Shape) =>
  `--rows: ${rows}; --columns: ${columns}; --aspect: ${aspect}; --layers: ${layers + Number(pooled ?? false)}; --heads: ${heads};`;

/** Whether a phone shows one layer at a time, as the class `many-heads` of the page. */
export const hasManyHeads = (shape: Shape) => shape.heads > 8;

/** Patches in a row; tiles of more may have fewer pixels, and are smoothed. */
export const MANY_PATCHES = 28;

/** The map that a key of the grid moves to from a layer and head. */
export function nextMap(shape: Shape, layer: Layer, head: Head, key: string) {
  const [down, across] = [layersOf(shape), withMean(shape.heads)];
  const at = placeOfLayer(layer, shape.layers) * across.length + placeOfHead(head, shape.heads);
  const next = neighbour(at, key, { rows: down.length, columns: across.length });
  return { layer: down[Math.floor(next / across.length)], head: across[next % across.length] };
}
