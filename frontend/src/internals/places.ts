/* How the pointer and the arrow keys find the values of a figure. Places are numbered in reading order over a grid;
   -1 is none. Pixels are those of the figure's stage. */

import { type Grid, neighbour } from '../lib/grid';

export interface Point {
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The mark of a place; `around` is the map that contains it. */
export interface Mark extends Box {
  style?: 'round' | 'column';
  around?: Box | null;
}

export interface Places {
  grid: Grid;
  /** The place that the first key reads. */
  start: number;
  /** The step of a key with Shift; without it, one place. */
  jump?: Grid;
  /** Whether there is a value at a place of the grid. */
  holds(index: number): boolean;
  /** The place at a point; `tiles` are the boxes of the figure's canvases. */
  at(point: Point, tiles: Box[]): number;
  box(index: number, tiles: Box[]): Mark;
}

/** The place that an arrow key moves to; empty places are skipped. With `far`, moves by a whole map. */
export function walk(places: Places, read: number, key: string, far: boolean): number {
  if (read < 0) return places.start;
  const across = key === 'ArrowLeft' || key === 'ArrowRight';
  let steps = far && places.jump ? (across ? places.jump.columns : places.jump.rows) : 1;
  let index = read;
  while (steps-- > 0 || !places.holds(index)) {
    const next = neighbour(index, key, places.grid);
    if (next === index) return read; // an empty edge
    index = next;
  }
  return index;
}
