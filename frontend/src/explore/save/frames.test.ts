import { expect, test } from 'vitest';
import { patchesShown } from './frames';

test('an animation over patches shows each of a small grid, and every n-th row and column of a fine one', () => {
  expect(patchesShown({ rows: 2, columns: 3 })).toEqual([0, 1, 2, 3, 4, 5]);
  const fine = patchesShown({ rows: 37, columns: 20 });
  expect(fine.slice(0, 3)).toEqual([21, 23, 25]);
  expect(fine).toHaveLength(18 * 10);
});
