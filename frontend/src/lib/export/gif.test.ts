import { expect, test } from 'vitest';
import { indexed } from './gif';

const pixels = (colors: number[]) => new Uint8ClampedArray(new Uint32Array(colors).buffer);

test('few colors are all kept', () => {
  const { palette, indices } = indexed(pixels([0xff0000ff, 0xff00ff00, 0xff0000ff]));
  expect([...indices].map((index) => palette[index])).toEqual([
    [255, 0, 0],
    [0, 255, 0],
    [255, 0, 0],
  ]);
});

test('of many colors the shades of maps and the most frequent ones are kept', () => {
  const many = Array.from({ length: 4000 }, (_, i) => (0xff000000 | (i * 4099)) >>> 0);
  const shade = 0xff123456;
  const { palette, indices } = indexed(
    pixels([...many, ...Array(9).fill(0xffabcdef), shade]),
    new Uint32Array([shade]),
  );
  expect(palette.length).toBeLessThanOrEqual(256);
  expect(palette[indices[4000]]).toEqual([0xef, 0xcd, 0xab]);
  expect(palette[indices[4009]]).toEqual([0x56, 0x34, 0x12]);
});
