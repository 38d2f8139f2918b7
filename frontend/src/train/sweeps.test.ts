import { expect, test } from 'vitest';
import type { ExperimentInfo, RunInfo, SettingGroup, SweepInfo } from '../lib/routes';
import type { Curve } from './curves';
import { entriesOf, experimentOf, groupsOf, linesOfSweep, outcomeOf, settingName } from './sweeps';

const settings = (depth: string, heads: string) => ({ 'model.depth': depth, 'model.num_heads': heads });
const SWEEP = {
  name: 'sizes',
  runs: [
    ['sizes-2-2', settings('2', '2')],
    ['sizes-2-4', settings('2', '4')],
    ['sizes-4-2', settings('4', '2')],
  ],
  results: [{ run: 'sizes-2-2', state: 'finished', accuracy: 0.5, parameters: 10, seconds: 3, message: '' }],
} as unknown as SweepInfo;

test('runs of a sweep are pending, running or completed', () => {
  const completed = { name: 'sizes-2-2', state: 'finished', seconds: 2 } as RunInfo;
  expect(entriesOf(SWEEP, [completed])[0].seconds).toBe(2); // without the evaluation, as in the table of runs
  const running = { name: 'sizes-2-4', state: 'training', progress: 0.25, accuracy: null } as RunInfo;
  const [ended, current, pending] = entriesOf(SWEEP, [running]);
  expect(ended).toMatchObject({ name: 'sizes-2-2', state: 'finished', accuracy: 0.5, settings: settings('2', '2') });
  expect(current).toMatchObject({ name: 'sizes-2-4', state: 'training', progress: 0.25 });
  expect(pending).toEqual({ name: 'sizes-4-2', state: 'pending', settings: settings('4', '2') });
});

test('completed runs are joined by the values of the second hyperparameter', () => {
  const ended = entriesOf(SWEEP, []).map((entry, i) => ({ ...entry, accuracy: i === 1 ? null : 0.1 * i }));
  const lines = linesOfSweep(ended, ['model.num_heads']);
  expect(lines.map(([name, found]) => [name, found.map((entry) => entry.name)])).toEqual([
    ['2', ['sizes-2-2', 'sizes-4-2']],
  ]);
  expect(linesOfSweep(ended, [])[0][0]).toBe('');
  expect(linesOfSweep([], [])).toEqual([]);
});

test('a hyperparameter has the label of the form', () => {
  const groups = [
    { fields: { lr: 'Learning rate' } },
    { fields: { 'model.depth': 'Layers' } },
  ] as unknown as SettingGroup[];
  expect(settingName(groups, 'model.depth')).toBe('Layers');
  expect(settingName(groups, 'unknown')).toBe('unknown');
});

const ofSeed = (seed: string, cutmix = '0') => ({
  name: `${cutmix}-${seed}`,
  state: 'finished',
  settings: { cutmix_prob: cutmix, seed },
});
const curve = (...values: [epoch: number, value: number | null][]) =>
  ({ lines: values.map(([epoch, distance]) => ({ epoch, distance })) }) as unknown as Curve;

test('runs that differ in the seed are one line: mean and range where all of them have trained', () => {
  const entries = [ofSeed('0'), ofSeed('1'), ofSeed('0', '1'), ofSeed('1', '1')];
  const curves = { '0-0': curve([0, 10], [1, null], [2, 14]), '0-1': curve([1, 6], [4, 0]), '1-0': curve([3, 5]) };
  const [without, cutmix, ...others] = groupsOf(entries, curves, 'distance');
  expect(others).toEqual([]);
  expect(without.settings).toEqual([['cutmix_prob', '0']]);
  expect(without.points[0]).toEqual([1, 9]); // 12 and 6
  expect(without.range[0]).toEqual([1, 6, 12]);
  expect(without.points.at(-1)).toEqual([2, 9]); // 14 and 4
  expect(without.range.at(-1)).toEqual([2, 4, 14]);
  expect([cutmix.count, cutmix.points, cutmix.range]).toEqual([1, [[3, 5]], [[3, 5, 5]]]);
  expect(outcomeOf([without, cutmix], ([[key, value]]) => `${key} ${value}`)).toBe(
    'At epoch 2, cutmix_prob 0: 9.00 (4.00 to 14.0, 2 seeds); cutmix_prob 1: 5.00. Line: mean; band: smallest to largest of the seeds.',
  );
  expect(groupsOf(entries, {}, 'distance')).toEqual([]);
});

test('an experiment is a sweep with its grid', () => {
  const cutmix = { name: 'cutmix', vary: ['cutmix_prob=0,1', 'seed=0,1,2'] } as unknown as ExperimentInfo;
  expect(experimentOf([cutmix], { name: 'mine', vary: cutmix.vary } as SweepInfo)).toBe(cutmix);
  expect(experimentOf([cutmix], { name: 'mine', vary: ['seed=0,1'] } as SweepInfo)).toBeUndefined();
});
