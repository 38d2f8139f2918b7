/* The choice of an image: a thumbnail of a shelf, or a file that is uploaded. */

import { refusalOf } from '../lib/files';
import { pause } from '../lib/host';
import type { Download, DownloadRequest } from '../lib/routes';
import { isRefusal, post, upload } from '../lib/server';
import type { Image } from '../lib/view';
import type { Explorer } from './explorer.svelte';
import { CIFAR10, Gallery } from './gallery.svelte';

export const DOWNLOAD_DELAY = 1000; // ms between requests of a download's progress

export type Shelf = 'sample' | 'test' | 'run' | 'upload';

export class Images {
  readonly #explorer: Explorer;
  readonly gallery: Gallery;
  shelf = $state.raw<Shelf>('sample');
  download = $state.raw<Download | null>(null); // of CIFAR-10
  isDropping = $state.raw(false); // a file is dragged over the page
  #followsDownload = false;
  #uploads = 0;
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
    if (this.#diverted) this.#diverted(image);
    else await this.#explorer.session.explain({ image });
  }

  /** Explain a test image of the dataset in the gallery, by its index, and show its page. */
  async chooseTestImage(index: number): Promise<void> {
    if (!Number.isInteger(index)) return;
    const { dataset: run } = this.gallery;
    await this.choose(run === CIFAR10 ? { kind: 'test', index } : { kind: 'run', run, index });
    const image = this.#explorer.session.subject?.image;
    if (image && 'index' in image && image.index === index) await this.gallery.find(index);
  }

  /** Show the thumbnails of a source; the gallery is filled when it is shown. */
  show(shelf: Shelf): void {
    this.shelf = shelf;
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
      const reply = await post('data/download', { action: next, dataset: CIFAR10 });
      if (isRefusal(reply)) session.status.say(reply.error, true);
      else this.download = reply;
      return !isRefusal(reply) && reply.running;
    };
    const isRunning = await send(action);
    if (!isRunning || this.#followsDownload) return;
    this.#followsDownload = true;
    do await pause(DOWNLOAD_DELAY);
    while (await send('state'));
    this.#followsDownload = false;
    await this.#explorer.refreshLists();
    if (this.shelf === 'test' && catalog.lists.cifar.available) this.show('test');
  }

  /** Upload a file and explain it, or show why it is refused. */
  async openFile(file: File): Promise<void> {
    const { catalog, session } = this.#explorer;
    if (!session.engine.isLive) return;
    const refusal = refusalOf(file, catalog.lists.maxBytes);
    if (refusal) return session.status.say(refusal, true);
    const mine = ++this.#uploads;
    const { subject } = session;
    this.show('upload');
    const reply = await upload(file);
    if (mine !== this.#uploads) return;
    if (isRefusal(reply)) session.status.say(reply.error, true);
    else if (session.subject === subject)
      await this.choose({ kind: 'upload', id: reply.id, name: file.name, crop: 0.5 });
  }
}
