/* Image files that are uploaded. */

import { mebibytes } from './dom';
import { RefusedError } from './refused';
import { upload } from './server';
import type { Upload } from './view';

/** Formats that the server decodes. A phone converts other photographs to one of these. */
export const ACCEPTED = {
  names: 'PNG, JPEG, WebP, GIF, BMP or TIFF',
  types: ['png', 'jpeg', 'webp', 'gif', 'bmp', 'tiff'].map((name) => `image/${name}`),
};

/** Why a file is refused before it is uploaded; null if it is not. */
export function problemOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): string | null {
  if (/^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name)) {
    return `HEIC images cannot be read: export ${name} as JPEG. ${ACCEPTED.names} are accepted.`;
  }
  if (!type.startsWith('image/')) {
    return `The file must be an image: ${name} is ${type || 'of unknown type'}. Choose a ${ACCEPTED.names} file.`;
  }
  if (size > maxBytes) {
    const sizes = `at most ${mebibytes(maxBytes)}: ${name} has ${mebibytes(size)}`;
    return `An image may have ${sizes}. Reduce its size, for example by saving it as JPEG.`;
  }
  return null;
}

/** Upload an image.
    @throws RefusedError with the reason why not */
export async function uploadImage(file: File, maxBytes: number, signal: AbortSignal): Promise<Upload> {
  const problem = problemOf(file, maxBytes);
  if (problem) throw new RefusedError(problem);
  const { id } = await upload(file, 'data/uploads', signal);
  return { kind: 'upload', id, name: file.name, crop: 0.5 };
}
