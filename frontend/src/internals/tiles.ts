/* Small maps next to each other, each on its own canvas, one pixel per value. */

import type { Grid } from '../lib/grid';
import type { Scale } from '../lib/numbers';
import { paintTile, type Tile } from '../lib/paint';
import type { ThemeColors } from '../lib/theme.svelte';
import type { Box, Places, Point } from './places';

export interface TilePlan {
  count: number;
  /** The values of a map. */
  rows: number;
  columns: number;
  /** Maps in a row, and pixels between them. */
  across: number;
  gap: number;
  /** Pixels between the rows of maps; by default `gap`. */
  down?: number;
  /** Height of a value by its width. */
  ratio: number;
  /** Whether a map is a single place. */
  whole?: boolean;
  /** Text above map t. */
  label?: (t: number) => string;
  /** Text under map t. */
  under?: (t: number) => string;
  paint: (tile: Tile, t: number, colors: ThemeColors) => void;
}

/** A value: its map, row and column. */
export interface Part {
  t: number;
  row: number;
  column: number;
}

export interface TilePlaces extends Places {
  partsOf: (index: number) => Part;
  indexOf: (part: Part) => number;
}

/** The width of a map: whole pixels per value for sharp edges, unless that wastes much space. */
export function tileSide(width: number, { across, gap, columns }: TilePlan): number {
  const room = (width - (across - 1) * gap) / across;
  const whole = Math.floor(room / columns) * columns;
  return whole > 0.8 * room ? whole : room;
}

/** The places of all values: all maps together are one grid for the arrow keys. */
export function tilePlaces(plan: TilePlan): TilePlaces {
  const rows = plan.whole ? 1 : plan.rows;
  const columns = plan.whole ? 1 : plan.columns;
  const grid: Grid = { rows: Math.ceil(plan.count / plan.across) * rows, columns: plan.across * columns };

  function partsOf(index: number): Part {
    const down = Math.floor(index / grid.columns);
    const right = index % grid.columns;
    const t = Math.floor(down / rows) * plan.across + Math.floor(right / columns);
    return { t, row: down % rows, column: right % columns };
  }

  function indexOf({ t, row, column }: Part): number {
    const down = Math.floor(t / plan.across) * rows + row;
    return down * grid.columns + (t % plan.across) * columns + column;
  }

  function at(point: Point, tiles: Box[]): number {
    const t = tiles.findIndex((tile) => isWithin(tile, point));
    if (t < 0) return -1;
    const tile = tiles[t];
    const cell = (fraction: number, cells: number) => Math.min(cells - 1, Math.floor(fraction * cells));
    const row = cell((point.y - tile.top) / tile.height, rows);
    return indexOf({ t, row, column: cell((point.x - tile.left) / tile.width, columns) });
  }

  function box(index: number, tiles: Box[]) {
    const { t, row, column } = partsOf(index);
    const tile = tiles[t];
    const size = { width: tile.width / columns, height: tile.height / rows };
    const around = rows * columns > 1 ? tile : null;
    return { ...size, left: tile.left + column * size.width, top: tile.top + row * size.height, around };
  }

  const holds = (index: number) => partsOf(index).t < plan.count;
  return { grid, start: 0, jump: { rows, columns }, partsOf, indexOf, holds, at, box };
}

const isWithin = (box: Box, { x, y }: Point): boolean =>
  x >= box.left && x < box.left + box.width && y >= box.top && y < box.top + box.height;

/** Paint map t of values on one scale, `size` values per map. */
export function painter(values: number[], size: number, kind: 'seq' | 'div', scale: Scale): TilePlan['paint'] {
  return (tile, t, colors) => paintTile(tile, values, t * size, colors.table(kind), scale);
}

/** Paint a filter: gray is zero, and `end` the full color of a channel. */
export function paintFilter(tile: Tile, channels: number[][][], end: number): void {
  const columns = channels[0][0].length;
  const { data } = tile.image;
  for (let i = 0; i < data.length; i++) {
    const pixel = Math.floor(i / 4);
    const value = i % 4 === 3 ? 0 : channels[i % 4][Math.floor(pixel / columns)][pixel % columns];
    data[i] = i % 4 === 3 ? 255 : Math.round(255 * (0.5 + value / (2 * end)));
  }
  tile.context.putImageData(tile.image, 0, 0);
}
