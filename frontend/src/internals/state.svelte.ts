/* State of the Internals page. Requests are functions over this object, see requests.ts. */

import type { Catalog, CifarInfo, ModelInfo, ModelList, ProbesReply, ProbesRequest } from '../lib/api';
import type { Host } from '../lib/client';
import { ThemeColors } from '../lib/theme';
import type { Probe } from './captions';

const DEFAULT_STATUS = 'Weights and statistics of the model, averaged over images.';

/** What the figures show; a new object makes them measure their width again. */
export interface Drawing {
  reply: ProbesReply;
}

export class InternalsPage {
  readonly host: Host<Catalog>;
  readonly theme: ThemeColors;

  root: HTMLElement | null = null; // set by Internals.svelte
  state = $state.raw<'working' | 'ready' | 'error'>('working'); // `data-state`
  ready = $state.raw<string>(); // `data-ready`
  models: ModelInfo[];
  cifar: CifarInfo;
  checkpoint = $state.raw('');
  images = $state.raw('samples');
  status = $state.raw(DEFAULT_STATUS);
  isError = $state.raw(false);
  voice = $state.raw(''); // spoken by screen readers
  isEmpty = $state.raw(false); // the first request failed: no figures
  drawing = $state.raw<Drawing | null>(null);

  reply: ProbesReply | null = null; // the latest; drawn when the page is on screen
  drawnWidth = 0;
  #speaking: ReturnType<typeof setTimeout> | undefined;

  // Bookkeeping of requests.ts.
  shown: ProbesRequest | null = null; // on screen, restored after an error
  place: Probe | null = null; // the figure in the address
  ticket = 0; // of the latest request; responses to earlier ones are dropped
  followed: string | null = null; // the checkpoint that was last read from the address

  constructor(host: Host<Catalog>) {
    this.host = host;
    this.models = $state.raw(host.catalog.checkpoints);
    this.cifar = $state.raw(host.catalog.cifar);
    this.theme = new ThemeColors(host.element, host.catalog.colors);
  }

  get request(): ProbesRequest {
    return { checkpoint: this.checkpoint, images: this.images };
  }

  /** Draw the latest reply, unless another tab is shown: then it is drawn when this one is. */
  draw(): void {
    this.drawnWidth = this.root?.clientWidth ?? 0;
    if (this.reply && this.drawnWidth) this.drawing = { reply: this.reply };
  }

  showNotice(sentence: string | null, isError = false): void {
    this.status = sentence ?? DEFAULT_STATUS;
    this.isError = isError;
    if (sentence) this.voice = sentence;
  }

  /** Let screen readers speak a text once it has not changed for a while. */
  announceSoon(text: () => string, delay: number): void {
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => {
      this.voice = text();
    }, delay);
  }

  showLists({ checkpoints, cifar }: ModelList): void {
    this.models = checkpoints;
    this.cifar = cifar;
  }

  isKnown(name: string | null): boolean {
    return this.models.some((model) => model.name === name);
  }
}
