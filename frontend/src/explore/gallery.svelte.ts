/* The gallery: test images of CIFAR-10, by class and by the predictions of the model. */

import type { GalleryReply, GalleryRequest, ImageChoice } from '../lib/api';
import { isRefusal, reasonOf } from '../lib/client';
import { percent } from '../lib/words';
import { showNotice } from './notices';
import type { Explorer } from './state.svelte';

export const WAITING_DELAY = 500; // ms until the images on screen are marked as outdated

export type Shown = GalleryRequest['shown'];

export interface Thumb {
  image: ImageChoice;
  name: string;
  src: string;
}

/** The request for a page of images; the model matters only if they are selected by its predictions. */
export function galleryQuery(label: number, shown: Shown, page: number, checkpoint: string): GalleryRequest {
  return { label, shown, page, ...(shown === 'all' ? {} : { checkpoint }) };
}

export const isSameQuery = (a: GalleryRequest, b: GalleryRequest | null) => JSON.stringify(a) === JSON.stringify(b);

/** "cat, image 3, predicted dog with 97 %" */
export function thumbName(image: GalleryReply['images'][number], classes: readonly string[]): string {
  const { index, label, prediction, probability } = image;
  const predicted = prediction == null ? '' : `, predicted ${prediction} with ${percent(probability ?? 0, 0)}`;
  return `${classes[label] ?? 'image'}, image ${index}${predicted}`;
}

export class Gallery {
  readonly explorer: Explorer;
  label = $state.raw(-1); // of the true class; -1: all
  shown = $state.raw<Shown>('all');
  page = $state.raw(0);
  pages = $state.raw(1);
  pageNumber = $state.raw('');
  thumbs = $state.raw<Thumb[]>([]);
  isWaiting = $state.raw(false); // while a model classifies the test images for the first time
  ticket = 0; // of the latest request
  filled: GalleryRequest | null = null; // the query of the images on screen

  constructor(explorer: Explorer) {
    this.explorer = explorer;
  }

  /** Show the first page of another selection. */
  select(label: number, shown: Shown): Promise<void> {
    Object.assign(this, { label, shown, page: 0 });
    return this.fill();
  }

  turn(pages: number): Promise<void> {
    this.page = Math.min(this.pages - 1, Math.max(0, this.page + pages));
    return this.fill();
  }

  /** Show the chosen images; if that fails, choose those on screen again. */
  async fill(): Promise<void> {
    const { catalog, choices, host } = this.explorer;
    if (!catalog.cifar.available) return;
    const query = galleryQuery(this.label, this.shown, this.page, choices.checkpoint);
    const mine = ++this.ticket;
    if (isSameQuery(query, this.filled)) {
      this.isWaiting = false; // back to the images on screen
      return;
    }
    const waiting = setTimeout(() => {
      if (mine === this.ticket) this.isWaiting = true;
    }, WAITING_DELAY);
    const reply = await host.request('gallery', query);
    clearTimeout(waiting);
    if (mine !== this.ticket) return;
    if (!reply || isRefusal(reply)) {
      if (this.filled) {
        const { label, shown, page } = this.filled;
        Object.assign(this, { label, shown, page });
      }
      this.isWaiting = false;
      return showNotice(this.explorer, reasonOf(reply), true);
    }
    this.filled = query;
    this.pages = Math.max(1, reply.pages);
    if (this.page >= this.pages) {
      this.page = this.pages - 1; // another model misclassifies fewer images
      return this.fill();
    }
    this.thumbs = reply.images.map((image) => ({
      image: { kind: 'cifar', index: image.index },
      name: thumbName(image, this.explorer.catalog.cifar.classes),
      src: image.src,
    }));
    this.pageNumber = reply.pages ? `${this.page + 1} of ${this.pages}` : 'none';
    this.isWaiting = false;
  }
}
