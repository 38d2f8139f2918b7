/* The geometry of a matrix of layers against layers, from the lower left. */

import { type LayerAxis, layerAxis, layerMark } from './layers';
import type { Places } from './places';

const LEFT = 32; // px, of the row labels
const BOTTOM = 24; // of the column labels

export interface SquareMatrix {
  count: number;
  /** Width and height of a value. */
  cell: number;
  width: number;
  height: number;
  cells: { x: number; y: number; value: number }[];
  rows: { y: number; text: string }[];
  columns: LayerAxis;
}

/** @param values in 0..1 */
export function squareMatrix(values: number[][], width: number): SquareMatrix {
  const count = values.length;
  const cell = Math.floor((Math.min(width, 392) - LEFT) / count);
  const side = cell * count;
  const top = (row: number) => (count - 1 - row) * cell;
  const every = Math.ceil(count / Math.floor(side / 24));
  return {
    count,
    cell,
    width: side + LEFT,
    height: side + BOTTOM,
    columns: layerAxis({ left: LEFT, right: side + LEFT, top: 0, bottom: side }, count, 0),
    rows: values.flatMap((_, row) => (row % every ? [] : [{ y: top(row) + cell / 2 + 4, text: layerMark(row) }])),
    cells: values.flatMap((line, row) =>
      line.map((value, column) => ({ x: LEFT + column * cell, y: top(row), value })),
    ),
  };
}

export interface SquarePlaces extends Places {
  partsOf: (index: number) => { row: number; column: number };
}

export function squarePlaces({ count, cell }: SquareMatrix): SquarePlaces {
  const partsOf = (index: number) => ({ row: count - 1 - Math.floor(index / count), column: index % count });
  return {
    grid: { rows: count, columns: count },
    start: (count - 1) * count,
    partsOf,
    holds: () => true,
    at({ x, y }) {
      const column = Math.floor((x - LEFT) / cell);
      const down = Math.floor(y / cell);
      return column >= 0 && down >= 0 && column < count && down < count ? down * count + column : -1;
    },
    box: (index) => ({
      left: LEFT + (index % count) * cell,
      top: Math.floor(index / count) * cell,
      width: cell,
      height: cell,
    }),
  };
}
