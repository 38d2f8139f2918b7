/* The status line and the live region. */

export class Status {
  notice = $state.raw<string | null>(null); // shown until the next action
  isError = $state.raw(false);
  voice = $state.raw(''); // text of the live region
  #speaking: ReturnType<typeof setTimeout> | undefined;

  /** Show a sentence until the next action; null clears it. */
  say(sentence: string | null, isError = false) {
    this.notice = sentence;
    this.isError = isError;
    if (sentence !== null) this.voice = sentence;
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
