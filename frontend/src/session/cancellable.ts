import { untrack } from 'svelte';
import { refusalOf } from '../lib/refused';

/** Send a request; a reply after it was canceled is dropped. Returns a function that cancels it.
    @param refuse gets the sentence of a refusal */
export function cancellable<T>(
  request: (signal: AbortSignal) => Promise<T>,
  keep: (found: T) => void,
  refuse: (sentence: string) => void,
): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  untrack(() => request(signal)).then(
    (found) => signal.aborted || keep(found),
    (error) => signal.aborted || refuse(refusalOf(error).message),
  );
  return () => controller.abort();
}
