import { expect, test } from 'vitest';
import type { MetricsLine, RunInfo } from '../lib/routes';
import {
  accuracyLabel,
  addMetrics,
  alarmsOf,
  type Curve,
  lastEpoch,
  linesOf,
  namesOfCurves,
  type Point,
  pointAt,
  subsample,
} from './curves';

const lineAt = (epoch: number, loss = 1 / epoch): MetricsLine => ({
  progress: epoch / 10,
  epoch,
  seconds: epoch,
  loss,
  learning_rate: 0.001,
  images_per_second: 100,
  accuracy: epoch % 1 ? null : 0.1 * epoch,
  train_accuracy: null,
  entropy: null,
  distance: null,
  min_distance: null,
  sink_share: null,
  token_norm: null,
  alarms: [],
});
const curve = (...epochs: number[]): Curve => ({ session: 's', offset: 10, lines: epochs.map((at) => lineAt(at)) });
const run = (name: string, more: Partial<RunInfo> = {}) =>
  ({ name, state: 'finished', epochs: null, progress: 1, measured_on: 'test', ...more }) as RunInfo;

test('many points are subsample and the last one is kept', () => {
  expect(subsample([])).toEqual([]);
  expect(subsample([1, 2, 3])).toEqual([1, 2, 3]);
  const some = subsample([...Array(1000).keys()]);
  expect(some.length).toBeLessThan(302);
  expect([some[0], some[1], some.at(-1)]).toEqual([0, 4, 999]);
});

test('the point at a cursor is the last one up to it, with the precision of single floats', () => {
  const points: Point[] = [
    [1, 10],
    [2.00001, 20],
    [3, 30],
  ];
  expect(pointAt(points, null)).toEqual([3, 30]);
  expect(pointAt(points, 0.5)).toBeUndefined();
  expect(pointAt(points, 2)).toEqual([1, 10]);
  expect(pointAt(points, 2.000009)).toEqual([2.00001, 20]);
  expect(pointAt(points, 7)).toEqual([3, 30]);
});

test('the epoch axis ends at the expected end of the longest run', () => {
  const curves = { one: curve(1, 2), two: curve(1), gone: curve(4) };
  expect(lastEpoch(['one', 'two'], [run('one'), run('two')], curves)).toBe(2);
  expect(lastEpoch(['one', 'two'], [run('one'), run('two', { state: 'training', epochs: 9 })], curves)).toBe(9);
  expect(lastEpoch(['two'], [run('two', { state: 'training', progress: 0.25 })], curves)).toBe(4);
  expect(lastEpoch(['two'], [run('two', { state: 'stopping', progress: 0.01 })], curves)).toBe(1.5);
  expect(lastEpoch(['gone'], [], curves)).toBe(4);
  expect(lastEpoch([], [], curves)).toBe(0.01);
});

test('the followed run comes first, and runs without metrics are left out', () => {
  const curves = { one: curve(1), two: curve(1), empty: curve() };
  expect(namesOfCurves('two', ['one', 'two', 'empty', 'unknown'], curves)).toEqual(['two', 'one']);
  expect(namesOfCurves(null, ['one'], curves)).toEqual(['one']);
});

test('one run has all lines of a chart, several have one each', () => {
  const curves = { one: curve(0.5, 1, 2), two: curve(1) };
  const runs = [run('one', { measured_on: 'held-out' }), run('two')];
  const color = (entry: number) => `color ${entry}`;
  const [accuracy, training] = linesOf(['accuracy', 'train_accuracy'], ['one'], runs, curves, color);
  expect(accuracy).toMatchObject({ name: 'held-out', color: '', dash: '', className: 'ink', isRead: true });
  expect(accuracy.points).toEqual([
    [1, 0.1],
    [2, 0.2],
  ]);
  expect(training).toMatchObject({ name: 'training', className: 'quiet', points: [] });
  const [first, second, ...others] = linesOf(['accuracy', 'train_accuracy'], ['one', 'two'], runs, curves, color);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ name: 'one', className: 'ink', isRead: true });
  expect(second).toMatchObject({ name: 'two', color: 'color 150', dash: '6 3', className: 'other', isRead: false });
  expect(linesOf(['learning_rate'], ['one'], [], curves, color)[0].name).toBe('');
});

test('only the test accuracy is stated as a count of the test images', () => {
  const color = () => '';
  const [test, training] = linesOf(['accuracy', 'train_accuracy'], ['one'], [run('one')], { one: curve(1) }, color);
  expect(accuracyLabel(0.5, test, 24)).toBe('12 of 24');
  expect(accuracyLabel(0.5, training, 24)).toBe('50\u00a0%');
  expect(accuracyLabel(0.5, training, 10_000)).toBe('50.0\u00a0%');
  expect(accuracyLabel(0.5, training, null)).toBe('50.0\u00a0%');
});

test('metrics are appended once, and a new session replaces them', () => {
  const reply = { session: 's', lines: [lineAt(3)], offset: 20, whole: false };
  const first = addMetrics(undefined, 0, { ...reply, whole: true });
  expect(first).toEqual({ session: 's', offset: 20, lines: [lineAt(3)] });
  expect(addMetrics(curve(1, 2), 10, reply)?.lines.map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
  expect(addMetrics(curve(1, 2), 5, reply)).toBeNull();
  expect(addMetrics(curve(1, 2), 10, { ...reply, lines: [] })).toBeNull();
  const restarted = { session: 'other', lines: [], offset: 0, whole: true };
  expect(addMetrics(curve(1, 2), 10, restarted)).toEqual({ session: 'other', offset: 0, lines: [] });
});

test('alarms are those of all lines, in order', () => {
  const lines = [lineAt(1), { ...lineAt(2), alarms: ['sink', 'head'] }, { ...lineAt(3), alarms: ['loss'] }];
  expect(alarmsOf(lines)).toEqual([
    { epoch: 2, sentence: 'sink' },
    { epoch: 2, sentence: 'head' },
    { epoch: 3, sentence: 'loss' },
  ]);
});
