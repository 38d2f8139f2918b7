/* GIF animations. Of a frame's colors, shades of its maps and the most frequent ones are kept as they are. */

import { GIFEncoder, nearestColorIndex, quantize } from 'gifenc';
import type { PaintedFrame } from './animation';

const COLORS = 256;
const SHADES = 128; // of them, of the color table of the maps
const FREQUENT = 64;

type Rgb = [red: number, green: number, blue: number];

/** The bytes of a GIF that repeats. */
export async function gifOf(frames: AsyncIterable<PaintedFrame>): Promise<Blob> {
  const gif = GIFEncoder();
  for await (const { image, seconds, shades } of frames) {
    const { width, height } = image;
    const data = image.getContext('2d')?.getImageData(0, 0, width, height).data;
    if (!data) throw new Error('the browser has no 2d canvas');
    const { palette, indices } = indexed(data, shades);
    gif.writeFrame(indices, width, height, { palette, delay: 1000 * seconds });
  }
  gif.finish();
  return new Blob([gif.bytes()], { type: 'image/gif' });
}

/** RGBA pixels as indices into at most 256 colors. */
export function indexed(
  data: Uint8ClampedArray,
  shades: Uint32Array = new Uint32Array(),
): { palette: Rgb[]; indices: Uint8Array } {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  const counts = new Map<number, number>();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const colors = [...counts.keys()].sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0));
  const exact = new Set(colors);
  if (colors.length > COLORS) {
    exact.clear();
    const step = Math.ceil(shades.length / SHADES);
    for (let i = 0; i < shades.length; i += step) exact.add(shades[i]);
    for (const color of colors.slice(0, FREQUENT)) exact.add(color);
  }
  const rest = Uint32Array.from(colors.filter((color) => !exact.has(color)));
  const others = rest.length ? quantize(new Uint8ClampedArray(rest.buffer), COLORS - exact.size) : [];
  const palette = [...[...exact].map(rgbOf), ...others.map(([red, green, blue]): Rgb => [red, green, blue])];
  const places = new Map([...exact].map((color, i) => [color, i]));
  for (const color of rest) places.set(color, nearestColorIndex(palette, rgbOf(color)));
  return { palette, indices: Uint8Array.from(pixels, (pixel) => places.get(pixel) ?? 0) };
}

const rgbOf = (pixel: number): Rgb => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
