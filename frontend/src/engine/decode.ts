/* Image files to RGB in the browser: upright, on white and reduced, as `open_image` in vitviz/data/preprocessing.py. */

import { RefusedError } from '../lib/refused';
import { decodePng, isPng, onWhite } from './png';
import { type Rgb, reduce } from './resample';

const PREVIEW_SIDE = 1024; // px; as in Python
const HUGE_PIXELS = 12_000_000; // likewise
const MAX_PIXELS = 150_000_000; // 600 MB in the browser's decoder
const STRIP_PIXELS = 2_000_000; // that are read from a bitmap at once
const NOT_DECODED = 'This browser cannot decode the image. Open it in an image editor and save it as PNG or JPEG.';

/** An image, and the size of its original. */
export interface Decoded {
  image: Rgb;
  width: number;
  height: number;
}

/** Decode an image file.
    @throws RefusedError if the browser does not */
export async function decode(file: Blob): Promise<Decoded> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isPng(bytes)) {
    const image = await decodePng(bytes, checkSize);
    if (image) return { image: shrink(image), width: image.width, height: image.height };
  }
  let bitmap: ImageBitmap;
  try {
    bitmap = await createImageBitmap(file, {
      colorSpaceConversion: 'none',
      premultiplyAlpha: 'none',
      imageOrientation: 'from-image',
    });
  } catch {
    throw new RefusedError(NOT_DECODED);
  }
  try {
    const { width, height } = bitmap;
    checkSize(width, height);
    return { image: shrink(reducedPixels(bitmap, isJpeg(bytes) ? jpegScale(width, height) : 1)), width, height };
  } finally {
    bitmap.close();
  }
}

const isJpeg = (bytes: Uint8Array) => bytes[0] === 0xff && bytes[1] === 0xd8;

/** The fraction of its size at which Pillow decodes a large JPEG. */
export function jpegScale(width: number, height: number) {
  const scale = Math.floor(Math.min(width, height) / PREVIEW_SIDE);
  return [8, 4, 2].find((one) => scale >= one) ?? 1;
}

function checkSize(width: number, height: number) {
  if (width * height <= MAX_PIXELS) return;
  const limit = MAX_PIXELS / 1e6;
  throw new RefusedError(
    `An image may have at most ${limit} million pixels here: got ${width} × ${height}. Please resize it.`,
  );
}

/** Reduce a huge image, as `shrink` in Python. */
export function shrink(image: Rgb): Rgb {
  const { width, height } = image;
  const side = Math.floor(Math.min(width, height) / PREVIEW_SIDE);
  const factor = Math.max(side, Math.ceil(Math.sqrt((width * height) / HUGE_PIXELS)));
  return factor < 2 ? image : reduce(image, factor);
}

/** The pixels of a bitmap, reduced while they are read strip by strip: all of a photograph may not fit into memory. */
function reducedPixels(bitmap: ImageBitmap, factor: number): Rgb {
  const { width, height } = bitmap;
  const strip = Math.min(height, factor * Math.max(1, Math.floor(STRIP_PIXELS / width / factor)));
  const canvas = Object.assign(document.createElement('canvas'), { width, height: strip });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new RefusedError(NOT_DECODED);
  const [toWidth, toHeight] = [Math.ceil(width / factor), Math.ceil(height / factor)];
  const out: Rgb = { data: new Uint8ClampedArray(3 * toWidth * toHeight), width: toWidth, height: toHeight };
  for (let top = 0; top < height; top += strip) {
    const rows = Math.min(strip, height - top);
    context.clearRect(0, 0, width, strip);
    context.drawImage(bitmap, 0, -top);
    const part = rgbOf(context.getImageData(0, 0, width, rows));
    out.data.set((factor > 1 ? reduce(part, factor) : part).data, 3 * toWidth * (top / factor));
  }
  return out;
}

/** RGBA pixels on white. */
export function rgbOf({ data, width, height }: ImageData): Rgb {
  const rgb = new Uint8ClampedArray(3 * width * height);
  for (let i = 0, k = 0; i < data.length; i += 4, k += 3) {
    const alpha = data[i + 3];
    for (let c = 0; c < 3; c++) rgb[k + c] = alpha === 255 ? data[i + c] : onWhite(data[i + c], alpha);
  }
  return { data: rgb, width, height };
}
