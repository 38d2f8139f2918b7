/* Images that are sent to the server, which deletes them within an hour; the page keeps them, and sends them again. */

import { uploadImage } from '../lib/imageFiles';
import { isRefused } from '../lib/refused';
import type { Status } from '../lib/status.svelte';
import type { Image, Upload } from '../lib/view';
import { type Example, MAX_CLASSES, tooMany } from './classes.svelte';
import { type FoundFile, reduced } from './files';

const AT_ONCE = 4; // requests
const RENEWAL = 45 * 60_000; // ms after which an image is sent again
const NEVER = new AbortController().signal;

interface Sent {
  file: File;
  src: string;
  at: number; // ms
}

export class Uploads {
  readonly #status: Status;
  readonly #maxBytes: number;
  readonly #sent = new Map<string, Sent>(); // by id
  progress = $state.raw<{ done: number; total: number } | null>(null);

  constructor(status: Status, maxBytes: number) {
    this.#status = status;
    this.#maxBytes = maxBytes;
  }

  /** Send an image.
      @throws RefusedError with the reason why not */
  async store(file: File): Promise<Upload> {
    const image = await uploadImage(file, this.#maxBytes, NEVER);
    const known = this.#sent.get(image.id);
    this.#sent.set(image.id, { file, src: known?.src ?? URL.createObjectURL(file), at: Date.now() });
    return image;
  }

  /** The URL of an image that was sent. */
  srcOf = (image: Image) => (image.kind === 'upload' ? (this.#sent.get(image.id)?.src ?? '') : '');

  /** Forget an image that is in no class. */
  forget(image: Image) {
    if (image.kind !== 'upload') return;
    URL.revokeObjectURL(this.srcOf(image));
    this.#sent.delete(image.id);
  }

  /** Send images again before the server deletes them. */
  async renew(signal: AbortSignal) {
    for (const sent of this.#sent.values()) {
      if (Date.now() - sent.at < RENEWAL) continue;
      await uploadImage(sent.file, this.#maxBytes, signal);
      sent.at = Date.now();
    }
  }

  /** Send files, with the progress; those that are no images are left out with a sentence.
      @param room how many images there can be
      @param classes number of classes of the files */
  async send(found: readonly FoundFile[], room: number, classes: number) {
    if (found.length > room || classes > MAX_CLASSES) {
      const [limit, what, got] =
        classes > MAX_CLASSES
          ? ([MAX_CLASSES, 'classes', classes] as const)
          : ([room, 'more images', found.length] as const);
      this.#status.say(tooMany(limit, what, got), true);
      return [];
    }
    this.#status.say(null);
    const sent: { folder: string; example: Example }[] = Array(found.length);
    const refused: string[] = [];
    let [next, done] = [0, 0];
    const work = async () => {
      for (let k = next++; k < found.length; k = next++) {
        const { name, folder, read } = found[k];
        try {
          const image = await this.store(await reduced(await read()));
          sent[k] = { folder, example: { image, source: image.id.slice(0, 12), title: name, src: this.srcOf(image) } };
        } catch (error) {
          const why = isRefused(error) ? error.message : 'It could not be read.';
          refused.push(why.includes(name) ? why : `${name}: ${why}`);
        }
        this.progress = { done: ++done, total: found.length };
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.progress = null;
    if (refused.length) {
      const rest = refused.length > 1 ? ` (${refused.length} of ${found.length} files were left out.)` : '';
      this.#status.say(`${refused[0]}${rest}`, true);
    }
    return sent.filter(Boolean);
  }
}
