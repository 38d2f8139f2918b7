/* The choice of an image: a thumbnail, or a file that is uploaded. */

import type { ImageChoice } from '../lib/api';
import { mebibytes } from '../lib/dom';
import { writeAddressSoon } from './actions';
import { showNotice, startWaiting } from './notices';
import { fail, load } from './requests';
import type { Explorer, Shelf } from './state.svelte';

export async function chooseImage(explorer: Explorer, image: ImageChoice): Promise<void> {
  await load(explorer, explorer.choices.checkpoint, image);
  writeAddressSoon(explorer);
}

/** Show the thumbnails of a source; the gallery is filled when it is shown. */
export function showShelf(explorer: Explorer, kind: Shelf): void {
  explorer.shelf = kind;
  if (kind === 'cifar') explorer.gallery.fill();
}

/** Why a file is refused before it is uploaded; null if it is not. */
export function refusalOf({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>, maxBytes: number): string | null {
  if (!type.startsWith('image/')) {
    return `The file must be an image: ${name} is ${type || 'of unknown type'}. Choose a PNG, JPEG or WebP file.`;
  }
  if (size > maxBytes) {
    const sizes = `at most ${mebibytes(maxBytes)}: ${name} has ${mebibytes(size)}`;
    return `An image may have ${sizes}. Reduce its size, for example by saving it as JPEG.`;
  }
  return null;
}

/** Upload a file and explain it, or show why it is refused. */
export async function takeFile(explorer: Explorer, file: File): Promise<void> {
  const { catalog, host } = explorer;
  if (!host.upload) return;
  const refusal = refusalOf(file, catalog.maxBytes);
  if (refusal) return showNotice(explorer, refusal, true);
  const mine = ++explorer.ticket;
  showShelf(explorer, 'upload');
  startWaiting(explorer);
  try {
    const { path } = await host.upload(file);
    if (mine === explorer.ticket) chooseImage(explorer, { kind: 'upload', path, name: file.name });
  } catch {
    const sentence = `${file.name} could not be uploaded: the server is unreachable, or its upload storage is full. Try again later.`;
    if (mine === explorer.ticket) fail(explorer, sentence);
  }
}
