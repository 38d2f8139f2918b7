/* A computation that takes long, one at a time. */

import type { Progress } from '../lib/routes';
import type { Status } from '../lib/status.svelte';
import type { Report } from './engine';

/** The progress of a computation that has not reported any. */
export const STARTED: Progress = { done: 0, total: 0, waiting: '' };

export class Task {
  readonly #status: Status;
  progress = $state.raw<Progress | null>(null); // null while nothing is computed
  #abort = () => {};

  /** Progress, 0..1. */
  readonly fraction = $derived.by(() => (this.progress?.total ? this.progress.done / this.progress.total : 0));

  /** @param status shows why a request was refused */
  constructor(status: Status) {
    this.#status = status;
  }

  /** Request something in place of what is being computed. */
  run<T>(request: (signal: AbortSignal, report: Report) => Promise<T>, keep: (found: T) => void) {
    this.cancel();
    this.progress = STARTED;
    this.#abort = this.#status.request(
      (signal) =>
        request(signal, (progress) => {
          if (!signal.aborted) this.progress = progress;
        }),
      (found) => {
        this.progress = null;
        keep(found);
      },
      (sentence) => {
        this.progress = null;
        this.#status.say(sentence, true);
      },
    );
  }

  cancel() {
    this.#abort();
    this.progress = null;
  }
}
