/* Curves over epochs: those of the followed run, and of runs overlaid on them. Pure functions. */

import { accuracyNumber } from '../lib/accuracy';
import type { Metrics, MetricsLine, RunInfo } from '../lib/routes';
import { isRunning } from './sentences';

/** Known metrics of a run: those up to `offset` of its current session. */
export interface Curve {
  session: string;
  offset: number;
  lines: MetricsLine[];
}

/** What a run records over epochs. */
export type Metric = Exclude<keyof MetricsLine, 'alarms'>;
export type Point = [epoch: number, value: number];

/** A line of a chart; `color` is empty for the followed run, whose lines have the color of their class. */
export interface ChartLine {
  run: string;
  name: string;
  points: Point[];
  color: string;
  dash: string;
  className: string;
  range?: [epoch: number, low: number, high: number][];
  isRead: boolean; // whether it is labeled with its value at the cursor
}

export const LINE_COLORS = [150, 105, 195, 125, 175]; // entries of the color map, for overlaid runs
export const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 4'];
const MAX_POINTS = 300; // per line
const LINE_NAMES: Record<string, string> = { loss: 'training', train_accuracy: 'training' };

/** Every n-th point, at most about MAX_POINTS, and always the last one. */
export function subsample<T>(points: T[]): T[] {
  const every = Math.ceil(points.length / MAX_POINTS);
  return points.filter((_, i) => i % every === 0 || i === points.length - 1);
}

/** The last point up to `epoch`, or undefined; the last of all if it is null. */
export function pointAt(points: Point[], epoch: number | null): Point | undefined {
  if (epoch === null) return points.at(-1);
  return points.findLast(([at]) => at <= epoch + 1e-6 * Math.max(1, epoch)); // epochs of snapshots have single precision
}

/** The end of the epoch axis: the expected end of the longest of these runs, all with metrics. */
export function lastEpoch(names: string[], runs: RunInfo[], curves: Record<string, Curve>): number {
  const ends = names.map((name) => {
    const run = runs.find((other) => other.name === name);
    const now = curves[name].lines.at(-1)?.epoch ?? 0;
    if (!run || !isRunning(run)) return now;
    return run.epochs ?? (run.progress > 0.02 ? now / run.progress : 1.5 * now);
  });
  return Math.max(...ends, 0.01);
}

/** The runs whose curves are drawn: the followed one first; those without metrics are left out. */
export function namesOfCurves(followed: string | null, overlaid: string[], curves: Record<string, Curve>): string[] {
  const names = followed === null ? overlaid : [followed, ...overlaid.filter((name) => name !== followed)];
  return names.filter((name) => curves[name]?.lines.length);
}

/** The lines of a chart of these metrics; next to other runs, each run has the line of the first one only.
    @param colorOf CSS color of an entry of the color map */
export function linesOf(
  keys: Metric[],
  names: string[],
  runs: RunInfo[],
  curves: Record<string, Curve>,
  colorOf: (entry: number) => string,
): ChartLine[] {
  const isSeveral = names.length > 1;
  const nameOf = (run: string, key: string) => {
    if (isSeveral) return run;
    const measuredOn = () => runs.find(({ name }) => name === run)?.measured_on ?? '';
    return LINE_NAMES[key] ?? (key === 'accuracy' ? measuredOn() : '');
  };
  return names.flatMap((run, i) =>
    keys.slice(0, isSeveral ? 1 : undefined).map((key) => ({
      run,
      name: nameOf(run, key),
      points: subsample(pointsOf(curves[run].lines, key)),
      color: i ? colorOf(LINE_COLORS[(i - 1) % LINE_COLORS.length]) : '',
      dash: DASHES[i % DASHES.length],
      className: i ? 'other' : key === 'train_accuracy' ? 'quiet' : 'ink',
      isRead: i === 0,
    })),
  );
}

/** Alarms of a run, each a sentence, with the epoch of its line. */
export const alarmsOf = (lines: MetricsLine[]) =>
  lines.flatMap(({ epoch, alarms }) => alarms.map((sentence) => ({ epoch, sentence })));

/** An accuracy of a line; only the line in ink is measured on these test images, so that others have no counts. */
export const accuracyLabel = (value: number, line: ChartLine, images?: number | null) =>
  accuracyNumber(value, line.className === 'ink' ? images : images && Math.max(images, 100));

export function pointsOf(lines: MetricsLine[], key: Metric): Point[] {
  return lines.flatMap((line): Point[] => {
    const value = line[key];
    return value == null ? [] : [[line.epoch, value]];
  });
}

/** The metrics after a response with the lines after `from`; a new session of a run replaces all. Null if it has none,
    or if an earlier response contained them. */
export function addMetrics(known: Curve | undefined, from: number, metrics: Metrics): Curve | null {
  const { whole, lines: more, ...rest } = metrics;
  const { lines, offset: end } = known ?? { lines: [], offset: 0 };
  if (!whole && (from !== end || !more.length)) return null;
  return { ...rest, lines: whole ? more : [...lines, ...more] };
}
