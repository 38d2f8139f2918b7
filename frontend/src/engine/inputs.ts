/* Model inputs: of files that are opened in the browser, and of images that Python has preprocessed. */

import { base64Of, bytesOf } from '../lib/base64';
import { RefusedError } from '../lib/refused';
import type { ExplainedImage } from '../lib/routes';
import type { Image, Upload } from '../lib/view';
import { type Decoded, decode, rgbOf } from './decode';
import type { EngineImage } from './modelEngine';
import { cropAndResize, type Rgb } from './resample';
import type { ModelMetadata } from './safetensors';

const MAX_FILES = 20; // that are kept
const THUMBNAIL_SIDE = 144; // px
const GONE = 'The image is not in this page any more. Choose it again.';

/** What a model's metadata say about its input. */
type Preprocessing = Pick<ModelMetadata, 'mean' | 'std' | 'resize'> & { config: { img_size: number[] } };

interface OpenedFile extends Decoded {
  thumbnail: string | null;
}

/** Decoded files by the SHA-256 of their content; the oldest ones make room. */
export class OpenedFiles {
  readonly #files = new Map<string, OpenedFile>();

  /** Decode a file.
      @throws RefusedError if it is not an image that the browser decodes */
  async open(file: File): Promise<Upload> {
    const [id, decoded] = await Promise.all([idOf(await file.arrayBuffer()), decode(file)]);
    return this.#keep(id, { ...decoded, thumbnail: thumbnailOf(decoded.image) }, file.name);
  }

  /** Keep what a camera sees. */
  async openPixels(pixels: ImageData): Promise<Upload> {
    const image = rgbOf(pixels);
    const { width, height } = image;
    return this.#keep(await idOf(image.data), { image, width, height, thumbnail: null }, 'Camera');
  }

  #keep(id: string, opened: OpenedFile, name: string): Upload {
    this.#files.delete(id);
    this.#files.set(id, opened);
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= MAX_FILES) break;
      this.#files.delete(oldest);
    }
    return { kind: 'upload', id, name, crop: 0.5 };
  }

  get(id: string): OpenedFile {
    const found = this.#files.get(id);
    if (!found) throw new RefusedError(GONE);
    return found;
  }
}

/** Returns an image that Python has preprocessed. */
type Find = (image: Image, signal: AbortSignal) => Promise<ExplainedImage>;

/** The inputs of a model. */
export class Inputs {
  readonly #find: Find;
  readonly #files: OpenedFiles | null;
  readonly #model: Preprocessing;
  readonly #known = new Map<string, ExplainedImage>();

  constructor(files: OpenedFiles | null, model: Preprocessing, find: Find) {
    this.#files = files;
    this.#model = model;
    this.#find = find;
  }

  /** The model input, and what is said about it.
      @throws RefusedError if the image is not in the page */
  async input(image: Image, signal: AbortSignal): Promise<EngineImage> {
    const key = JSON.stringify(image);
    const shown =
      this.#files && image.kind === 'upload'
        ? this.#preprocess(image, this.#files.get(image.id))
        : (this.#known.get(key) ?? (await this.#find(image, signal)));
    if (!this.#files || image.kind !== 'upload') this.#known.set(key, shown);
    return { pixels: this.#normalized(shown.pixels), shown };
  }

  #preprocess(image: Upload, opened: OpenedFile): ExplainedImage {
    const { config, resize } = this.#model;
    const [H, W] = config.img_size;
    const { image: original, width, height, thumbnail } = opened;
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

  /** Pixels (3, H, W) as of `vitviz.data.augmentation.normalize`. */
  #normalized(base64: string): Float32Array {
    const rgb = bytesOf(base64);
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

/** SHA-256 of a file or of pixels; anything unique where the browser does not compute it, on a page that is not secure. */
async function idOf(content: BufferSource): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', content))
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
