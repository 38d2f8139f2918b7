/* The geometry of curves over layers: token norms, and the logit lens. */

import { type Frame, valueScale } from '../lib/axes';
import { meanOf, median } from '../lib/numbers';
import type { Probes } from '../lib/routes';
import { percent, SPACE } from '../lib/words';
import { chartHeight, type LayerAxis, layerAxis, type UniformLine, type ValueAxis } from './layers';
import type { Box, Point } from './places';

export interface LayerCurves {
  width: number;
  height: number;
  /** The columns that the pointer reads. */
  frame: Frame;
  axis: ValueAxis;
  layers: LayerAxis;
  curves: { name: string; points: Point[] }[];
  /** Outline of a range. */
  band?: Point[];
  uniform?: UniformLine;
  /** A second chart, of bars. */
  bars?: { axis: ValueAxis; boxes: Box[] };
}

/** Token norms of a layer, and the fraction of outliers among its patches. */
export interface LayerNorms {
  token: number;
  median: number;
  low: number;
  high: number;
  largest: number;
  outliers: number;
}

export function layerNorms({ norms, outliers, longest, prefix }: Probes): LayerNorms[] {
  return norms.map((row, layer) => {
    const patches = row.slice(prefix);
    return {
      token: row[0],
      median: median(patches),
      low: Math.min(...patches),
      high: Math.max(...patches),
      largest: longest[layer],
      outliers: meanOf(outliers[layer].slice(prefix)),
    };
  });
}

export function normCurves(norms: LayerNorms[], width: number, hasClassToken: boolean): LayerCurves {
  const height = chartHeight(width);
  const above = { left: 32, right: width, top: 22, bottom: height - 116 };
  const below = { ...above, top: height - 70, bottom: height - 24 };
  const of = (name: keyof LayerNorms) => norms.map((layer) => layer[name]);
  const end = 1.06 * Math.max(...(hasClassToken ? of('token') : []), ...of('largest'), ...of('high'));
  const y = valueScale(above, end);
  const layers = layerAxis(below, norms.length, 0);
  const points = (name: keyof LayerNorms) => of(name).map((value, i) => ({ x: layers.x(i), y: y(value) }));
  const print = (tick: number) => `${Number((100 * tick).toPrecision(3))}${SPACE}%`;
  const fractionEnd = 1.2 * Math.max(0.02, ...of('outliers'));
  const fractionY = valueScale(below, fractionEnd);
  const boxes = of('outliers').map((value, i) => {
    const top = fractionY(value);
    return { left: layers.x(i) - 0.3 * layers.band, width: 0.6 * layers.band, top, height: below.bottom - top };
  });
  return {
    width,
    height,
    frame: { ...above, bottom: below.bottom },
    axis: { frame: above, end, unit: 'L2 norm' },
    layers,
    band: [...points('high'), ...points('low').reverse()],
    curves: [
      { name: 'data dotted', points: points('largest') },
      { name: 'data', points: points('median') },
      ...(hasClassToken ? [{ name: 'ink', points: points('token') }] : []),
    ],
    bars: { axis: { frame: below, end: fractionEnd, unit: 'outliers among the patches', print }, boxes },
  };
}

export function lensCurves({ final_agreement, final_probability, classes }: Probes, width: number): LayerCurves {
  const curves = percentCurves(
    [
      { name: 'data', values: final_probability },
      { name: 'ink', values: final_agreement },
    ],
    width,
  );
  const chance = 1 / classes;
  const y = valueScale(curves.frame, curves.axis.end)(chance);
  const label = `chance ${percent(chance, chance < 0.01 ? undefined : 0)}`;
  return { ...curves, uniform: { y, top: y, label, anchor: 'end' } };
}

/** Curves of fractions, from the input of the first layer on. */
export function percentCurves(curves: { name: string; values: number[] }[], width: number): LayerCurves {
  const height = chartHeight(width);
  const frame = { left: 40, right: width, top: 8, bottom: height - 24 };
  const axis = { frame, end: 1.04, print: (tick: number) => percent(tick, 0) };
  const y = valueScale(frame, axis.end);
  const layers = layerAxis(frame, curves[0].values.length, 0);
  const drawn = curves.map(({ name, values }) => ({
    name,
    points: values.map((value, i) => ({ x: layers.x(i), y: y(value) })),
  }));
  return { width, height, frame, axis, layers, curves: drawn };
}
