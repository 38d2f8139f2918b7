/* Sweeps: their runs, and the points of their plot. Pure functions. */

import type { RunInfo, SettingGroup, SweepInfo } from '../lib/routes';

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
