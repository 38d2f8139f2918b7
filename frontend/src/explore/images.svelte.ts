/* The choice of an image: a thumbnail of a shelf, or a file that is uploaded. */

import { pause } from '../lib/host';
import { isRefused, refusalOf } from '../lib/refused';
import type { Download, DownloadRequest } from '../lib/routes';
import { post } from '../lib/server';
import type { Image } from '../lib/view';
import type { Explorer } from './explorer.svelte';
import { CIFAR10, Gallery } from './gallery.svelte';

export const DOWNLOAD_DELAY = 1000; // ms between requests of a download's progress

export type Shelf = 'sample' | 'test' | 'run' | 'upload';

export class Images {
  readonly #explorer: Explorer;
  readonly gallery: Gallery;
  shelf = $state.raw<Shelf>('sample');
  hasOpenedUploads = $state.raw(false); // their shelf is loaded when it is first shown
  download = $state.raw<Download | null>(null); // of CIFAR-10
  refusal = $state.raw(''); // why the latest file was refused, shown where it was chosen
  isDropping = $state.raw(false); // a file is dragged over the page
  #followsDownload = false;
  #cancelUpload = () => {};
  #diverted: ((image: Image) => void) | null = null; // gets the next chosen image, which is not explained

  /** The run whose dataset can be listed: that of the model, or of the image on screen. */
  readonly datasetRun = $derived.by(() => {
    const { catalog, session } = this.#explorer;
    const { model, image } = session.subject ?? {};
    if (model && catalog.model(model)?.dataset) return model;
    return image?.kind === 'run' ? image.run : null;
  });

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
    this.gallery = new Gallery(explorer);
  }

  /** Let something else have the next chosen image; null to explain it again. */
  divert(keep: ((image: Image) => void) | null) {
    this.#diverted = keep;
  }

  async choose(image: Image): Promise<void> {
    const { session, set } = this.#explorer;
    this.refusal = '';
    if (this.#diverted) this.#diverted(image);
    else if (set?.isAdding) set.toggle(image);
    else await session.explain({ image });
  }

  /** Explain a test image of the dataset in the gallery, by its index, and show its page. */
  async chooseTestImage(index: number): Promise<void> {
    if (!Number.isInteger(index)) return;
    const { dataset: run } = this.gallery;
    await this.choose(run === CIFAR10 ? { kind: 'test', index } : { kind: 'run', run, index });
    const image = this.#explorer.session.subject?.image;
    if (image && 'index' in image && image.index === index) await this.gallery.find(index);
  }

  /** Show the thumbnails of a shelf; the gallery is filled when it is shown. */
  show(shelf: Shelf): void {
    this.shelf = shelf;
    this.hasOpenedUploads ||= shelf === 'upload';
    const { cifar, public: isPublic } = this.#explorer.catalog.lists;
    if (shelf === 'test') {
      if (cifar.available) this.gallery.open(CIFAR10);
      else this.gallery.leave();
      if (!cifar.available && !isPublic) this.requestDownload('state');
    } else if (shelf === 'run' && this.datasetRun) this.gallery.open(this.datasetRun);
  }

  drag(isDropping: boolean) {
    this.isDropping = isDropping;
  }

  /** Start, cancel or look up the download of CIFAR-10, follow it to its end, and open the gallery. */
  async requestDownload(action: DownloadRequest['action']): Promise<void> {
    const { catalog, session } = this.#explorer;
    const send = async (next: DownloadRequest['action']) => {
      const reply = await post('data/download', { action: next, dataset: CIFAR10 }).catch(refusalOf);
      if (isRefused(reply)) session.status.say(reply.message, true);
      else this.download = reply;
      return !isRefused(reply) && reply.running;
    };
    const isRunning = await send(action);
    if (!isRunning || this.#followsDownload) return;
    this.#followsDownload = true;
    do await pause(DOWNLOAD_DELAY);
    while (await send('state'));
    this.#followsDownload = false;
    await catalog.refresh();
  }

  /** Upload a file and explain it; several of them are shown as a set. */
  openFiles([file, ...others]: readonly File[]) {
    if (others.length && !this.#explorer.catalog.lists.static) this.#explorer.openSet([file, ...others]);
    else if (file) this.openFile(file);
  }

  /** Upload a file and explain it, or show why it is refused. */
  openFile(file: File) {
    const { session } = this.#explorer;
    const { subject } = session;
    if (!session.engine.isLive) return;
    this.show('upload');
    this.#cancelUpload();
    this.#cancelUpload = session.status.request(
      (signal) => session.engine.openImage(file, signal),
      (image) => session.subject === subject && this.choose(image),
      (sentence) => {
        this.refusal = sentence;
      },
    );
  }
}
