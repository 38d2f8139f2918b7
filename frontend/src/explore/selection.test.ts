import { expect, test } from 'vitest';
import { MEAN } from '../lib/numbers';
import { isAblated, isRemoved, queryPatches, selectedPatches, toggled } from './selection';

const SHAPE = { layers: 2, heads: 3, rows: 2, columns: 2, aspect: 1, prefix: 1, classToken: true };

test('a mean is ablated if all of its heads are', () => {
  expect(isAblated([], SHAPE, MEAN, MEAN)).toBe(false);
  expect(isAblated([4], SHAPE, 1, 1)).toBe(true);
  expect(isAblated([4], SHAPE, 1, MEAN)).toBe(false);
  expect(isAblated([3, 4, 5], SHAPE, 1, MEAN)).toBe(true);
  expect(isAblated([1, 4], SHAPE, MEAN, 1)).toBe(true);
  expect(isAblated([0, 1, 2, 3, 4, 5], SHAPE, MEAN, MEAN)).toBe(true);
});

test('the patch under the pointer takes precedence over the pinned ones', () => {
  expect(selectedPatches({ pins: [1], isMultiPatchQuery: false, hover: -1 })).toEqual([1]);
  expect(selectedPatches({ pins: [1], isMultiPatchQuery: false, hover: 2 })).toEqual([2]);
  expect(selectedPatches({ pins: [1], isMultiPatchQuery: true, hover: 2 })).toEqual([1, 2]);
  expect(selectedPatches({ pins: [1, 2], isMultiPatchQuery: true, hover: 2 })).toEqual([1, 2]);
});

test('removed patches are not queries, unless all are removed', () => {
  const shape = { ...SHAPE, removed: [1] };
  expect(queryPatches({ pins: [1, 2], isMultiPatchQuery: true, hover: -1 }, shape)).toEqual([2]);
  expect(queryPatches({ pins: [1], isMultiPatchQuery: false, hover: -1 }, shape)).toEqual([1]);
  expect([0, 1, -1].map((patch) => isRemoved(patch, shape))).toEqual([false, true, false]);
  expect(isRemoved(1, SHAPE)).toBe(false);
});

test('an item is added or removed', () => {
  expect(toggled([1, 2], 2)).toEqual([1]);
  expect(toggled([1], 2)).toEqual([1, 2]);
});
