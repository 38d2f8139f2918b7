import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { bytesOf } from '../lib/base64';
import { jpegScale, shrink } from './decode';
import reference from './pixels.json';
import { decodePng, onWhite } from './png';
import { cropAndResize, type Resize, type Rgb, reduce, roundEven } from './resample';

/** As `noise` of tests/data/test_reference.py. */
function noise(width: number, height: number): Rgb {
  const data = new Uint8Array(3 * width * height);
  for (let i = 0, state = 1; i < data.length; i++) {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    data[i] = state >>> 24;
  }
  return { data, width, height };
}

const sha256 = ({ data }: Rgb) => createHash('sha256').update(data).digest('hex');
const ANY = () => {};

describe('pixels are those of Pillow', () => {
  test.each(reference.resized)('$resize.interpolation from $width × $height to $size', (one) => {
    const found = cropAndResize(
      noise(one.width, one.height),
      one.size as [number, number],
      one.crop,
      one.resize as Resize,
    );
    expect(sha256(found)).toBe(one.sha256);
  });

  test.each(reference.reduced)('$width × $height reduced by $factor', ({ width, height, factor, sha256: expected }) => {
    expect(sha256(reduce(noise(width, height), factor))).toBe(expected);
  });

  test.each(reference.decoded)('a PNG file: $name', async ({ file, sha256: expected }) => {
    const image = await decodePng(bytesOf(file), ANY);
    expect(image && sha256(image)).toBe(expected);
  });
});

test('a damaged or cut off PNG file is refused', async () => {
  const whole = bytesOf(reference.decoded[0].file);
  await expect(decodePng(whole.slice(0, 60), ANY)).rejects.toThrow('complete PNG');
  await expect(decodePng(whole.slice(0, 20), ANY)).rejects.toThrow('complete PNG');
});

test('a PNG file is refused by its size before it is decoded', async () => {
  const check = (width: number) => {
    throw new Error(`${width}`);
  };
  await expect(decodePng(bytesOf(reference.decoded[0].file), check)).rejects.toThrow('13');
});

test('large photographs are reduced as by the library', () => {
  expect([jpegScale(9000, 6000), jpegScale(2047, 4000), jpegScale(12000, 9000)]).toEqual([4, 1, 8]);
  expect(shrink({ data: new Uint8Array(3 * 5000 * 3000), width: 5000, height: 3000 })).toMatchObject({ width: 2500 });
  expect(shrink(noise(40, 30))).toMatchObject({ width: 40 });
});

test('halves are rounded to even numbers', () => {
  expect([0.5, 1.5, 2.5, 2.4, 2.6].map(roundEven)).toEqual([0, 2, 2, 2, 3]);
});

test('transparent colors are laid on white', () => {
  expect([onWhite(0, 0), onWhite(0, 255), onWhite(0, 128)]).toEqual([255, 0, 127]);
});

test('a browser that cannot unpack says so, not that the file is damaged', async () => {
  vi.stubGlobal('DecompressionStream', undefined);
  const { inflate } = await import('../lib/inflate');
  await expect(inflate(new Blob([new Uint8Array([1])]).stream())).rejects.toThrow('This browser cannot unpack');
  vi.unstubAllGlobals();
});
