import { expect, test } from 'vitest';
import { isolines } from './isolines';
import { gaussianDerivatives, outlines, type Pixels, pathOf, thin } from './outlines';

function imageOf(width: number, height: number, gray: (x: number, y: number) => number): Pixels {
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let i = 0; i < width * height; i++) data.fill(gray(i % width, Math.floor(i / width)), 4 * i, 4 * i + 3);
  return { width, height, data };
}

const isInDisk = (x: number, y: number, size: number) =>
  Math.hypot((x + 0.5) / size - 0.5, (y + 0.5) / size - 0.5) < 0.3;
const disk = (size: number) => imageOf(size, size, (x, y) => (isInDisk(x, y, size) ? 230 : 30));

test.each([32, 224])('the outline of a disk of %i pixels is its circle', (size) => {
  const [line, ...others] = outlines(disk(size));
  expect(others).toEqual([]);
  expect(line.length).toBeGreaterThan(20);
  for (const [x, y] of line) expect(Math.abs(Math.hypot(x - 0.5, y - 0.5) - 0.3)).toBeLessThan(0.015);
});

test('a vertical edge is a straight line', () => {
  const [line, ...others] = outlines(imageOf(28, 20, (x) => (x < 14 ? 0 : 255)));
  expect(others).toEqual([]);
  for (const [x] of line) expect(Math.abs(x - 0.5)).toBeLessThan(0.005);
  const ys = line.map(([, y]) => y);
  expect(Math.max(...ys) - Math.min(...ys)).toBeGreaterThan(0.9);
});

test('a flat or nearly flat image has no outlines', () => {
  expect(outlines(imageOf(32, 32, () => 128))).toEqual([]);
  expect(outlines(imageOf(32, 32, (x, y) => 127 + ((7 * x + 3 * y) % 5 < 2 ? 1 : 0)))).toEqual([]);
});

test('outlines of noise stay small and within the image', () => {
  let seed = 1;
  const noise = imageOf(224, 224, () => {
    seed = (seed * 48271) % 2147483647;
    return seed % 256;
  });
  const lines = outlines(noise);
  expect(lines.length).toBeGreaterThan(0);
  expect(pathOf(lines).length).toBeLessThan(15_000);
  expect(lines.flat(2).every((value) => value >= 0 && value <= 1)).toBe(true);
});

test('derivatives of a line are its slope', () => {
  const [blur, slope, curvature] = gaussianDerivatives(40, 80, 1.5).map((matrix) =>
    Array.from({ length: 80 }, (_, point) =>
      Array.from({ length: 40 }, (_, pixel) => pixel * matrix[point * 40 + pixel]).reduce((a, b) => a + b),
    ),
  );
  for (let point = 20; point < 60; point++) {
    expect(blur[point]).toBeCloseTo((point + 0.5) / 2 - 0.5, 2);
    expect(slope[point]).toBeCloseTo(1, 2);
    expect(curvature[point]).toBeCloseTo(0, 2);
  }
});

test('points on a straight line are left out', () => {
  const points: [number, number][] = [
    [0, 0],
    [1, 0.001],
    [2, 0],
    [2, 1],
    [2, 2],
  ];
  expect(thin(points, 0.01)).toEqual([
    [0, 0],
    [2, 0],
    [2, 2],
  ]);
});

test('zeros of a plane are a line, of a cone a closed one', () => {
  const [plane] = isolines([-1, 1, 3, -1, 1, 3], 2, 3);
  expect(plane).toEqual([
    [0.5, 0],
    [0.5, 1],
  ]);
  const cone = Array.from({ length: 81 }, (_, i) => Math.hypot((i % 9) - 4, Math.floor(i / 9) - 4) - 2.5);
  const [circle, ...others] = isolines(cone, 9, 9);
  expect(others).toEqual([]);
  expect(circle[0]).toEqual(circle.at(-1));
  for (const [x, y] of circle) expect(Math.hypot(x - 4, y - 4)).toBeCloseTo(2.5, 0);
});

test('a path is written in thousandths', () => {
  expect(
    pathOf([
      [
        [0, 0.5],
        [1, 0.25],
      ],
    ]),
  ).toBe('M0 500L1000 250');
});
