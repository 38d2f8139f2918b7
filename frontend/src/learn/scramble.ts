/* The wrong reshape of the Patches step. */

import { base64Of, bytesOf } from '../lib/base64';
import type { PixelImage } from '../lib/paint';

/** The image whose square patches are the ones that `x.reshape(B, N, P * P * 3)` makes of an image (H, W, 3) by mistake:
    strips of P * P pixels of the same row, not squares; see `ScratchViT` in vitviz/models/tutorial_vits.py. */
export function scramble(image: PixelImage, P: number): PixelImage {
  const rgb = bytesOf(image.pixels);
  const columns = Math.floor(image.width / P);
  const [width, height] = [columns * P, Math.floor(image.height / P) * P];
  const pixels = new Uint8Array(3 * width * height);
  for (let i = 0; i < width * height; i++) {
    const [row, column] = [Math.floor(i / width), i % width];
    const patch = Math.floor(row / P) * columns + Math.floor(column / P);
    const strip = patch * P * P + (row % P) * P + (column % P); // a pixel of the cropped image
    const from = 3 * (Math.floor(strip / width) * image.width + (strip % width));
    pixels.set(rgb.subarray(from, from + 3), 3 * i);
  }
  return { pixels: base64Of(pixels), width, height };
}
