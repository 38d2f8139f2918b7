/* The gallery: test images of CIFAR-10 or of a model's own dataset, by class and by the predictions of the model. */

import { isRefused, refusalOf } from '../lib/refused';
import type { GalleryRequest, Progress, Gallery as Reply } from '../lib/routes';
import { stream } from '../lib/server';
import type { Image } from '../lib/view';
import { percent } from '../lib/words';
import { STARTED } from '../session/task.svelte';
import type { Explorer } from './explorer.svelte';

export const WAITING_DELAY = 500; // ms until the images on screen are marked as outdated
export const CIFAR10 = 'cifar10';

export type Shown = NonNullable<GalleryRequest['shown']>;

export interface Thumb {
  image: Image;
  name: string;
  src: string;
  predicted?: { label: string; probability: string };
}

interface Selection {
  dataset: string;
  label: number; // -1: all
  shown: Shown;
  page: number;
}

/** The request for a page of images; the model matters only if they are selected by its predictions. */
export function galleryQuery({ dataset, label, shown, page }: Selection, model: string): GalleryRequest {
  return { dataset, label: label < 0 ? null : label, shown, page, model: shown === 'all' ? null : model };
}

export const isSameQuery = (a: GalleryRequest, b: GalleryRequest | null) => JSON.stringify(a) === JSON.stringify(b);

/** "cat, image 3, predicted dog with 97 %" */
export function thumbName(image: Reply['images'][number], classes: readonly string[]): string {
  const { index, label, prediction, probability } = image;
  const predicted = prediction == null ? '' : `, predicted ${prediction} with ${percent(probability ?? 0, 0)}`;
  return `${classes[label] ?? 'image'}, image ${index}${predicted}`;
}

/** What is computed while the gallery waits. */
export function waitingSentence({ done, total, waiting }: Progress): string {
  if (waiting) return `Waiting: ${waiting}…`;
  if (!total) return 'Reading and classifying the test images, the first time only…';
  const all = `Classifying all ${total.toLocaleString('en')} test images (about a minute, first time only)`;
  return done ? `${all}: ${done.toLocaleString('en')} done…` : `${all}…`;
}

const thumbOf = (dataset: string, classes: readonly string[], image: Reply['images'][number]): Thumb => ({
  image: dataset === CIFAR10 ? { kind: 'test', index: image.index } : { kind: 'run', run: dataset, index: image.index },
  name: thumbName(image, classes),
  src: image.src,
  predicted:
    image.prediction == null ? undefined : { label: image.prediction, probability: percent(image.probability ?? 0, 0) },
});

export class Gallery {
  readonly explorer: Explorer;
  dataset = $state.raw(CIFAR10); // or runs/NAME, for the dataset of that run
  classes = $state.raw<string[]>([]);
  label = $state.raw(-1); // of the true class; -1: all
  shown = $state.raw<Shown>('all');
  page = $state.raw(0);
  pages = $state.raw(1);
  count = $state.raw(0); // images on all pages
  thumbs = $state.raw<Thumb[]>([]);
  isWaiting = $state.raw(false); // while a model classifies the test images for the first time
  progress = $state.raw<Progress>(STARTED);
  isLarge = $state.raw(false);
  #controller = new AbortController(); // of the latest request
  filled: GalleryRequest | null = null; // the query of the images on screen

  constructor(explorer: Explorer) {
    this.explorer = explorer;
  }

  /** Show the images of a dataset, at the page of the image on screen. */
  open(dataset: string): Promise<void> {
    const { image } = this.explorer.session.subject ?? {};
    const isOther = dataset !== this.dataset;
    if (isOther) Object.assign(this, { dataset, label: -1, shown: 'all', page: 0, pages: 1, count: 0, thumbs: [] });
    const isFirst = isOther || !this.filled;
    return this.fill(isFirst && (image?.kind === 'test' || image?.kind === 'run') ? image.index : undefined);
  }

  /** Show CIFAR-10 without its images, which are not there. */
  leave() {
    this.dataset = CIFAR10;
  }

  enlarge(isLarge: boolean) {
    this.isLarge = isLarge;
  }

  /** Show the first page of another selection. */
  select(label: number, shown: Shown): Promise<void> {
    Object.assign(this, { label, shown, page: 0 });
    return this.fill();
  }

  turn(pages: number): Promise<void> {
    return this.goTo(this.page + pages);
  }

  /** Show a page, counted from 0. */
  goTo(page: number): Promise<void> {
    this.page = Math.min(this.pages - 1, Math.max(0, Math.trunc(page) || 0));
    return this.fill();
  }

  /** Show the page of all images with a test image. */
  find(index: number): Promise<void> {
    Object.assign(this, { label: -1, shown: 'all' });
    return this.fill(index);
  }

  /** Show the chosen images; if that fails, choose those on screen again.
      @param index show the page with this image */
  async fill(index?: number): Promise<void> {
    const { catalog, session } = this.explorer;
    const { dataset } = this;
    if (dataset === CIFAR10 && !catalog.lists.cifar.available) return;
    const query = galleryQuery(this, session.subject?.model ?? '');
    this.#controller.abort();
    this.#controller = new AbortController();
    const { signal } = this.#controller;
    if (index === undefined && isSameQuery(query, this.filled)) {
      this.isWaiting = false; // back to the images on screen
      return;
    }
    this.progress = STARTED;
    const waiting = setTimeout(() => {
      this.isWaiting = true;
    }, WAITING_DELAY);
    const reply = await this.#request({ ...query, index: index ?? null }, signal);
    clearTimeout(waiting);
    if (!reply || signal.aborted) return;
    this.isWaiting = false;
    if (isRefused(reply)) {
      if (this.filled?.dataset === dataset) {
        const { shown, page } = this.filled;
        Object.assign(this, { label: this.filled.label ?? -1, shown, page });
      }
      return session.status.say(reply.message, true);
    }
    const { classes, count } = reply;
    const pages = Math.max(1, reply.pages);
    if (reply.page >= pages) return this.goToLast(pages); // another model misclassifies fewer images
    this.filled = { ...query, page: reply.page };
    const thumbs = reply.images.map((image) => thumbOf(dataset, classes, image));
    Object.assign(this, { pages, page: reply.page, classes, count, thumbs });
  }

  #request(query: GalleryRequest, signal: AbortSignal) {
    const report = (progress: Progress) => {
      if (!signal.aborted) this.progress = progress;
    };
    return stream('data/gallery', query, report, signal).catch((error) => (signal.aborted ? null : refusalOf(error)));
  }

  goToLast(pages: number): Promise<void> {
    this.pages = pages;
    return this.goTo(pages - 1);
  }
}
