/* Uploads of both sides. */

import { refusalOf } from '../lib/files';
import { isRefusal, upload } from '../lib/server';
import type { Comparison, Side } from './comparison.svelte';

export class Uploads {
  readonly #page: Comparison;
  readonly #running: Partial<Record<Side, AbortController>> = {};

  constructor(page: Comparison) {
    this.#page = page;
  }

  cancel(side: Side) {
    this.#running[side]?.abort();
  }

  /** Upload a file for a side, or show why it is refused. */
  async openFile(side: Side, file: File) {
    const { catalog, status } = this.#page;
    const refusal = refusalOf(file, catalog.lists.maxBytes);
    if (refusal) return status.say(refusal, true);
    this.cancel(side);
    const controller = new AbortController();
    this.#running[side] = controller;
    const reply = await upload(file, 'data/uploads', controller.signal).catch(() => null);
    if (controller.signal.aborted || !reply) return;
    if (isRefusal(reply)) status.say(reply.error, true);
    else this.#page.explain(side, { image: { kind: 'upload', id: reply.id, name: file.name, crop: 0.5 } });
  }
}
