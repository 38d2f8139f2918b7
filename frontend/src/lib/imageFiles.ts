/* Image files that are uploaded. */

import { mebibytes } from './dom';
import { RefusedError } from './refused';
import { upload } from './server';
import type { Upload } from './view';

/** Formats that the server decodes, and those of phones, which are converted where the browser decodes them. */
export const ACCEPTED = {
  names: 'PNG, JPEG, WebP, GIF, BMP or TIFF',
  types: ['png', 'jpeg', 'webp', 'gif', 'bmp', 'tiff', 'heic', 'heif'].map((name) => `image/${name}`),
};
const JPEG_QUALITY = 0.95;

/** Whether a file is a photograph of a phone, of which some browsers do not know the type. */
export const isHeic = ({ name, type }: Pick<File, 'name' | 'type'>) =>
  /^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name);

/** Why a file is refused before it is uploaded; null if it is not. */
export function problemOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): string | null {
  if (!type.startsWith('image/') && !isHeic({ name, type })) {
    return `The file must be an image: ${name} is ${type || 'of unknown type'}. Choose a ${ACCEPTED.names} file.`;
  }
  if (size > maxBytes) {
    const sizes = `at most ${mebibytes(maxBytes)}: ${name} has ${mebibytes(size)}`;
    return `An image may have ${sizes}. Reduce its size, for example by saving it as JPEG.`;
  }
  return null;
}

/** A photograph of a phone as JPEG if the browser decodes it, as Safari does; else unchanged. */
export async function toJpeg(file: File): Promise<File> {
  try {
    const image = await createImageBitmap(file);
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    const blob = await new Promise<Blob | null>((keep) => canvas.toBlob(keep, 'image/jpeg', JPEG_QUALITY));
    return blob ? new File([blob], file.name, { type: blob.type }) : file;
  } catch {
    return file; // the server may decode it, or says what to do
  }
}

/** Upload an image.
    @throws RefusedError with the reason why not */
export async function uploadImage(file: File, maxBytes: number, signal: AbortSignal): Promise<Upload> {
  const problem = problemOf(file, maxBytes);
  if (problem) throw new RefusedError(problem);
  const { id } = await upload(isHeic(file) ? await toJpeg(file) : file, 'data/uploads', signal);
  return { kind: 'upload', id, name: file.name, crop: 0.5 };
}
