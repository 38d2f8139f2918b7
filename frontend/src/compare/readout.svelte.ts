/* What the status line says: the patch that is read on both sides, a notice, or the largest difference. */

import { ANNOUNCE_DELAY } from '../lib/host';
import type { Comparison } from './comparison.svelte';
import { type Place, readingSentence, restingSentence } from './readings';

interface Reading {
  place: Place;
  patch: number;
}

export class Readout {
  readonly #page: Comparison;
  reading = $state.raw<Reading | null>(null); // the patch under the pointer or chosen by keys

  readonly sentence = $derived.by(() => {
    const reply = this.#page.shown?.reply;
    if (!reply) return '';
    return this.reading ? readingSentence(reply, this.reading.place, this.reading.patch) : restingSentence(reply);
  });
  readonly #statuses = $derived.by(() => [this.#page.status, this.#page.a.status, this.#page.b.status]);
  readonly notice = $derived.by(() => this.#statuses.find(({ notice }) => notice !== null)?.notice ?? null);
  readonly isError = $derived.by(() => !this.reading && this.#statuses.some(({ isError }) => isError));
  readonly line = $derived.by(() => {
    if (this.reading) return this.sentence;
    return this.notice ?? this.#page.status.line ?? this.sentence;
  });

  constructor(page: Comparison) {
    this.#page = page;
  }

  /** Read out a patch; a screen reader speaks once the pointer rests. */
  read(reading: Reading | null) {
    this.reading = reading;
    if (reading) this.#page.status.announce(() => this.sentence, ANNOUNCE_DELAY);
  }
}
