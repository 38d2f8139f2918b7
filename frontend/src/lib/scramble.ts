/* The wrong reshape of the Patches step. */

import { base64Of, bytesOf } from './base64';
import type { PixelImage } from './paint';

/** For each pixel of a scrambled image, in reading order, the pixel of the image of this size: see `scramble`. */
export function scrambled(height: number, width: number, P: number) {
  const columns = Math.floor(width / P);
  const size = { height: Math.floor(height / P) * P, width: columns * P };
  const sources = Int32Array.from({ length: size.height * size.width }, (_, i) => {
    const [row, column] = [Math.floor(i / size.width), i % size.width];
    const patch = Math.floor(row / P) * columns + Math.floor(column / P);
    const strip = patch * P * P + (row % P) * P + (column % P); // a pixel of the cropped image
    return Math.floor(strip / size.width) * width + (strip % size.width);
  });
  return { ...size, sources };
}

/** The image whose square patches are the ones that `x.reshape(B, N, P * P * 3)` makes of an image (H, W, 3) by mistake:
    strips of P * P pixels of the same row, not squares; see `ScratchViT` in vitviz/models/tutorial_vits.py. */
export function scramble(image: PixelImage, P: number): PixelImage {
  const rgb = bytesOf(image.pixels);
  const { sources, ...size } = scrambled(image.height, image.width, P);
  const pixels = new Uint8Array(3 * sources.length);
  for (const [i, from] of sources.entries()) pixels.set(rgb.subarray(3 * from, 3 * from + 3), 3 * i);
  return { pixels: base64Of(pixels), ...size };
}
