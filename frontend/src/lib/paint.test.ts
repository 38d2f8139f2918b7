import { describe, expect, test } from 'vitest';
import { contextOf, makeTile, paintPixels, paintTile } from './paint';

/** A canvas that remembers what was painted. */
function fakeCanvas(photo = new Uint8ClampedArray()) {
  const painted: number[][] = [];
  const image = (width: number, height: number) => ({ width, height, data: new Uint8ClampedArray(4 * width * height) });
  const context = {
    createImageData: image,
    drawImage: () => {},
    getImageData: () => ({ ...image(canvas.width, canvas.height), data: photo }),
    putImageData: ({ data }: ImageData) => painted.push([...data]),
  };
  const canvas = { width: 0, height: 0, getContext: () => context };
  return { canvas: canvas as unknown as HTMLCanvasElement, painted };
}

const table = Uint32Array.from({ length: 256 }, (_, i) => 0xff000000 + i);

describe('tiles', () => {
  test('have one pixel per patch', () => {
    const { canvas, painted } = fakeCanvas();
    const tile = makeTile(canvas, 3, 1);
    paintTile(tile, [9, 0, 0.5, 1], 1, table, { kind: 'linear', limit: 1 });
    expect([canvas.width, canvas.height]).toEqual([3, 1]);
    expect(painted).toEqual([[0, 0, 0, 255, 128, 0, 0, 255, 255, 0, 0, 255]]);
  });

  test('reuse their buffer', () => {
    const { canvas, painted } = fakeCanvas();
    const tile = makeTile(canvas, 1, 1);
    for (const value of [1, 0]) paintTile(tile, [value], 0, table, { kind: 'linear', limit: 1 });
    expect(painted.map(([red]) => red)).toEqual([255, 0]);
  });

  test('show a color table as a bar', () => {
    const { canvas, painted } = fakeCanvas();
    paintPixels(makeTile(canvas, 256, 1), table);
    expect(painted[0].filter((_, i) => i % 4 === 0)).toEqual([...Array(256).keys()]);
  });

  test('need a canvas', () => {
    expect(() => contextOf({ getContext: () => null } as unknown as HTMLCanvasElement)).toThrow('canvas');
  });
});
