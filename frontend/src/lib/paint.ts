/* Painting: small canvases, one pixel per patch, enlarged by the style sheet.
   Each map has its own canvas, so that interpolation cannot mix neighboring heads. */

import { colorIndex, type Scale } from './numbers';

export interface Tile {
  canvas: HTMLCanvasElement;
  context: CanvasRenderingContext2D;
  image: ImageData;
  /** The memory of `image`. */
  pixels: Uint32Array;
}

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
  return { canvas, context, image, pixels: new Uint32Array(image.data.buffer) };
}

/** Paint values from `first` on, one per pixel. */
export function paintTile(tile: Tile, values: ArrayLike<number>, first: number, table: Uint32Array, scale: Scale) {
  const { pixels } = tile;
  for (let i = 0; i < pixels.length; i++) pixels[i] = table[colorIndex(scale, values[first + i])];
  tile.context.putImageData(tile.image, 0, 0);
}

/** Paint a color table (256 pixels) as a bar. */
export function paintBar(tile: Tile, table: Uint32Array) {
  tile.pixels.set(table);
  tile.context.putImageData(tile.image, 0, 0);
}

/** Draw thin contours of a photo. Flat areas stay transparent, so that their colors match the bar exactly.
    @param ink gray level of the lines, 0..255 */
export function paintOutlines(
  canvas: HTMLCanvasElement,
  photo: CanvasImageSource,
  width: number,
  height: number,
  ink: number,
) {
  canvas.width = width;
  canvas.height = height;
  const context = contextOf(canvas);
  context.imageSmoothingQuality = 'high';
  context.drawImage(photo, 0, 0, width, height);
  const image = context.getImageData(0, 0, width, height);
  const gray = grayOf(image.data, width * height);
  for (let pass = 0; pass < 3; pass++) {
    blurLines(gray, width, height, 1, width);
    blurLines(gray, height, width, width, 1);
  }
  inkContours(image.data, gray, width, height, ink);
  context.putImageData(image, 0, 0);
}

export function grayOf(colors: ArrayLike<number>, count: number) {
  const gray = new Float32Array(count);
  for (let k = 0; k < count; k++) gray[k] = 0.3 * colors[4 * k] + 0.55 * colors[4 * k + 1] + 0.15 * colors[4 * k + 2];
  return gray;
}

/** Box blur of 9 pixels along each line: `count` pixels with stride `step`, `lines` lines with stride `skip`. */
export function blurLines(gray: Float32Array, count: number, lines: number, step: number, skip: number) {
  const reach = 4;
  const blurred = new Float32Array(count);
  for (let line = 0; line < lines; line++) {
    const start = line * skip;
    const at = (i: number) => gray[start + Math.min(count - 1, Math.max(0, i)) * step];
    let sum = 0;
    for (let i = -reach; i <= reach; i++) sum += at(i);
    for (let i = 0; i < count; i++) {
      blurred[i] = sum / (2 * reach + 1);
      sum += at(i + reach + 1) - at(i - reach);
    }
    for (let i = 0; i < count; i++) gray[start + i * step] = blurred[i];
  }
}

/** Draw where the gradient of the image is largest along its direction; leave the rest transparent. */
export function inkContours(colors: Uint8ClampedArray, gray: Float32Array, width: number, height: number, ink: number) {
  const slope = new Float32Array(width * height);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const k = y * width + x;
      slope[k] = Math.hypot(gray[k + 1] - gray[k - 1], gray[k + width] - gray[k - width]);
    }
  }
  const steep = Float32Array.from(slope).sort()[Math.floor(slope.length * 0.97)] || Infinity;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const k = y * width + x;
      const inside = x > 2 && y > 2 && x < width - 3 && y < height - 3;
      const isSteep = inside && slope[k] > steep * 0.26;
      const strength = isSteep ? crest(slope, gray, k, width) * Math.min(1, 0.3 + slope[k] / steep) : 0;
      colors.fill(ink, 4 * k, 4 * k + 3);
      colors[4 * k + 3] = 255 * strength;
    }
  }
}

/** 1 at a maximum of the gradient along its direction, 0.45 next to it, 0 elsewhere. */
function crest(slope: Float32Array, gray: Float32Array, k: number, width: number) {
  const right = Math.round((gray[k + 1] - gray[k - 1]) / slope[k]);
  const down = Math.round((gray[k + width] - gray[k - width]) / slope[k]);
  const ahead = down * width + right;
  if (slope[k] >= slope[k + ahead] && slope[k] >= slope[k - ahead]) return 1;
  return slope[k] >= slope[k + 2 * ahead] && slope[k] >= slope[k - 2 * ahead] ? 0.45 : 0;
}
