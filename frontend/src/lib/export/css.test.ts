import { expect, test } from 'vitest';
import { bandsOf, colorOf, listOf, ringsOf, segmentsOf } from './css';

const BOX = { x: 10, y: 20, width: 80, height: 40 };
const xs = (segments: ReturnType<typeof segmentsOf>) => segments.flatMap((one) => (one[0] === 'Z' ? [] : [one[1]]));

test('colors are read in all computed forms, and transparent ones are null', () => {
  expect(colorOf('rgb(11, 92, 173)')).toEqual([11, 92, 173, 1]);
  expect(colorOf('rgba(20, 24, 30, 0.5)', 0.5)).toEqual([20, 24, 30, 0.25]);
  expect(colorOf('color(srgb 1 0.5 0 / 0.5)')).toEqual([255, 127.5, 0, 0.5]);
  expect(colorOf('rgb(1, 2, 3) 0px 0px 0px 2px')).toEqual([1, 2, 3, 1]);
  expect([colorOf('rgba(0, 0, 0, 0)'), colorOf('none')]).toEqual([null, null]);
});

test('a list is split at its own commas', () => {
  expect(listOf('a(b, c(d, e)), f')).toEqual(['a(b, c(d, e))', 'f']);
});

test('shadows without blur and offset are rings', () => {
  const text = 'rgb(1, 2, 3) 0px 0px 0px 2px, rgb(0, 0, 0) 0px 4px 8px 0px, rgb(4, 5, 6) 0px 0px 0px 1px inset';
  expect(ringsOf(text)).toEqual([
    { color: [1, 2, 3, 1], spread: 2, isInset: false },
    { color: [4, 5, 6, 1], spread: 1, isInset: true },
  ]);
  expect(ringsOf('none')).toEqual([]);
});

test('a repeated gradient is a grid of lines', () => {
  const [{ color, segments }] = bandsOf(
    'repeating-linear-gradient(to right, rgb(1, 2, 3) 0px, rgb(1, 2, 3) 1px, rgba(0, 0, 0, 0) 1px, rgba(0, 0, 0, 0) calc(25%))',
    BOX,
  );
  expect(color).toEqual([1, 2, 3, 1]);
  const lines = [10, 30, 50, 70].flatMap((left) => [left, left + 1, left + 1, left].sort());
  expect(xs(segments).sort()).toEqual(lines.sort());
});

test('a line through the corners is a polygon, also with two places of a color', () => {
  const gradient = (dark: string) =>
    `linear-gradient(to right bottom, rgba(0, 0, 0, 0) calc(50% - 1px), ${dark}, rgba(0, 0, 0, 0) 0px)`;
  const once = bandsOf(gradient('rgb(9, 9, 9) 0px, rgb(9, 9, 9) calc(50% + 1px)'), BOX);
  expect(once).toEqual(bandsOf(gradient('rgb(9, 9, 9) 0px calc(50% + 1px)'), BOX));
  expect(once).toHaveLength(1);
  const points = once[0].segments.flatMap((one) => (one[0] === 'L' || one[0] === 'M' ? [[one[1], one[2]]] : []));
  for (const [x, y] of points) expect(Math.abs((x - 10) / 80 + (y - 20) / 40 - 1)).toBeLessThan(0.06); // other diagonal
  expect(points.length).toBeGreaterThan(3);
});

test('gradients that fade are not drawn', () => {
  expect(bandsOf('linear-gradient(rgb(0, 0, 0), rgb(255, 255, 255))', BOX)).toEqual([]);
  expect(bandsOf('none', BOX)).toEqual([]);
});

test('paths are read, and unknown commands refused', () => {
  expect(segmentsOf('M0 1L2 3 4 5H6V-7Z')).toEqual([
    ['M', 0, 1],
    ['L', 2, 3],
    ['L', 4, 5],
    ['L', 6, 5],
    ['L', 6, -7],
    ['Z'],
  ]);
  expect(() => segmentsOf('M0 0A1 1')).toThrow('path command A');
});
