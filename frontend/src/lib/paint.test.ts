import { describe, expect, test } from 'vitest';
import { blurLines, contextOf, grayOf, inkContours, makeTile, paintBar, paintOutlines, paintTile } from './paint';

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
    paintBar(makeTile(canvas, 256, 1), table);
    expect(painted[0].filter((_, i) => i % 4 === 0)).toEqual([...Array(256).keys()]);
  });

  test('need a canvas', () => {
    expect(() => contextOf({ getContext: () => null } as unknown as HTMLCanvasElement)).toThrow('canvas');
  });
});

describe('outlines', () => {
  const [width, height] = [24, 20];
  /** A white half next to a black half, 4 values per pixel. */
  const photo = () =>
    Uint8ClampedArray.from({ length: 4 * width * height }, (_, i) => (i % 4 === 3 || (i >> 2) % width < 12 ? 255 : 0));

  test('gray is a weighted mean', () => {
    expect(grayOf([100, 0, 0, 255, 0, 100, 0, 255], 2)).toEqual(Float32Array.of(30, 55));
  });

  test('blur keeps constants and spreads a step over nine pixels', () => {
    const flat = new Float32Array(12).fill(3);
    blurLines(flat, 12, 1, 1, 12);
    expect([...flat]).toEqual(Array(12).fill(3));
    const step = Float32Array.from({ length: 18 }, (_, i) => (i < 9 ? 0 : 9));
    blurLines(step, 18, 1, 1, 18);
    expect([...step].map(Math.round)).toEqual([0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9]);
  });

  test('follow an edge, in the color of the ink, and leave the rest transparent', () => {
    const { canvas, painted } = fakeCanvas(photo());
    paintOutlines(canvas, {} as CanvasImageSource, width, height, 20);
    const alpha = (x: number, y: number) => painted[0][4 * (y * width + x) + 3];
    const drawn = [...Array(width).keys()].filter((x) => alpha(x, 10) > 0);
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.every((x) => x >= 9 && x <= 14)).toBe(true);
    expect(alpha(11, 1)).toBe(0); // not at the border
    expect(painted[0].slice(0, 3)).toEqual([20, 20, 20]);
  });

  test('a flat image has none', () => {
    const colors = new Uint8ClampedArray(4 * width * height);
    inkContours(colors, new Float32Array(width * height).fill(7), width, height, 235);
    expect(colors.every((value, i) => value === (i % 4 === 3 ? 0 : 235))).toBe(true);
  });
});
