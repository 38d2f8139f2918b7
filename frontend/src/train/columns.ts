/* Columns and order of the table of runs. Pure functions. */

import { accuracyNumber } from '../lib/accuracy';
import type { RunInfo } from '../lib/routes';
import { duration, epochText, short, thousands } from './sentences';

export type ColumnKey =
  | 'name'
  | 'preset'
  | 'parameters'
  | 'epoch'
  | 'seconds'
  | 'images_per_second'
  | 'accuracy'
  | 'state';

export interface Column {
  key: ColumnKey;
  words: string;
  isNumber: boolean;
  print: (run: RunInfo) => string;
}

/** Newest first if `key` is null. */
export interface Order {
  key: ColumnKey | null;
  isDown: boolean;
}

const text = (key: 'name' | 'preset' | 'state', words: string): Column => ({
  key,
  words,
  isNumber: false,
  print: (run) => run[key],
});
const number = (key: ColumnKey, words: string, print: Column['print']): Column => ({
  key,
  words,
  isNumber: true,
  print,
});

export const COLUMNS: readonly Column[] = [
  text('name', 'Name'),
  text('preset', 'Closest preset'),
  number('parameters', 'Parameters', (run) => thousands(run.parameters)),
  number('epoch', 'Epochs', epochsText),
  number('seconds', 'Time', ({ seconds }) => (seconds ? duration(seconds) : '')),
  number('images_per_second', 'Images/s', ({ images_per_second: speed }) => (speed ? speed.toFixed(0) : '')),
  number('accuracy', 'Accuracy, last epoch', resultText),
  text('state', 'State'),
];

function epochsText({ epoch, epochs, state }: RunInfo): string {
  return epochs != null && state !== 'finished' ? `${epochText(epoch)} of ${short(epochs)}` : epochText(epoch);
}

function resultText({ accuracy, eval_samples, measured_on, is_classifier }: RunInfo): string {
  if (!is_classifier) return 'no labels';
  return accuracy == null ? 'not finished' : `${accuracyNumber(accuracy, eval_samples)} ${measured_on}`;
}

/** The order after a click on a column: numbers descending first, then the reverse, then newest first. */
export function nextOrder(order: Order, { key, isNumber }: Column): Order {
  if (order.key !== key) return { key, isDown: isNumber };
  if (order.isDown === isNumber) return { key, isDown: !isNumber };
  return { key: null, isDown: false };
}

export function sortRuns(runs: RunInfo[], { key, isDown }: Order): RunInfo[] {
  if (!key) return runs;
  const value = (run: RunInfo) => run[key] ?? Number.NEGATIVE_INFINITY;
  const sign = isDown ? -1 : 1;
  return runs.toSorted((a, b) => sign * (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0));
}
