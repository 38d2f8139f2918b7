/* The address of the page: read when it is opened and on Back, and written after each comparison. */

import { isOfRun, updateAddress } from '../lib/address';
import { NO_MODEL } from '../lib/host';
import { heldUpload, imageName } from '../lib/images';
import type { Image } from '../lib/view';
import type { Comparison, Shown } from './comparison.svelte';
import { addressOfComparison, parseComparison } from './comparisonAddress';

const WRITING_DELAY = 150; // ms; browsers limit the rate of address changes, and a slider makes many

const params = () => new URLSearchParams(location.search);

export class Address {
  readonly #page: Comparison;
  readonly #root: HTMLElement;
  #kind: string | null = null; // of the entry of the history
  #writing: ReturnType<typeof setTimeout> | undefined;

  constructor(page: Comparison, root: HTMLElement) {
    this.#page = page;
    this.#root = root;
  }

  /** Show the comparison of the address, and again whenever the address changes. */
  async start() {
    const { catalog, host, status } = this.#page;
    if (!catalog.lists.models.length) return status.say(NO_MODEL, true);
    const isNewer = (name: string | null) => name !== null && !catalog.model(name);
    const lists = this.#page.catalog.refresh(); // the first ones lack runs
    if (isNewer(params().get('model')) || isNewer(params().get('b.model'))) await lists;
    this.#open();
    if (!host.route) return;
    let isFirst = true;
    new IntersectionObserver(([entry]) => {
      if (entry.isIntersecting && !isFirst) this.#comeBack();
      isFirst = false;
    }).observe(this.#root);
    host.route.onHistory(() => this.#open());
  }

  /** Write a comparison, in a new entry of the history if it is of another kind. */
  record(shown: Shown) {
    clearTimeout(this.#writing);
    const isOther = this.#kind !== null && this.#kind !== shown.kind;
    this.#kind = shown.kind;
    if (isOther) this.#write(shown, 'pushState');
    else this.#writing = setTimeout(() => this.#write(shown), WRITING_DELAY);
  }

  /** Write at once what is shown. */
  flush() {
    clearTimeout(this.#writing);
    if (this.#page.shown) this.#write(this.#page.shown);
  }

  #write({ kind, a, b, view, own }: Shown, how: 'pushState' | 'replaceState' = 'replaceState') {
    if (!this.#page.host.route || !this.#root.clientWidth) return; // without an address, or another tab is shown
    const upload = (image: Image) => (image.kind === 'upload' ? image : null);
    const uploads = { upload: upload(a.subject.image), uploadB: upload(b.subject.image) };
    updateAddress(addressOfComparison(kind, a.subject, view, own), {}, how, uploads);
  }

  #open() {
    clearTimeout(this.#writing);
    const uploads = [heldUpload(history.state), heldUpload(history.state, 'uploadB')] as const;
    const linked = parseComparison(params(), this.#page.catalog.lists, uploads);
    this.#kind = linked.kind;
    this.#page.open(linked);
  }

  /** Refresh: on another tab the model or image may have changed, or a model may have been trained. */
  async #comeBack() {
    await this.#page.catalog.refresh();
    const { subject } = this.#page.a;
    const isSame =
      params().get('model') === subject?.model && params().get('image') === (subject && imageName(subject.image));
    if (!isSame || isOfRun(subject?.model) || this.#page.failed) this.#open();
  }
}
