import { describe, expect, test } from 'vitest';
import { hasManyHeads, headerText, layersOf, matrixStyle, nextMap, withMean } from './matrix';
import { MEAN, POOL, type Shape } from './numbers';

const shape: Shape = { layers: 2, heads: 3, rows: 4, columns: 8, aspect: 2, prefix: 1, class_token: true };

test('the mean comes last', () => {
  expect(withMean(2)).toEqual([0, 1, MEAN]);
});

test('attention pooling comes after the mean', () => {
  expect(layersOf(shape)).toEqual([0, 1, MEAN]);
  expect(layersOf({ ...shape, pooled: true })).toEqual([0, 1, MEAN, POOL]);
  expect(headerText('layer', POOL, shape)).toBe('pool');
  expect(matrixStyle({ ...shape, pooled: true })).toContain('--layers: 3;');
  const pooled = { ...shape, pooled: true };
  expect(nextMap(pooled, MEAN, 1, 'ArrowDown')).toEqual({ layer: POOL, head: 1 });
  expect(nextMap(pooled, POOL, MEAN, 'ArrowDown')).toEqual({ layer: 0, head: MEAN });
  expect(nextMap(pooled, POOL, 0, 'ArrowUp')).toEqual({ layer: MEAN, head: 0 });
});

describe('headers', () => {
  test('name the first layer and head, then count', () => {
    expect(withMean(3).map((head) => headerText('head', head, shape))).toEqual(['head 1', '2', '3', 'mean']);
    expect(withMean(2).map((layer) => headerText('layer', layer, shape))).toEqual(['layer 1', '2', 'mean']);
  });

  test('are numbers above narrow tiles', () => {
    expect(headerText('head', 0, { ...shape, heads: 7 })).toBe('1');
    expect(headerText('layer', 0, { ...shape, heads: 7 })).toBe('layer 1');
  });
});

describe('arrow keys', () => {
  test.each([
    [0, 0, 'ArrowRight', 0, 1],
    [0, 2, 'ArrowRight', 0, MEAN],
    [0, MEAN, 'ArrowRight', 0, 0],
    [1, 1, 'ArrowDown', MEAN, 1],
    [MEAN, 1, 'ArrowDown', 0, 1],
    [0, 0, 'ArrowUp', MEAN, 0],
    [0, 0, 'ArrowLeft', 0, MEAN],
    [MEAN, MEAN, 'ArrowLeft', MEAN, 2],
    [1, 1, 'x', 1, 1],
    [1, 1, 'End', 1, MEAN],
    [1, 1, 'PageDown', MEAN, 1],
    [MEAN, MEAN, 'Home', MEAN, 0],
  ])('layer %i, head %i, %s', (layer, head, key, toLayer, toHead) => {
    expect(nextMap(shape, layer, head, key)).toEqual({ layer: toLayer, head: toHead });
  });
});

test('the style of the page has the sizes', () => {
  expect(matrixStyle(shape)).toBe('--rows: 4; --columns: 8; --aspect: 2; --layers: 2; --heads: 3;');
  expect([8, 9].map((heads) => hasManyHeads({ ...shape, heads }))).toEqual([false, true]);
});
