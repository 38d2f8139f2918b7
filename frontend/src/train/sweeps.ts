/* Sweeps: their runs, and the points of their plot. Pure functions. */

import { meanOf } from '../lib/numbers';
import type { ExperimentInfo, RunInfo, SettingGroup, SweepInfo } from '../lib/routes';
import { type Curve, type Metric, type Point, pointsOf } from './curves';
import { epochText } from './sentences';

/** What can be drawn over epochs. */
export const METRICS = {
  loss: 'Training loss',
  accuracy: 'Accuracy',
  distance: 'Attention distance (px), mean of all heads',
  min_distance: 'Attention distance (px), most local head',
  entropy: 'Entropy of attention, of uniform',
  sink_share: 'Attention on one token, largest of all heads',
  token_norm: 'Token norm after the last layer',
} satisfies Partial<Record<Metric, string>>;
export type Drawn = keyof typeof METRICS;
const SEED = 'seed';
const GRID = 60; // epochs at which runs are averaged

/** A run of a sweep, started or not. */
export interface Entry {
  name: string;
  settings: Record<string, string>;
  state: string;
  message?: string;
  parameters?: number | null;
  seconds?: number | null;
  accuracy?: number | null;
  eval_samples?: number | null;
  progress?: number;
}

/** The runs of a sweep, in order. */
export function entriesOf(sweep: SweepInfo, runs: RunInfo[]): Entry[] {
  return sweep.runs.map(([name, settings]) => {
    const run = runs.find((other) => other.name === name);
    const ended = sweep.results.find((result) => result.run === name);
    const seconds = run?.seconds ?? ended?.seconds; // as in the table of runs
    return { state: 'pending', ...run, ...ended, seconds, name, settings };
  });
}

/** The label of a hyperparameter. */
export const settingName = (groups: SettingGroup[], key: string): string =>
  groups.map(({ fields }) => fields[key]).find(Boolean) ?? key;

/** A completed run in the plot. */
export type EndedEntry = Entry & { accuracy: number };

/** The completed runs by the values of all hyperparameters but the first, the one of the horizontal axis. */
export function linesOfSweep(entries: Entry[], others: string[]): [name: string, ended: EndedEntry[]][] {
  const ended = entries.filter((entry): entry is EndedEntry => entry.accuracy != null);
  const groups: Record<string, EndedEntry[]> = {}; // numbers come first, in order
  for (const entry of ended) {
    const name = others.map((key) => entry.settings[key]).join(', ');
    groups[name] ??= [];
    groups[name].push(entry);
  }
  return Object.entries(groups);
}

/** The experiment with the grid of a sweep or of the form. */
export const experimentOf = (experiments: ExperimentInfo[], { vary }: { vary: string[] }) =>
  experiments.find((experiment) => experiment.vary.join() === vary.join());

/** A metric over epochs of the runs with equal settings but for the seed. */
export interface Group {
  settings: [key: string, value: string][];
  count: number; // of runs
  points: Point[]; // mean
  range: [epoch: number, low: number, high: number][]; // over the runs
}

/** The groups of a sweep: their mean and range at epochs that all their runs have reached. */
export function groupsOf(entries: Entry[], curves: Record<string, Curve>, metric: Metric): Group[] {
  const found: Record<string, { settings: Group['settings']; runs: Point[][] }> = {};
  for (const { name, settings } of entries) {
    const points = pointsOf(curves[name]?.lines ?? [], metric);
    if (!points.length) continue;
    const others = Object.entries(settings).filter(([key]) => key !== SEED);
    const key = JSON.stringify(others);
    found[key] ??= { settings: others, runs: [] };
    found[key].runs.push(points);
  }
  return Object.values(found).map(({ settings, runs }) => {
    const start = Math.max(...runs.map((points) => points[0][0]));
    const end = Math.min(...runs.map((points) => points[points.length - 1][0]));
    const epochs = end > start ? Array.from({ length: GRID + 1 }, (_, i) => start + ((end - start) * i) / GRID) : [end];
    const values = epochs.map((epoch) => runs.map((points) => valueAt(points, epoch)));
    return {
      settings,
      count: runs.length,
      points: epochs.map((epoch, i): Point => [epoch, meanOf(values[i])]),
      range: epochs.map((epoch, i) => [epoch, Math.min(...values[i]), Math.max(...values[i])]),
    };
  });
}

/** What the groups reached at the last epoch of all runs: mean and range. */
export function outcomeOf(groups: Group[], nameOf: (settings: Group['settings']) => string): string {
  const epoch = Math.min(...groups.map(({ points }) => points[points.length - 1][0]));
  const words = groups.map(({ settings, points, range, count }) => {
    const at = (place: 1 | 2) =>
      valueAt(
        range.map((values): Point => [values[0], values[place]]),
        epoch,
      ).toPrecision(3);
    const spread = count > 1 ? ` (${at(1)} to ${at(2)}, ${count} seeds)` : '';
    return `${nameOf(settings)}: ${valueAt(points, epoch).toPrecision(3)}${spread}`;
  });
  const legend = groups.some(({ count }) => count > 1) ? ' Line: mean; band: smallest to largest of the seeds.' : '';
  return `At epoch ${epochText(epoch)}, ${words.join('; ')}.${legend}`;
}

/** The value between two points, linear in the epoch. */
function valueAt(points: Point[], epoch: number): number {
  const next = Math.max(
    1,
    points.findIndex(([at]) => at >= epoch),
  );
  const [[x0, y0], [x1, y1]] = [points[next - 1], points[next] ?? points[next - 1]];
  return x1 > x0 ? y0 + (y1 - y0) * Math.min(1, Math.max(0, (epoch - x0) / (x1 - x0))) : y0;
}
