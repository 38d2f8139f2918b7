/* Model inputs: of files that are opened in the browser, and of images that Python has preprocessed. */

import { base64Of, bytesOf } from '../lib/base64';
import { RefusedError } from '../lib/refused';
import type { ExplainedImage } from '../lib/routes';
import type { Image, Upload } from '../lib/view';
import { type Decoded, decode } from './decode';
import { cropAndResize, type Resize, type Rgb } from './resample';

const MAX_FILES = 20; // that are kept
const THUMBNAIL_SIDE = 144; // px
const GONE = 'The image is not in this page any more. Choose it again.';

/** What a model's metadata say about its input. */
export interface Preprocessing {
  config: { img_size: number[] };
  mean: number[];
  std: number[];
  resize: Resize;
}

interface OpenedFile extends Decoded {
  thumbnail: string;
}

/** Decoded files by the SHA-256 of their content; the oldest ones make room. */
export class OpenedFiles {
  readonly #files = new Map<string, OpenedFile>();

  /** Decode a file.
      @throws RefusedError if it is not an image that the browser decodes */
  async open(file: File): Promise<Upload> {
    const [id, decoded] = await Promise.all([idOf(file), decode(file)]);
    this.#files.delete(id);
    this.#files.set(id, { ...decoded, thumbnail: thumbnailOf(decoded.image) });
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MAX_FILES) break;
      this.#files.delete(oldest);
    }
    return { kind: 'upload', id, name: file.name, crop: 0.5 };
  }

  get(id: string): OpenedFile {
    const found = this.#files.get(id);
    if (!found) throw new RefusedError(GONE);
    return found;
  }
}

/** The inputs of a model. */
export class Inputs {
  readonly #files: OpenedFiles;
  readonly #model: Preprocessing;
  readonly #known = new Map<string, ExplainedImage>();

  constructor(files: OpenedFiles, model: Preprocessing) {
    this.#files = files;
    this.#model = model;
  }

  /** Keep an image that Python has preprocessed for the model. */
  keep(image: Image, shown: ExplainedImage) {
    this.#known.set(JSON.stringify(image), shown);
  }

  has(image: Image) {
    return this.#known.has(JSON.stringify(image));
  }

  /** The model input as pixels, and what is said about it. */
  shown(image: Image): ExplainedImage {
    const known = this.#known.get(JSON.stringify(image));
    if (known) return known;
    if (image.kind !== 'upload') throw new RefusedError(GONE);
    const { config, resize } = this.#model;
    const [H, W] = config.img_size;
    const { image: original, width, height, thumbnail } = this.#files.get(image.id);
    const input = cropAndResize(original, [H, W], image.crop, resize);
    const isCut = width * H !== height * W || resize.crop_pct < 1;
    return {
      pixels: base64Of(input.data),
      width: W,
      height: H,
      original: thumbnail,
      name: 'Upload',
      caption: image.name,
      note: `${isCut && resize.crop_mode === 'center' ? 'cropped, ' : ''}resized from ${width} × ${height} to ${W} × ${H}`,
      crop: resize.crop_mode === 'center' ? resize.crop_pct : null,
      truth: null,
      shows: null,
    };
  }

  /** The normalized model input, (3, H, W), as `vitviz.data.augmentation.normalize`. */
  pixels({ pixels }: Pick<ExplainedImage, 'pixels'>): Float32Array {
    const rgb = bytesOf(pixels);
    const count = rgb.length / 3;
    const found = new Float32Array(rgb.length);
    for (let channel = 0; channel < 3; channel++) {
      const mean = Math.fround(Math.fround(this.#model.mean[channel]) * 255);
      const std = Math.fround(Math.fround(this.#model.std[channel]) * 255);
      for (let i = 0; i < count; i++) found[channel * count + i] = Math.fround(rgb[3 * i + channel] - mean) / std;
    }
    return found;
  }
}

/** SHA-256 of a file; anything unique where the browser does not compute it, on a page that is not secure. */
async function idOf(file: Blob): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
    : crypto.getRandomValues(new Uint8Array(32));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A small copy as a data URL. */
function thumbnailOf({ data, width, height }: Rgb): string {
  const scale = Math.min(1, THUMBNAIL_SIDE / Math.max(width, height));
  const whole = Object.assign(document.createElement('canvas'), { width, height });
  const small = Object.assign(document.createElement('canvas'), {
    width: Math.max(1, Math.round(scale * width)),
    height: Math.max(1, Math.round(scale * height)),
  });
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; i++) {
    image.data.set([data[3 * i], data[3 * i + 1], data[3 * i + 2], 255], 4 * i);
  }
  whole.getContext('2d')?.putImageData(image, 0, 0);
  small.getContext('2d')?.drawImage(whole, 0, 0, small.width, small.height);
  return small.toDataURL();
}
