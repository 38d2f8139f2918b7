/* The choice of an image: a thumbnail, or a file that is uploaded. */

import type { CifarDownloadRequest, ImageChoice } from '../lib/api';
import { isServed, pause, reasonOf } from '../lib/client';
import { refusalOf } from '../lib/files';
import { writeAddress } from './actions';
import { CIFAR10 } from './gallery.svelte';
import { recordImage } from './history';
import { showNotice, startWaiting } from './notices';
import { fail, load, refreshLists } from './requests';
import type { Explorer, Shelf } from './state.svelte';

export const DOWNLOAD_DELAY = 1000; // ms between requests of a download's progress

export async function chooseImage(explorer: Explorer, image: ImageChoice): Promise<void> {
  if (explorer.takeImage) return explorer.takeImage(image);
  writeAddress(explorer); // of the image on screen, which Back returns to
  await load(explorer, explorer.choices.checkpoint, image);
  if (explorer.shown?.image === image) recordImage(explorer);
}

/** Explain a test image of the dataset in the gallery, by its index, and show its page. */
export async function chooseTestImage(explorer: Explorer, index: number): Promise<void> {
  if (!Number.isInteger(index)) return;
  const { gallery } = explorer;
  const { dataset: run } = gallery;
  await chooseImage(explorer, run === CIFAR10 ? { kind: 'cifar', index } : { kind: 'dataset', run, index });
  const { image } = explorer.choices;
  if (image && 'index' in image && image.index === index) await gallery.find(index);
}

/** Show the thumbnails of a source; the gallery is filled when it is shown. */
export function showShelf(explorer: Explorer, kind: Shelf): void {
  explorer.shelf = kind;
  const { catalog, datasetRun, gallery } = explorer;
  if (kind === 'cifar' && catalog.cifar.available) gallery.open(CIFAR10);
  else if (kind === 'cifar') gallery.dataset = CIFAR10;
  else if (kind === 'dataset' && datasetRun) gallery.open(datasetRun);
  if (kind === 'cifar' && !catalog.cifar.available && !catalog.public) requestDownload(explorer, 'state');
}

/** Start, cancel or look up the download of CIFAR-10, follow it to its end, and open the gallery. */
export async function requestDownload(explorer: Explorer, action: CifarDownloadRequest['action']): Promise<void> {
  const { host } = explorer;
  const send = async (next: CifarDownloadRequest['action']) => {
    const reply = await host.request('cifar_download', { action: next });
    if (isServed(reply)) explorer.download = reply;
    else showNotice(explorer, reasonOf(reply), true);
    return isServed(reply) && reply.running;
  };
  const isRunning = await send(action);
  if (!isRunning || explorer.followsDownload) return;
  explorer.followsDownload = true;
  do await pause(DOWNLOAD_DELAY);
  while (await send('state'));
  explorer.followsDownload = false;
  await refreshLists(explorer);
  if (explorer.shelf === 'cifar' && explorer.catalog.cifar.available) showShelf(explorer, 'cifar');
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
