/* The status line and the live region, which say what is computed and why a request was refused. */

import { untrack } from 'svelte';
import { refusalOf } from './refused';

const WORKING_DELAY = 300; // ms until "Working…" appears
const BRIEF_NOTICE = 8000; // ms

export class Status {
  notice = $state.raw<string | null>(null); // shown until the next action
  isError = $state.raw(false);
  voice = $state.raw(''); // text of the live region
  waiting = $state.raw(''); // what the slow computation waits for, or empty
  #isSlow = $state.raw(false);
  #speaking: ReturnType<typeof setTimeout> | undefined;

  /** What stands in the line in place of what is on screen, or null. */
  readonly line = $derived.by(() => this.notice ?? (this.#isSlow ? this.#work : null));

  get #work() {
    return this.waiting ? `Waiting: ${this.waiting}.` : 'Working…';
  }

  /** Say that something is being computed if it takes long, while the component that calls this is mounted. */
  watch(isWaiting: () => boolean) {
    $effect(() => {
      if (!isWaiting()) return;
      const waiting = setTimeout(() => {
        this.#isSlow = true;
      }, WORKING_DELAY);
      return () => {
        clearTimeout(waiting);
        this.#isSlow = false;
        this.waiting = '';
      };
    });
  }

  /** Send a request; a reply after it was canceled is dropped. A refusal is shown, by default.
      @returns a function that cancels it */
  request<T>(
    request: (signal: AbortSignal) => Promise<T>,
    keep: (found: T) => void,
    refuse: (sentence: string) => void = (sentence) => this.say(sentence, true),
  ): () => void {
    const controller = new AbortController();
    const { signal } = controller;
    untrack(() => request(signal)).then(
      (found) => signal.aborted || keep(found),
      (error) => signal.aborted || refuse(refusalOf(error).message),
    );
    return () => controller.abort();
  }

  /** Show a sentence until the next action; null clears it. */
  say(sentence: string | null, isError = false) {
    this.notice = sentence;
    this.isError = isError;
    if (sentence !== null) this.voice = sentence;
  }

  /** Show a sentence briefly, then what is on screen again. */
  sayBriefly(sentence: string) {
    this.say(sentence);
    setTimeout(() => {
      if (this.notice === sentence) this.say(null);
    }, BRIEF_NOTICE);
  }

  /** Read a sentence to screen readers only. */
  speak(sentence: string) {
    this.voice = sentence;
  }

  /** Announce a text to screen readers after a delay (ms), unless another one follows. */
  announce(text: () => string, delay: number) {
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => this.speak(text()), delay);
  }
}
