import { describe, expect, test } from 'vitest';
import { bytesOf, floatsOf, uint16Of } from './base64';
import { middlePatch, neighbour } from './grid';
import {
  colorIndex,
  fillHead,
  fillRows,
  givenRows,
  hasQuery,
  isFlat,
  largest,
  MEAN,
  makeRows,
  meanOf,
  median,
  POOL,
  patchCount,
  pixelsOf,
  place,
  placeOfLayer,
  queryTokens,
  remainingPatches,
  roundLimit,
  rowOf,
  type Shape,
  sharedLimit,
  sharpestHead,
  smallest,
  sumOf,
  tokenCount,
  uniformWeight,
  weightOfLargest,
} from './numbers';
import type { Head, Layer } from './view';

const base64 = (array: ArrayBufferView) =>
  btoa(String.fromCharCode(...new Uint8Array(array.buffer, array.byteOffset, array.byteLength)));

/** Two rows of three patches, after a class token and a register. */
const wide: Shape = { layers: 2, heads: 2, rows: 2, columns: 3, aspect: 1.5, prefix: 2, class_token: true };
/** Two patches and nothing else, one layer of two heads. */
const bare: Shape = { layers: 1, heads: 2, rows: 1, columns: 2, aspect: 2, prefix: 0, class_token: false };

/** 16-bit attention whose rows are given as fractions. */
const attention = (...rows: number[][]) => Uint16Array.from(rows.flat(), (weight) => Math.round(65535 * weight));

test('the median of an even number of values is the mean of the middle two', () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([9, 1, 3])).toBe(3);
  expect(smallest([3, -1, 2])).toBe(1);
});

describe('tokens', () => {
  test('are the prefix and the patches of a non-square grid', () => {
    expect(patchCount(wide)).toBe(6);
    expect(tokenCount(wide)).toBe(8);
    expect(uniformWeight(wide)).toBe(1 / 8);
  });

  test('exclude removed patches', () => {
    const shape = { ...wide, removed: [0, 4] };
    expect(remainingPatches(shape)).toEqual([1, 2, 3, 5]);
    expect(uniformWeight(shape)).toBe(1 / 6);
  });

  test('of a query are patches after the prefix, or the class token, or without one all remaining patches', () => {
    expect(queryTokens([], wide)).toEqual([0]);
    expect(queryTokens([0, 5], wide)).toEqual([2, 7]);
    expect(queryTokens([], bare)).toEqual([0, 1]);
    expect(queryTokens([], { ...bare, removed: [0] })).toEqual([1]);
  });
});

describe('data of the server', () => {
  test('are decoded from base64', () => {
    expect([...bytesOf(btoa('\0\x7fÿ'))]).toEqual([0, 127, 255]);
    expect([...floatsOf(base64(Float32Array.of(0.5, -2)))]).toEqual([0.5, -2]);
    expect([...uint16Of(base64(Uint16Array.of(0, 65535)))]).toEqual([0, 65535]);
  });

  test('colors become opaque pixels', () => {
    const colors = new Uint8Array(3 * 256);
    colors.set([1, 2, 3], 3 * 255);
    const pixels = pixelsOf(base64(colors));
    expect(pixels).toHaveLength(256);
    expect(pixels[0]).toBe(0xff000000);
    expect([...new Uint8Array(pixels.buffer, 4 * 255)]).toEqual([1, 2, 3, 255]);
  });
});

describe('rows of a query', () => {
  const [first, second] = [
    [0.25, 0.75, 0.5, 0.5],
    [1, 0, 0.2, 0.8],
  ];
  const computed = { defaultRows: new Float32Array(4), full: attention(first, second) };
  const read = (patches: number[], direction: 'from' | 'to', head = 0, shape = bare) => {
    const out = new Float32Array(2);
    fillHead(out, shape, computed, head, patches, direction);
    return [...out].map((value) => Number(value.toFixed(3)));
  };

  test('"from" a patch is its row, "to" a patch is its column', () => {
    expect(read([0], 'from')).toEqual([0.25, 0.75]);
    expect(read([1], 'from', 1)).toEqual([0.2, 0.8]);
    expect(read([0], 'to')).toEqual([0.25, 0.5]);
    expect(read([1], 'to', 1)).toEqual([0, 0.8]);
  });

  test('of several patches is their mean', () => {
    expect(read([0, 1], 'from', 1)).toEqual([0.6, 0.4]);
    expect(read([0, 1], 'to', 1)).toEqual([0.5, 0.5]);
  });

  test('"to" all patches without a class token excludes removed ones', () => {
    expect(read([], 'to')).toEqual([0.5, 0.5]);
    expect(read([], 'to', 0, { ...bare, removed: [0] })).toEqual([0.75, 0.5]);
  });

  test('of the default query needs no full attention', () => {
    const first = { defaultRows: new Float32Array(4), full: null };
    expect(hasQuery(first, [], 'from')).toBe(true);
    expect(hasQuery(first, [], 'to')).toBe(false);
    expect(hasQuery(first, [0], 'from')).toBe(false);
    expect(hasQuery(computed, [0], 'to')).toBe(true);
    const out = new Float32Array(2);
    const defaultRows = Float32Array.of(0, 0, 0.5, 0.25);
    fillHead(out, bare, { defaultRows, full: null }, 1, [], 'from');
    expect([...out]).toEqual([0.5, 0.25]);
    expect(() => fillHead(out, bare, { defaultRows, full: null }, 1, [0], 'from')).toThrow('full attention');
  });

  test('that arrived on their own are taken as they are', () => {
    const rows = new Map([['to 0,1', Float32Array.of(0, 0, 0.125, 0.5)]]);
    const alone = { defaultRows: new Float32Array(4), full: null, rows };
    const out = new Float32Array(2);
    fillHead(out, bare, alone, 1, [0, 1], 'to');
    expect([...out]).toEqual([0.125, 0.5]);
    expect(givenRows(alone, [0, 1], 'from')).toBeUndefined();
    expect(hasQuery(alone, [0, 1], 'to')).toBe(true);
  });
});

describe('means of heads', () => {
  const shape: Shape = { layers: 2, heads: 2, rows: 1, columns: 1, aspect: 1, prefix: 1, class_token: true };
  const defaultRows = Float32Array.of(0, 1, 0.5, 0.5, 1, 0, 0.75, 0.25); // tokens of the heads 1 and 2 of layer 1, then of layer 2
  const fill = (isAblated: (layer: Layer, head: Head) => boolean) => {
    const rows = makeRows(shape);
    fillRows(rows, shape, { defaultRows, full: null }, [], 'from', isAblated);
    return (layer: Layer, head: Head) => [...rowOf(rows, shape, layer, head)];
  };

  test('are over heads, over layers and over both', () => {
    const row = fill(() => false);
    expect(row(0, 0)).toEqual([0, 1]);
    expect(row(1, 1)).toEqual([0.75, 0.25]);
    expect(row(0, MEAN)).toEqual([0.25, 0.75]);
    expect(row(1, MEAN)).toEqual([0.875, 0.125]);
    expect(row(MEAN, 0)).toEqual([0.5, 0.5]);
    expect(row(MEAN, 1)).toEqual([0.625, 0.375]);
    expect(row(MEAN, MEAN)).toEqual([0.5625, 0.4375]);
  });

  test('exclude ablated heads, whose own rows stay', () => {
    const row = fill((layer, head) => layer === 0 && head === 0);
    expect(row(0, 0)).toEqual([0, 1]);
    expect(row(0, MEAN)).toEqual([0.5, 0.5]);
    expect(row(MEAN, 0)).toEqual([1, 0]);
    expect(row(MEAN, MEAN)[0]).toBeCloseTo((0.5 + 1 + 0.75) / 3, 6);
  });

  test('are zero if all heads are ablated', () => {
    const row = fill((layer) => layer === 0);
    expect(row(0, MEAN)).toEqual([0, 0]);
    expect(fill(() => true)(MEAN, MEAN)).toEqual([0, 0]);
  });

  test('replace those of the previous query', () => {
    const rows = makeRows(shape);
    for (let pass = 0; pass < 2; pass++) fillRows(rows, shape, { defaultRows, full: null }, [], 'from', () => false);
    expect([...rowOf(rows, shape, MEAN, MEAN)]).toEqual([0.5625, 0.4375]);
  });
});

describe('scales', () => {
  test.each([
    [0.013, 0.01],
    [0.017, 0.02],
    [0.031, 0.04],
    [0.5, 0.4],
    [0.7, 0.6],
    [0.95, 1],
    [0, 1e-6],
  ])('the limit %f is rounded to %f', (value, limit) => {
    expect(roundLimit(value)).toBeCloseTo(limit, 10);
  });

  test('the shared limit clips the largest weights of patches, not of other tokens', () => {
    const shape: Shape = { layers: 1, heads: 2, rows: 1, columns: 2, aspect: 2, prefix: 1, class_token: true };
    expect(sharedLimit(shape, Float32Array.of(0.9, 0.04, 0.06, 0.96, 0.03, 0.01))).toBeCloseTo(0.06, 10);
  });

  test('the opening head is the sharpest one on patches in the last third of the layers', () => {
    const shape: Shape = { layers: 3, heads: 3, rows: 1, columns: 3, aspect: 3, prefix: 1, class_token: true };
    const even = [0.25, 0.25, 0.25, 0.25];
    const sharp = [0, 0, 1, 0];
    const onClassToken = [0.97, 0, 0.03, 0];
    const focused = [0.1, 0.1, 0.7, 0.1];
    const rows = Float32Array.from([sharp, sharp, sharp, even, sharp, even, onClassToken, even, focused].flat());
    expect(sharpestHead(shape, rows)).toEqual({ layer: 2, head: 2 });
    const one = { ...shape, layers: 1, heads: 2 };
    expect(sharpestHead(one, Float32Array.from([...even, ...focused]))).toEqual({ layer: 0, head: 1 });
  });

  test('linear, signed and logarithmic places', () => {
    expect(place({ kind: 'linear', limit: 0.2 }, 0.05)).toBe(0.25);
    expect(place({ kind: 'linear', low: 2, limit: 6 }, 3)).toBe(0.25);
    expect(place({ kind: 'signed', limit: 2 }, -1)).toBe(0.25);
    expect(place({ kind: 'signed', limit: 2 }, 0)).toBe(0.5);
    expect(place({ kind: 'uniform', uniform: 0.01 }, 0.01)).toBe(0.5);
    expect(place({ kind: 'uniform', uniform: 0.01 }, 0.08)).toBeCloseTo(1, 12);
    expect(place({ kind: 'uniform', uniform: 0.01 }, 0)).toBeLessThan(0);
  });

  test('colors outside of a scale are those of its ends', () => {
    const scale = { kind: 'linear', limit: 1 } as const;
    expect([-1, 0, 0.5, 1, 7, Number.NaN].map((value) => colorIndex(scale, value))).toEqual([0, 0, 128, 255, 255, 0]);
  });
});

describe('statistics', () => {
  test('of a list from an index on', () => {
    expect(largest([5, 1, 3, 3])).toBe(0);
    expect(largest([5, 1, 3, 3], 1)).toBe(2);
    expect(sumOf([1, 2, 4, 8], 1, 3)).toBe(6);
    expect(meanOf([1, 2, 6])).toBe(3);
    expect(weightOfLargest(Float32Array.of(9, 1, 3, 2), 1, 2)).toBe(5);
  });

  test('a map is flat up to rounding, relative to its values', () => {
    expect(isFlat([0.25, 0.25 + 1e-7])).toBe(true);
    expect(isFlat([0.25, 0.251])).toBe(false);
    expect(isFlat([0, 0, 0])).toBe(true);
    expect(isFlat([-1e-9, 1e-9])).toBe(false);
    expect(isFlat([-3, -3])).toBe(true);
  });
});

describe('arrow keys', () => {
  test('move by one patch and wrap around a non-square grid', () => {
    expect(neighbour(0, 'ArrowRight', wide)).toBe(1);
    expect(neighbour(0, 'ArrowDown', wide)).toBe(3);
    expect(neighbour(0, 'ArrowLeft', wide)).toBe(2);
    expect(neighbour(0, 'ArrowUp', wide)).toBe(3);
    expect(neighbour(5, 'ArrowRight', wide)).toBe(3);
    expect(neighbour(4, 'Enter', wide)).toBe(4);
  });

  test('Home, End, Page Up and Page Down lead to the edges', () => {
    const grid = { rows: 3, columns: 4 };
    expect(['Home', 'End', 'PageUp', 'PageDown'].map((key) => neighbour(6, key, grid))).toEqual([4, 7, 2, 10]);
    expect(['Home', 'End', 'PageUp', 'PageDown'].map((key) => neighbour(0, key, grid))).toEqual([0, 3, 0, 8]);
  });

  test('begin in the middle', () => {
    expect(middlePatch({ rows: 8, columns: 8 })).toBe(3 * 8 + 3);
    expect(middlePatch({ rows: 1, columns: 3 })).toBe(1);
  });
});

test('attention pooling has its own row for every query', () => {
  const pooled = { ...bare, pooled: true };
  const rows = makeRows(pooled);
  const computed = {
    defaultRows: new Float32Array([1, 0, 0, 1]),
    full: null,
    pool: new Float32Array([0.25, 0.75, 1, 0]),
  };
  fillRows(rows, pooled, computed, [], 'from', () => false);
  expect([...rowOf(rows, pooled, POOL, 0)]).toEqual([0.25, 0.75]);
  expect([...rowOf(rows, pooled, POOL, 1)]).toEqual([1, 0]);
  expect([...rowOf(rows, pooled, POOL, MEAN)]).toEqual([0.625, 0.375]);
  expect([...rowOf(rows, pooled, MEAN, MEAN)]).toEqual([0.5, 0.5]);
  const one = { ...computed, pool: new Float32Array([0.25, 0.75]) }; // of one head, in a model of two
  const narrow = makeRows(pooled);
  fillRows(narrow, pooled, one, [], 'from', () => false);
  expect([0, 1, MEAN].map((head) => [...rowOf(narrow, pooled, POOL, head as Head)])).toEqual([
    [0.25, 0.75],
    [0, 0],
    [0.25, 0.75],
  ]);
  const three = { ...computed, pool: new Float32Array([1, 0, 0, 1, 0.5, 0.5]) };
  fillRows(narrow, pooled, three, [], 'from', () => false);
  expect([...rowOf(narrow, pooled, POOL, MEAN)]).toEqual([0.5, 0.5]);
  fillRows(rows, pooled, { ...computed, pool: null }, [], 'from', () => false);
  expect([...rowOf(rows, pooled, POOL, MEAN)]).toEqual([0, 0]);
  expect([0, MEAN, POOL].map((layer) => placeOfLayer(layer, 3))).toEqual([0, 3, 4]);
});
