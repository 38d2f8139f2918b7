import { expect, test } from 'vitest';
import { cropBox, isMovable, positionAt } from './crop';

test('a wide image is cropped along its width, a tall one along its height', () => {
  const wide = cropBox({ width: 200, height: 100 }, 1, 0.5);
  expect(wide).toEqual({ isWide: true, left: 25, top: 0, width: 50, height: 100 });
  expect(cropBox({ width: 100, height: 400 }, 1, 1)).toEqual({
    isWide: false,
    left: 0,
    top: 75,
    width: 100,
    height: 25,
  });
  expect(cropBox({ width: 200, height: 100 }, 1.4, 0)).toMatchObject({ isWide: true, left: 0, width: 70 });
});

test('an image of the aspect of the model, or not loaded yet, is not cropped', () => {
  expect(cropBox({ width: 100, height: 100 }, 1, 0.5)).toBeNull();
  expect(cropBox({ width: 0, height: 0 }, 1, 0.5)).toBeNull();
});

test('a crop is moved to the pointer within the image', () => {
  const box = cropBox({ width: 200, height: 100 }, 1, 0.5);
  expect(box && [0, 0.25, 0.5, 0.75, 1].map((x) => positionAt(box, { x, y: 0 }))).toEqual([0, 0, 0.5, 1, 1]);
  const tall = cropBox({ width: 100, height: 200 }, 1, 0.5);
  expect(tall && positionAt(tall, { x: 0, y: 0.4 })).toBeCloseTo(0.3);
});

test('a center crop is a part of the largest crop, and cannot be moved in an image of the same aspect', () => {
  const square = cropBox({ width: 100, height: 100 }, 1, 0.5, 0.9);
  expect(square).toMatchObject({ width: 90, height: 90 });
  expect(square?.left).toBeCloseTo(5);
  expect(square && isMovable(square)).toBe(false);
  const wide = cropBox({ width: 200, height: 100 }, 1, 0, 0.8);
  expect(wide).toMatchObject({ left: expect.closeTo(5), top: expect.closeTo(10), width: 40, height: 80 });
  expect(wide && [isMovable(wide), positionAt(wide, { x: 0.5, y: 0.5 })]).toEqual([true, 0.5]);
});

test('an image that is resized as a whole is not cropped', () => {
  expect(cropBox({ width: 200, height: 100 }, 1, 0.5, null)).toBeNull();
});
