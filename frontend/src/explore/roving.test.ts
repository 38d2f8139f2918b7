import { expect, test } from 'vitest';
import { nextButton } from './roving';

test.each([
  ['ArrowRight', 3],
  ['ArrowLeft', 1],
  ['ArrowDown', 7],
  ['ArrowUp', 2],
  ['Home', 0],
  ['End', 9],
  ['PageUp', 0],
  ['PageDown', 9],
])('%s from the third of ten buttons in rows of five', (key, index) => {
  expect(nextButton(2, key, 10, 5)).toBe(index);
});

test('at the edges the focus stays', () => {
  expect(nextButton(0, 'ArrowLeft', 10, 5)).toBe(0);
  expect(nextButton(9, 'ArrowRight', 10, 5)).toBe(9);
  expect(nextButton(7, 'ArrowDown', 10, 5)).toBe(7);
});
