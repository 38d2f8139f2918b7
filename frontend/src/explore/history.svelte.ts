/* The address follows the view. Each image is an entry of the history, to which Back and Forward return with its view. */

import { untrack } from 'svelte';
import { updateAddress } from '../lib/address';
import { heldUpload, imageName } from '../lib/images';
import { type Image, isSame, type Subject } from '../lib/view';
import { addressOf, parseAddress } from '../session/viewAddress';
import type { Explorer } from './explorer.svelte';

const ENTRY_DELAY = 1000; // ms an image stays on screen to become an entry
const WRITING_DELAY = 150; // ms; browsers limit the rate of address changes, and held keys make many

export class History {
  readonly #explorer: Explorer;
  #recorded: { image: Image | null; time: number } = { image: null, time: 0 }; // that of the last entry, and when it was shown (ms)
  #writing: ReturnType<typeof setTimeout> | undefined;
  #write: () => void = () => {}; // what is due

  constructor(explorer: Explorer) {
    this.#explorer = explorer;
  }

  /** Write the view into the address whenever it changes, while the component that calls this is mounted. */
  run() {
    $effect(() => {
      const { explanation, view } = this.#explorer.session;
      if (!explanation) return;
      const { subject } = explanation;
      const values = addressOf(subject, view);
      untrack(() => this.#record(subject, values));
    });
  }

  /** Write what is due at once. */
  flush() {
    clearTimeout(this.#writing);
    this.#write();
    this.#write = () => {};
  }

  #record(subject: Subject, values: Record<string, string | null>) {
    const { image } = subject;
    const { image: before, time } = this.#recorded;
    const isOther = before === null || imageName(image) !== imageName(before); // not just another crop
    const isLater = performance.now() - time >= ENTRY_DELAY;
    if (isOther) this.flush(); // of the image before, to which Back returns
    const how = before !== null && isOther && isLater ? 'pushState' : 'replaceState';
    const upload = image.kind === 'upload' ? image : null; // with the name and crop
    this.#write = () => {
      if (this.#explorer.isVisible) updateAddress(values, {}, how, { upload });
    };
    const shown = before === null ? -ENTRY_DELAY : performance.now(); // the image that was opened is an entry
    this.#recorded = { image, time: isOther ? shown : time };
    if (before === null) return; // the address that was opened stays until something is chosen
    if (!isSame(image, before)) this.flush();
    else {
      clearTimeout(this.#writing);
      this.#writing = setTimeout(() => this.flush(), WRITING_DELAY);
    }
  }

  /** On Back or Forward, show the image of the address with its view. */
  async follow(): Promise<void> {
    const { catalog, session } = this.#explorer;
    const params = new URLSearchParams(location.search);
    if (!session.explanation || !params.has('image')) return;
    const { subject, ...linked } = parseAddress(params, catalog.lists, heldUpload(history.state));
    if (isSame(subject.image, session.explanation.subject.image)) return;
    const recorded = this.#recorded;
    clearTimeout(this.#writing); // it would be written into the other entry
    this.#write = () => {};
    this.#recorded = { image: subject.image, time: -ENTRY_DELAY };
    const isShown = await session.explain(subject, linked);
    if (!isShown && !session.isPending) this.#recorded = recorded;
  }
}
