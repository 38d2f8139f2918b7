/* The geometry of a chart of heads: a dot per head above its layer, and the mean of heads. */

import { type Frame, ticks, tickText, valueScale } from '../lib/axes';
import { meanOf, smallest } from '../lib/numbers';
import { percent } from '../lib/words';
import type { Head } from './figure';
import { chartHeight, type LayerAxis, layerAxis, type UniformLine, type ValueAxis } from './layers';
import type { Places, Point } from './places';

export interface Dot extends Point, Head {}

export interface DotChart {
  width: number;
  height: number;
  frame: Frame;
  axis: ValueAxis;
  layers: LayerAxis;
  radius: number;
  /** Row by row of the values. */
  dots: Dot[];
  means: { x1: number; x2: number; y: number }[];
  uniform: UniformLine;
}

export interface DotPlaces extends Places {
  partsOf: (index: number) => Head;
}

/** @param values (layers, heads); of a pyramid some layers have fewer */
export function dotChart(values: number[][], uniform: number, unit: string, label: string, width: number): DotChart {
  const height = chartHeight(width);
  const frame = { left: 32, right: width, top: 22, bottom: height - 24 };
  const heads = Math.max(...values.map(({ length }) => length));
  const most = Math.max(...values.flat());
  const radius = heads > 8 ? 4 : 5;
  const axis = { frame, end: 1.12 * Math.max(uniform, most), unit };
  const valueY = valueScale(frame, axis.end);
  const layers = layerAxis(frame, values.length, 1);
  const reach = (0.36 * (frame.right - frame.left)) / values.length;
  const step = Math.min(6, (2 * reach) / heads);
  const dots = values.flatMap((row, layer) =>
    row.map((value, head) => ({ layer, head, x: layers.x(layer) + (head - (heads - 1) / 2) * step, y: valueY(value) })),
  );
  const means = values.map((row, layer) => ({
    x1: layers.x(layer) - reach,
    x2: layers.x(layer) + reach,
    y: valueY(meanOf(row)),
  }));
  const y = valueY(uniform);
  const top = Math.min(y, valueY(most) - radius); // the label is above all dots
  return { width, height, frame, axis, layers, radius, dots, means, uniform: { y, top, label, anchor: 'start' } };
}

/** A dot per head at two of its values: `across` is a ratio to a mean, `values` are fractions, both (layers, heads). */
export function scatterChart(
  across: number[][],
  values: number[][],
  uniform: number,
  label: string,
  width: number,
): DotChart {
  const height = chartHeight(width);
  const frame = { left: 44, right: width, top: 22, bottom: height - 24 };
  const axis = {
    frame,
    end: 1.12 * Math.max(uniform, ...values.flat()),
    unit: 'attention, by value norm (× mean)',
    print: percentTick,
  };
  const valueY = valueScale(frame, axis.end);
  const end = 1.08 * Math.max(1, ...across.flat());
  const x = (value: number) => frame.left + (value / end) * (frame.right - frame.left);
  const labels = ticks(end, Math.max(2, Math.floor(width / 90)))
    .slice(1)
    .map((tick) => ({ x: x(tick), text: `${tickText(tick)} ×` }));
  const dots = values.flatMap((row, layer) =>
    row.map((value, head) => ({ layer, head, x: x(across[layer][head]), y: valueY(value) })),
  );
  const y = valueY(uniform);
  const layers = { band: 0, x, labels, y: frame.bottom + 18 };
  const radius = values[0].length > 8 ? 4 : 5;
  return { width, height, frame, axis, layers, radius, dots, means: [], uniform: { y, top: y, label, anchor: 'end' } };
}

const percentTick = (value: number) => percent(value, 0);

/** The place of a dot: one row per head, one column per layer. The pointer reads the nearest dot. */
export function dotPlaces({ dots }: DotChart): DotPlaces {
  const grid = {
    rows: 1 + Math.max(...dots.map(({ head }) => head)),
    columns: 1 + Math.max(...dots.map(({ layer }) => layer)),
  };
  const partsOf = (index: number) => ({ layer: index % grid.columns, head: Math.floor(index / grid.columns) });
  const byPlace = new Map(dots.map((dot) => [dot.head * grid.columns + dot.layer, dot]));
  const places = [...byPlace.keys()];
  return {
    grid,
    start: 0,
    partsOf,
    holds: (index) => byPlace.has(index),
    at: ({ x, y }) => places[smallest(dots.map((dot) => Math.hypot(dot.x - x, dot.y - y)))],
    box(index) {
      const { x, y } = byPlace.get(index) ?? dots[0];
      return { left: x - 6, top: y - 6, width: 12, height: 12, style: 'round' };
    },
  };
}
