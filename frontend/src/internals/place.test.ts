import { expect, test } from 'vitest';
import { CAPTIONS } from './captions';
import { figureAt, placeOf } from './place';
import { FIGURES } from './probeFigures';
import { EXAMPLE } from './probes.testdata';

const boxes = (...tops: number[]) => tops.map((top) => ({ top, bottom: top + 100 }));

test('the figure of a place is the first whose middle is below the upper end of the screen', () => {
  expect(figureAt(boxes(10, 10, 150))).toBe(-1); // the top of the page
  expect(figureAt(boxes(-10, -10, 130))).toBe(0);
  expect(figureAt(boxes(-60, -60, 80))).toBe(2);
  expect(figureAt(boxes(-10, -10, 130), 1)).toBe(1); // of the same row
  expect(figureAt(boxes(-10, -10, 130), 2)).toBe(0);
  expect(figureAt(boxes(-300, -200, -150))).toBe(-1);
});

test('places of the address are figures', () => {
  expect(CAPTIONS.map(({ probe }) => placeOf(probe))).toEqual(Object.keys(FIGURES));
  expect(placeOf('ssim')).toBeNull();
  expect(placeOf(null)).toBeNull();
});

test('a dot is a head that can be opened, a layer is not', () => {
  const opened = CAPTIONS.filter(({ probe }) => FIGURES[probe](EXAMPLE, 400).headOf).map(({ probe }) => probe);
  expect(opened).toEqual(['distance', 'effective', 'sinks', 'heads']);
  const { headOf, read } = FIGURES.distance(EXAMPLE, 400);
  expect(headOf?.(2)).toEqual({ layer: 0, head: 1 });
  expect(read(2)[0]).toBe('Layer 1, head 2: ');
});
