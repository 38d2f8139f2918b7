/* Values of the form: pure functions. */

import type { SettingValue } from '../lib/routes';

export const DATASETS: Record<string, string> = { cifar10: 'CIFAR-10', cifar100: 'CIFAR-100' };

/** The value of a text field: a number, null, or the text, which Python rejects. */
export function parseField(typed: string): number | string | null {
  const text = typed.trim();
  if (text === '') return null;
  const isGrouped = /^[1-9]\d{0,2}(,\d{3})+$/.test(text);
  const number = Number(isGrouped ? text.replaceAll(',', '') : text.replace(',', '.')); // decimal comma
  return Number.isNaN(number) ? text : number;
}

/** The text of a field with this value. */
export const fieldText = (value: SettingValue | undefined) => (value == null ? '' : String(value));

/** A hyperparameter of a sweep, "" for none, and the text of its values. */
export interface Variation {
  key: string;
  values: string;
}

/** The grid of a sweep: ["model.depth=2,4,8"] */
export function sweepGrid(variations: Variation[]): string[] {
  return variations.flatMap(({ key, values }) => {
    return key
      ? [
          `${key}=${values
            .split(/[\s,;]+/)
            .filter(Boolean)
            .join(',')}`,
        ]
      : [];
  });
}

/** The two variations of a grid. */
export const variationsOf = (grid: readonly string[]): Variation[] =>
  [0, 1].map((place) => {
    const [key, values = ''] = (grid[place] ?? '').split('=');
    return { key, values: values.replaceAll(',', ', ') };
  });

/** The number of runs of a sweep. */
export function countRuns(grid: string[]): number {
  return grid.reduce((product, text) => product * text.split('=')[1].split(',').length, 1);
}

/** The stem of a run's name: what is trained, and the dataset unless it is CIFAR-10; at most 48 letters that a name may have. */
export function stemOf(model: string, dataset: string): string {
  const data = dataset === 'cifar10' ? '' : `${dataset.replace(/\.zip$/, '')}-`;
  const stem = (data + model.replace(/^cifar10-/, '')).replace(/[^A-Za-z0-9._-]+/g, '-');
  return stem.replace(/^[-.]+/, '').slice(0, 48) || 'run';
}

/** The first of stem-1, stem-2, … that is not taken. */
export function freeName(stem: string, isTaken: (name: string) => boolean): string {
  let number = 1;
  while (isTaken(`${stem}-${number}`)) number++;
  return `${stem}-${number}`;
}

/** The others of a sentence's tokens: " + class token" */
export function prefixWords(prefix: number): string {
  return ['', ' + class token'][prefix] ?? ` + ${prefix} prefix tokens`;
}
