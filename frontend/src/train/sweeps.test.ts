import { expect, test } from 'vitest';
import type { RunInfo, SettingGroup, SweepInfo } from '../lib/routes';
import { entriesOf, linesOfSweep, settingName } from './sweeps';

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
