/* A request that takes seconds to minutes: its progress, and its cancellation, also when the page is left. */

import type { Refusal, Requests, TaskProgress } from '../lib/api';
import { isServed, pause } from '../lib/client';
import { type Answer, type Question, requestAblated } from './requests';
import type { Explorer } from './state.svelte';

const PROGRESS_DELAY = 400; // ms between requests for the progress
export const CANCELLED = 'cancelled';

type TaskName = 'map_on_request' | 'nearest' | 'patch_heads' | 'patch_tokens';

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

export class Task {
  readonly explorer: Explorer;
  progress = $state.raw<TaskProgress | null>(null); // null: it does not run; 0 of 0: it waits
  #id = '';

  constructor(explorer: Explorer) {
    this.explorer = explorer;
  }

  /** Send the request about the image on screen; an earlier one is cancelled. */
  async run<N extends TaskName>(
    name: N,
    question: Omit<Requests[N][0], 'key' | 'task'>,
  ): Promise<Answer<N> | Refusal | typeof CANCELLED> {
    this.cancel();
    const id = newId();
    const leave = () => this.cancel();
    this.#id = id;
    this.progress = { done: 0, total: 0 };
    this.#watch(id);
    globalThis.addEventListener?.('pagehide', leave);
    const reply = await requestAblated(this.explorer, name, { ...question, task: id } as unknown as Question<N>);
    globalThis.removeEventListener?.('pagehide', leave);
    if (this.#id !== id) return CANCELLED;
    this.#stop();
    return reply;
  }

  cancel() {
    const id = this.#id;
    this.#stop();
    if (id) this.#send(id, true);
  }

  /** The part that is done, 0..1. */
  get fraction() {
    return this.progress?.total ? this.progress.done / this.progress.total : 0;
  }

  #stop() {
    this.#id = '';
    this.progress = null;
  }

  async #watch(id: string) {
    for (await pause(PROGRESS_DELAY); this.#id === id; await pause(PROGRESS_DELAY)) {
      const state = await this.#send(id, false);
      if (this.#id === id && isServed(state)) this.progress = state;
    }
  }

  #send(task: string, cancel: boolean) {
    return this.explorer.host.request('task_progress', { task, cancel });
  }
}
