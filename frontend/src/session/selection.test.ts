import { expect, test } from 'vitest';
import { MEAN, POOL } from '../lib/numbers';
import { NOTHING_ABLATED } from '../lib/view';
import { ablationOf, ablationsOf, isAblated, toggledHead } from './ablation';
import { selectedPatches, withoutRemoved } from './selection';

const SHAPE = {
  layers: 2,
  heads: 2,
  rows: 2,
  columns: 2,
  aspect: 1,
  prefix: 1,
  class_token: true,
  removed: [1],
};

test('the patch under the pointer takes precedence over the pinned ones', () => {
  expect(selectedPatches([2, 3], -1, true)).toEqual([2, 3]);
  expect(selectedPatches([2, 3], 0, false)).toEqual([0]);
  expect(selectedPatches([2, 3], 0, true)).toEqual([2, 3, 0]);
  expect(selectedPatches([2, 3], 3, true)).toEqual([2, 3]);
});

test('removed patches are not queries, unless all are removed', () => {
  expect(withoutRemoved([1, 2], SHAPE)).toEqual([2]);
  expect(withoutRemoved([1], SHAPE)).toEqual([1]);
});

test('a mean is ablated if all of its heads are', () => {
  const ablation = { ...NOTHING_ABLATED, heads: toggledHead([[0, 0]], 0, 1) };
  expect(isAblated(ablation, SHAPE, 0, MEAN)).toBe(true);
  expect(isAblated(ablation, SHAPE, MEAN, 0)).toBe(false);
  expect(isAblated(ablation, SHAPE, POOL, 0)).toBe(false);
  expect(toggledHead(ablation.heads, 0, 1)).toEqual([[0, 0]]);
});

test('ablations in sequence are taken together', () => {
  const first = { ...NOTHING_ABLATED, heads: [[0, 1] as [number, number]], patches: [3], patch_mode: 'gray' as const };
  const second = { ...NOTHING_ABLATED, patches: [1], mode: 'mean' as const };
  expect(ablationOf({ ablations: [first, second] })).toMatchObject({ heads: [[0, 1]], patches: [3, 1], mode: 'mean' });
  expect(ablationOf({ ablations: [first, second] }, 'drop').patches).toEqual([1]);
  expect(ablationsOf(NOTHING_ABLATED)).toEqual([]);
});
