/* State of the model picker: the search, the model being opened, and what is known of the one on screen. */

import type { CatalogState } from '../catalog.svelte';
import { pause } from '../host';
import { isRefused, type RefusedError, refusalOf } from '../refused';
import type { Facts, HubModels, OpenState } from '../routes';
import { post } from '../server';
import { type Entry, entriesOf, megabytes, optionAfter, search } from './list';

/** The page that the picker belongs to. */
export interface PickerPage {
  catalog: CatalogState;
  /** The model on screen. */
  shown: () => string;
  onchoose: (name: string) => void;
}

const POLL = 300; // ms

export class ModelPicker {
  readonly page: PickerPage;
  node = $state.raw<HTMLDialogElement | null>(null);
  text = $state.raw('');
  active = $state.raw(0); // index of the marked option
  hub = $state.raw<HubModels>({ models: [], suggested: [], cache: '', free_memory: null });
  about = $state.raw<Facts>({ facts: [], sizes: [] });
  opening = $state.raw<OpenState | null>(null);
  error = $state.raw('');

  readonly options = $derived.by(() =>
    search(entriesOf(this.page.catalog.lists.models, this.hub), this.text, !this.isPublic),
  );
  readonly isBusy = $derived(this.opening?.phase === 'downloading' || this.opening?.phase === 'loading');
  /** What is being done, or why it failed. */
  readonly status = $derived.by(() => {
    const { opening } = this;
    if (this.error) return this.error;
    if (opening?.phase === 'loading') return `Loading ${opening.requested}…`;
    if (opening?.phase === 'canceled')
      return `The download of ${opening.requested} was canceled; it resumes where it ended.`;
    if (opening?.phase !== 'downloading') return '';
    const size = opening.total ? `: ${megabytes(opening.done)} of ${megabytes(opening.total)}` : '';
    return `Downloading ${opening.requested}${size}`;
  });

  get isPublic() {
    return this.page.catalog.lists.public;
  }

  constructor(page: PickerPage) {
    this.page = page;
  }

  /** Show the dialog with the current lists. */
  async open() {
    this.node?.showModal();
    this.text = '';
    this.active = 0;
    this.error = '';
    this.#describe();
    await this.page.catalog.refresh();
    if (this.isPublic) return;
    const reply = await post('models/hub', {}).catch(refusalOf);
    if (!isRefused(reply)) this.hub = reply;
  }

  type(text: string) {
    this.text = text;
    this.active = 0;
  }

  /** Move the mark or choose by a key; whether it was one of those keys. */
  press(key: string): boolean {
    if (key === 'Enter') {
      const entry = this.options[this.active];
      if (entry) this.choose(entry);
      return true;
    }
    const next = optionAfter(key, this.active, this.options.length);
    if (next !== undefined) this.active = next;
    return next !== undefined;
  }

  async choose(entry: Entry) {
    this.error = '';
    if (entry.isListed) return this.#show(entry.name);
    return this.load(entry.name);
  }

  /** Open a model by its name or path, which may end with an input size. */
  async load(name: string) {
    if (this.isBusy) return;
    return this.#follow(await post('models/open', { action: 'start', name }).catch(refusalOf));
  }

  async cancel() {
    await post('models/open', { action: 'cancel' }).catch(refusalOf);
  }

  /** Follow the opening of a model until it is there; then show it, unless the dialog was closed. */
  async #follow(reply: OpenState | RefusedError): Promise<void> {
    this.opening = isRefused(reply) ? null : reply;
    if (isRefused(reply)) {
      this.error = reply.message;
      return;
    }
    if (this.isBusy) {
      await pause(POLL);
      return this.#follow(await post('models/open', { action: 'state' }).catch(refusalOf));
    }
    if (reply.phase === 'failed') this.error = reply.message;
    if (reply.phase !== 'ready') return;
    this.opening = null;
    await this.page.catalog.refresh();
    if (this.node?.open) this.#show(reply.name);
  }

  #show(name: string) {
    this.node?.close();
    if (name !== this.page.shown()) this.page.onchoose(name);
  }

  async #describe() {
    this.about = { facts: [], sizes: [] };
    const reply = await post('models/facts', { model: this.page.shown() }).catch(refusalOf);
    if (!isRefused(reply)) this.about = reply;
  }
}
