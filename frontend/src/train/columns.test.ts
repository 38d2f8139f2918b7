import { expect, test } from 'vitest';
import type { RunInfo } from '../lib/routes';
import { COLUMNS, type ColumnKey, nextOrder, type Order, sortRuns } from './columns';

const run = (name: string, more: Partial<RunInfo> = {}) =>
  ({
    name,
    preset: 'cifar10-ti4',
    state: 'stopped',
    parameters: 1234567,
    epoch: 1.25,
    epochs: 10,
    seconds: 61,
    images_per_second: 123.4,
    accuracy: null,
    measured_on: 'test',
    is_classifier: true,
    ...more,
  }) as RunInfo;
const column = (key: ColumnKey) => COLUMNS.find((other) => other.key === key) ?? COLUMNS[0];
const text = (key: ColumnKey, more: Partial<RunInfo> = {}) => column(key).print(run('one', more));

test('cells have the units of their column', () => {
  expect(text('name')).toBe('one');
  expect(text('parameters')).toBe('1,234,567');
  expect(text('epoch')).toBe('1.3 of 10');
  expect(text('epoch', { state: 'finished' })).toBe('1.3');
  expect(text('epoch', { epochs: null })).toBe('1.3');
  expect(text('seconds')).toBe('1\u00a0min\u00a01\u00a0s');
  expect(text('seconds', { seconds: 0 })).toBe('');
  expect(text('images_per_second')).toBe('123');
  expect(text('images_per_second', { images_per_second: null })).toBe('');
  expect(text('accuracy')).toBe('not finished');
  expect(text('accuracy', { accuracy: 0.5, measured_on: 'held-out' })).toBe('50.0\u00a0% held-out');
  expect(text('accuracy', { accuracy: 1, eval_samples: 16, measured_on: 'test' })).toBe('16 of 16 test');
  expect(text('accuracy', { is_classifier: false })).toBe('no labels');
  expect(text('state')).toBe('stopped');
});

test('clicks on a column sort, then reverse, then restore the order', () => {
  const unsorted: Order = { key: null, isDown: false };
  const first = nextOrder(unsorted, column('accuracy'));
  expect(first).toEqual({ key: 'accuracy', isDown: true });
  const second = nextOrder(first, column('accuracy'));
  expect(second).toEqual({ key: 'accuracy', isDown: false });
  expect(nextOrder(second, column('accuracy'))).toEqual(unsorted);
  expect(nextOrder(second, column('name'))).toEqual({ key: 'name', isDown: false });
});

test('runs without a value are below all others', () => {
  const runs = [run('b', { accuracy: 0.5 }), run('c'), run('a', { accuracy: 0.7 })];
  const names = (order: Order) => sortRuns(runs, order).map(({ name }) => name);
  expect(names({ key: null, isDown: false })).toEqual(['b', 'c', 'a']);
  expect(names({ key: 'accuracy', isDown: true })).toEqual(['a', 'b', 'c']);
  expect(names({ key: 'accuracy', isDown: false })).toEqual(['c', 'b', 'a']);
  expect(names({ key: 'name', isDown: false })).toEqual(['a', 'b', 'c']);
});
