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

/** The number of runs of a sweep. */
export function countRuns(grid: string[]): number {
  return grid.reduce((product, text) => product * text.split('=')[1].split(',').length, 1);
}

/** The first of stem-1, stem-2, … that is not taken. */
export function freeName(preset: string, isTaken: (name: string) => boolean): string {
  const stem = preset.replace(/^cifar10-/, '');
  let number = 1;
  while (isTaken(`${stem}-${number}`)) number++;
  return `${stem}-${number}`;
}

/** The others of a sentence's tokens: " + class token" */
export function prefixWords(prefix: number): string {
  return ['', ' + class token'][prefix] ?? ` + ${prefix} prefix tokens`;
}
