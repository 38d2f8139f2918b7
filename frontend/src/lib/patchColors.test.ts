import { expect, it } from 'vitest';
import { alignedColors, colorsOf, layerColors } from './patchColors';

const GRID = { rows: 2, columns: 3 };
const NONE = Number.NaN;
const SCORES = Float32Array.of(-4, 1, 0, 2, -1, 0.5, 0, 3, -1, 1, 1, 1, -2, 0, 2, NONE, NONE, NONE);

const channels = (pixels: Uint32Array) => [...new Uint8Array(pixels.buffer)];

it('each component goes from its smallest score to its largest, and a patch without scores is transparent', () => {
  const colors = channels(colorsOf(SCORES));
  expect(colors.slice(0, 4)).toEqual([0, 128, 85, 255]);
  expect(colors.slice(4, 8)).toEqual([255, 0, 128, 255]);
  expect(colors.slice(20)).toEqual([0, 0, 0, 0]);
});

it('a component whose scores are equal is in the middle', () => {
  expect(channels(colorsOf(Float32Array.of(1, 0, 2, 1, 0, 3, 1, 0, 4)))).toEqual([
    ...[128, 128, 0, 255],
    ...[128, 128, 128, 255],
    ...[128, 128, 255, 255],
  ]);
});

it('layers have limits of their own', () => {
  const found = layerColors(Float32Array.of(...SCORES, ...SCORES.map((score) => 10 * score)), 2);
  expect([...found.subarray(6)]).toEqual([...found.subarray(0, 6)]);
});

it('scores that are shifted, scaled and rotated get the colors of the reference', () => {
  const turned = SCORES.map((_, i) => {
    const [x, y, z] = SCORES.subarray(i - (i % 3), i - (i % 3) + 3);
    return 5 + 2 * [0.6 * x - 0.8 * y, -z, 0.8 * x + 0.6 * y][i % 3];
  });
  const found = alignedColors({ scores: turned, grid: GRID }, { scores: SCORES, grid: GRID });
  const expected = channels(colorsOf(SCORES));
  for (const [i, value] of channels(found).entries()) expect(Math.abs(value - expected[i])).toBeLessThanOrEqual(1);
});

it('a component without a range, and other grids, are aligned as well', () => {
  const flat = SCORES.map((score, i) => (i % 3 === 2 ? 0 * score : score));
  const found = alignedColors({ scores: flat, grid: GRID }, { scores: flat, grid: GRID });
  expect(channels(found).slice(0, 3)).toEqual([0, 128, 128]);
  const reference = { scores: Float32Array.of(1, 2, 3, 3, 2, 1), grid: { rows: 1, columns: 2 } };
  expect(alignedColors({ scores: SCORES, grid: GRID }, reference)).toHaveLength(6);
  const none = { scores: new Float32Array(6).fill(NONE), grid: { rows: 1, columns: 2 } };
  expect([...alignedColors({ scores: SCORES, grid: GRID }, none)]).toEqual([...colorsOf(SCORES)]);
});
