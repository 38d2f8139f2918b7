/* Charts by layer, in pixels of the stage: their frame, and a column per layer. */

import type { Frame } from '../lib/axes';
import type { Places, Point } from './places';

export const chartHeight = (width: number): number => Math.round(Math.min(360, Math.max(280, 0.8 * width)));

/** Short name of the output of a layer; 0 is the input of the first. */
export const layerMark = (place: number): string => (place === 0 ? 'in' : String(place));

export const after = (place: number): string => (place === 0 ? 'before layer 1' : `after layer ${place}`);

/** The props of ValueAxis.svelte. */
export interface ValueAxis {
  frame: Frame;
  end: number;
  unit?: string;
  print?: (value: number) => string;
}

export interface LayerAxis {
  /** Width of a layer's column. */
  band: number;
  /** The middle of a column. */
  x: (column: number) => number;
  labels: { x: number; text: string }[];
  y: number;
}

/** The axis of `count` layers. `first` is 0 if the input of the first layer is included. */
export function layerAxis(frame: Frame, count: number, first: 0 | 1): LayerAxis {
  const band = (frame.right - frame.left) / count;
  const x = (column: number) => frame.left + (column + 0.5) * band;
  const every = Math.ceil(count / Math.floor((frame.right - frame.left) / 44));
  const text = (column: number) => (first + column === 1 ? 'layer 1' : layerMark(first + column));
  const columns = Array.from({ length: Math.ceil(count / every) }, (_, k) => k * every);
  const labels = columns.map((column) => ({ x: x(column), text: text(column) }));
  return { band, x, labels, y: frame.bottom + 18 };
}

/** The value of uniform attention or chance: a dashed line, labeled above `top` at its start or end. */
export interface UniformLine {
  y: number;
  top: number;
  label: string;
  anchor: 'start' | 'end';
}

/** Each layer is a place, one column of the frame. */
export function columnPlaces(frame: Frame, count: number): Places {
  const band = (frame.right - frame.left) / count;
  return {
    grid: { rows: 1, columns: count },
    start: 0,
    holds: () => true,
    at({ x }: Point) {
      const column = Math.floor((x - frame.left) / band);
      return column >= 0 && column < count ? column : -1;
    },
    box: (column) => ({
      left: frame.left + column * band,
      top: frame.top,
      width: band,
      height: frame.bottom - frame.top,
      style: 'column',
    }),
  };
}
