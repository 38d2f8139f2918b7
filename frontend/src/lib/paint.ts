/* Painting: small canvases, one pixel per patch, enlarged by the style sheet.
   Each map has its own canvas, so that interpolation cannot mix neighboring heads. */

import { bytesOf } from './base64';
import { colorIndex, type Scale } from './numbers';

export interface Tile {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  image: ImageData;
  /** The memory of `image`. */
  pixels: Uint32Array;
  /** What `paintTile` painted last. */
  painted?: Painted;
}

interface Painted {
  values: ArrayLike<number>;
  first: number;
  scale: Scale;
  table: Uint32Array;
}

const tiles = new WeakMap<HTMLCanvasElement, Tile>();

/** The tile of a canvas. */
export const tileOf = (canvas: HTMLCanvasElement) => tiles.get(canvas);

export function contextOf(canvas: HTMLCanvasElement) {
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('the browser has no 2d canvas');
  return context;
}

/** A canvas with a pixel buffer that is reused at every repaint. */
export function makeTile(canvas: HTMLCanvasElement, columns: number, rows: number): Tile {
  canvas.width = columns;
  canvas.height = rows;
  const context = contextOf(canvas);
  const image = context.createImageData(columns, rows);
  const tile: Tile = { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
  tiles.set(canvas, tile);
  return tile;
}

/** An image of the server: its RGB pixels as base64, row by row. */
export interface PixelImage {
  pixels: string;
  width: number;
  height: number;
}

/** A canvas with an image. */
export function canvasOf({ pixels, width, height }: PixelImage): HTMLCanvasElement {
  const tile = makeTile(document.createElement('canvas'), width, height);
  const rgb = bytesOf(pixels);
  for (let i = 0; i < tile.pixels.length; i++)
    tile.pixels[i] = 0xff000000 | (rgb[3 * i + 2] << 16) | (rgb[3 * i + 1] << 8) | rgb[3 * i];
  tile.context.putImageData(tile.image, 0, 0);
  return tile.canvas;
}

/** Show the content of another canvas. */
export const copyOf = (image: HTMLCanvasElement | undefined) => (canvas: HTMLCanvasElement) => {
  if (!image) return;
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
};

/** Paint values from `first` on, one per pixel. */
export function paintTile(tile: Tile, values: ArrayLike<number>, first: number, table: Uint32Array, scale: Scale) {
  const { pixels } = tile;
  for (let i = 0; i < pixels.length; i++) pixels[i] = table[colorIndex(scale, values[first + i])];
  tile.painted = { values, first, scale, table };
  tile.context.putImageData(tile.image, 0, 0);
}

/** Paint a color for each pixel, as of a color table (256 pixels). */
export function paintPixels(tile: Tile, pixels: Uint32Array) {
  tile.pixels.set(pixels);
  tile.painted = undefined;
  tile.context.putImageData(tile.image, 0, 0);
}
