/* State of the Internals page: the model, the images it is probed with, and their address. All is assigned here only. */

import { flushSync } from 'svelte';
import { isOfRun, unavailable, updateAddress } from '../lib/address';
import { type Host, NO_MODEL } from '../lib/host';
import { isRefused, refusalOf } from '../lib/refused';
import type { Probes, ProbesRequest, Progress } from '../lib/routes';
import { stream } from '../lib/server';
import { Status } from '../lib/status.svelte';
import { percent } from '../lib/words';
import type { Probe } from './captions';
import type { Head } from './figure';
import { followScrolling, placeOf } from './place';

/** A model, and the images to probe it with. */
export type Choice = Required<ProbesRequest>;

/** What the figures show; a new object makes them measure their width again. */
export interface Drawing {
  reply: Probes;
}

export class InternalsPage {
  readonly host: Host;
  readonly catalog: Host['catalog'];
  readonly theme: Host['theme'];
  readonly status = new Status();

  state = $state.raw<'working' | 'ready' | 'error'>('working'); // `data-state`
  choice = $state.raw<Choice>({ model: '', images: 'samples' });
  shown = $state.raw<Choice | null>(null); // on screen, chosen again after an error
  drawing = $state.raw<Drawing | null>(null);
  place: Probe | null = null; // the figure in the address
  /** Whether the first request failed: there are no figures. */
  readonly isEmpty = $derived.by(() => this.state === 'error' && !this.shown);

  #root: HTMLElement | null = null;
  #reply: Probes | null = null; // the latest; drawn when the page is on screen
  #drawnWidth = 0;
  #request = new AbortController(); // the latest
  #addressed: string | null = null; // the model that was last read from the address

  constructor(host: Host) {
    this.host = host;
    this.catalog = host.catalog;
    this.theme = host.theme;
  }

  /** Show the model and the images of the address. */
  async start(root: HTMLElement) {
    this.#root = root;
    const linked = inAddress('model');
    const isNew = linked !== null && !this.catalog.model(linked); // opened or trained since the page was loaded
    if (isNew || isOfRun(linked) || inAddress('images') !== null) await this.catalog.refresh();
    const { models, cifar } = this.catalog.lists;
    if (!models.length) return this.#fail(NO_MODEL);
    const isTest = cifar.available && inAddress('images') === 'test';
    this.choice = { model: models[0].name, images: isTest ? 'test' : 'samples' };
    this.#readModel();
    this.place = placeOf(inAddress('figure'));
    this.#watch(root);
    await this.#loadAddress();
    this.#returnToPlace();
    if (this.#reply && this.#addressed && !this.catalog.model(this.#addressed))
      this.status.say(unavailable('model', this.#addressed, this.choice.model));
  }

  /** Load the user's choice. The address is updated only after success, so that a reload does not repeat the error. */
  async choose(change: Partial<Choice>) {
    this.choice = { ...this.choice, ...change };
    if (change.model !== undefined) await this.#loadAddress();
    else if (!(await this.#load())) return;
    this.#writeAddress();
  }

  async retry() {
    await this.#loadAddress();
    if (this.shown) this.#root?.querySelector<HTMLElement>('.stage')?.focus({ preventScroll: true }); // the button disappears
  }

  /** Write the figure to the address; null for the top of the page. */
  stayAt(probe: Probe | null) {
    this.place = probe;
    updateAddress({ figure: probe });
  }

  /** Open a head in Explore, on the same model and the image that was shown there. */
  openHead({ layer, head }: Head, parts = false) {
    if (!this.shown) return;
    const { model } = this.shown;
    updateAddress({
      model,
      layer: String(layer),
      head: String(head),
      content: null,
      method: null,
      scores: parts ? 'parts' : null,
    });
    this.host.route?.openLink({ subject: { model }, view: { layer, head } });
    window.scrollTo(0, 0);
  }

  /** Draw the latest reply, unless another tab is shown: then it is drawn when this one is. */
  #draw() {
    this.#drawnWidth = this.#root?.clientWidth ?? 0;
    if (this.#reply && this.#drawnWidth) this.drawing = { reply: this.#reply };
  }

  /** Redraw when the width changes; refresh the lists whenever the page comes on screen. */
  #watch(root: HTMLElement) {
    new ResizeObserver(() => {
      if (root.clientWidth && root.clientWidth !== this.#drawnWidth) this.#draw();
    }).observe(root);
    let isFirst = true;
    new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting) this.#refresh(!isFirst);
      isFirst = false;
    }).observe(root);
    followScrolling(this, root);
  }

  async #refresh(isBack: boolean) {
    await this.catalog.refresh();
    if (this.#readModel() || this.state === 'error') await this.#loadAddress();
    else if (isBack) this.#returnToPlace();
  }

  /** Request the probes of a model and show them, unless a later request was made; the old figures stay until then.
      @returns true once they are shown, false after an error, undefined if superseded */
  async #load(): Promise<boolean | undefined> {
    this.#request.abort();
    this.#request = new AbortController();
    const { signal } = this.#request;
    const { choice } = this;
    this.state = 'working';
    this.status.say(null);
    const report = (progress: Progress) => {
      if (progress.done || progress.waiting) this.status.say(progressLine(progress));
    };
    const reply = await stream('models/probes', choice, report, signal).catch((error) =>
      signal.aborted ? null : refusalOf(error),
    );
    if (!reply || signal.aborted) return undefined;
    if (isRefused(reply)) {
      this.#fail(reply.message);
      return false;
    }
    this.#reply = reply;
    this.shown = choice;
    this.status.say(null);
    this.#draw();
    this.state = 'ready';
    flushSync();
    return true;
  }

  #fail(sentence: string) {
    if (this.shown) this.choice = this.shown;
    this.status.say(sentence, true);
    this.state = 'error';
  }

  /** Load the model and images of the address, or a chosen model; one that does not fit the test images is shown over
      the samples, with the reason. */
  async #loadAddress() {
    const { choice } = this;
    if ((await this.#load()) !== false || choice.images === 'samples') return;
    const reason = this.status.notice;
    this.choice = { ...choice, images: 'samples' };
    const isShown = await this.#load();
    if (isShown) {
      this.#writeAddress();
      this.status.say(reason);
    } else if (isShown === false) {
      this.choice = this.shown ?? choice;
    }
  }

  #writeAddress() {
    if (!this.shown || !this.#root?.clientWidth) return; // another tab is shown
    this.#addressed = this.shown.model;
    updateAddress({ ...this.shown }, { images: 'samples' });
  }

  /** Adopt the model that was chosen on another tab, from the address. Returns whether it changed. */
  #readModel(): boolean {
    const chosen = inAddress('model');
    const isNew =
      chosen !== this.#addressed && chosen !== this.choice.model && this.catalog.model(chosen) !== undefined;
    this.#addressed = chosen;
    if (isNew && chosen) this.choice = { ...this.choice, model: chosen };
    return isNew;
  }

  /** Scroll to the figure of the address, if it names one. */
  #returnToPlace() {
    this.#root?.querySelector(`figure[data-probe='${this.place}']`)?.scrollIntoView();
  }
}

const inAddress = (name: string) => new URLSearchParams(location.search).get(name);

const progressLine = ({ done, total, waiting }: Progress) =>
  waiting ? `Waiting: ${waiting}.` : `Working… ${percent(done / total, 0)}`;
