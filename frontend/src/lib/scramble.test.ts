import { expect, it } from 'vitest';
import { base64Of, bytesOf } from './base64';
import { scramble } from './scramble';

it('a square of the scrambled image is a strip of the image', () => {
  const [width, height, P] = [8, 4, 2];
  const rgb = Uint8Array.from({ length: 3 * width * height }, (_, i) => i);
  const found = scramble({ pixels: base64Of(rgb), width, height }, P);
  const pixels = bytesOf(found.pixels);
  const at = (row: number, column: number) => [
    ...pixels.subarray(3 * (row * width + column), 3 * (row * width + column) + 3),
  ];
  const square = [at(2, 4), at(2, 5), at(3, 4), at(3, 5)].flat(); // patch 6 of 2 x 4
  expect(square).toEqual([...rgb.subarray(6 * P * P * 3, 7 * P * P * 3)]);
  expect([found.width, found.height]).toEqual([8, 4]);
});
