/* What the page says: the notice in the status line, and what screen readers speak. */

const BRIEF_NOTICE = 8000; // ms

interface Notice {
  sentence: string;
  isError: boolean;
}

export class Status {
  voice = $state(''); // spoken by screen readers
  notice = $state.raw<Notice | null>(null); // shown in the status line until the next action

  say(sentence: string): void {
    this.voice = sentence;
  }

  show(sentence: string | null, isError = false): void {
    this.notice = sentence ? { sentence, isError } : null;
    if (sentence) this.say(sentence);
  }

  /** Show a notice briefly, then the status of the run again. */
  showBriefly(sentence: string): void {
    this.show(sentence);
    const mine = this.notice;
    setTimeout(() => {
      if (this.notice === mine) this.show(null);
    }, BRIEF_NOTICE);
  }
}
