/* State of the Internals page. Requests are functions over this object, see requests.ts. */

import type { Host } from '../lib/host';
import type { CifarInfo, ModelInfo, Probes, ProbesRequest } from '../lib/routes';
import { ThemeColors } from '../lib/theme';
import { Status } from '../session/status.svelte';
import type { Probe } from './captions';

/** A model, and the images to probe it with. */
export type Choice = Required<ProbesRequest>;

/** What the figures show; a new object makes them measure their width again. */
export interface Drawing {
  reply: Probes;
}

export class InternalsPage {
  readonly host: Host;
  readonly theme: ThemeColors;
  readonly status = new Status();

  root: HTMLElement | null = null; // set by Internals.svelte
  state = $state.raw<'working' | 'ready' | 'error'>('working'); // `data-state`
  models: ModelInfo[];
  cifar: CifarInfo;
  choice = $state.raw<Choice>({ model: '', images: 'samples' });
  shown = $state.raw<Choice | null>(null); // on screen, chosen again after an error
  drawing = $state.raw<Drawing | null>(null);
  /** Whether the first request failed: there are no figures. */
  readonly isEmpty = $derived.by(() => this.state === 'error' && !this.shown);

  reply: Probes | null = null; // the latest; drawn when the page is on screen
  drawnWidth = 0;

  // Bookkeeping of requests.ts.
  request = new AbortController(); // the latest
  place: Probe | null = null; // the figure in the address
  followed: string | null = null; // the model that was last read from the address

  constructor(host: Host) {
    this.host = host;
    this.models = $state.raw(host.catalog.models);
    this.cifar = $state.raw(host.catalog.cifar);
    this.theme = new ThemeColors(host.element, host.catalog.colors);
  }

  /** Draw the latest reply, unless another tab is shown: then it is drawn when this one is. */
  draw(): void {
    this.drawnWidth = this.root?.clientWidth ?? 0;
    if (this.reply && this.drawnWidth) this.drawing = { reply: this.reply };
  }

  showLists(models: ModelInfo[], cifar: CifarInfo): void {
    this.models = models;
    this.cifar = cifar;
  }

  isKnown(name: string | null): boolean {
    return this.models.some((model) => model.name === name);
  }
}
