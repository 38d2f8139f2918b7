/* A worker with a model. The first message is its file; each other one is a call of `Explainer`, whose result, or why
   there is none, is sent back. What failed for lack of memory may succeed later. */

import { isRefused } from '../lib/refused';
import { Explainer } from './explainer';
import { Heap, type KernelKind } from './heap';

export interface Call {
  method: keyof Explainer;
  args: unknown[];
}

/** The answer to a call. */
export type Answer = { result: unknown } | { refusal: string };

/** Answer the messages of a worker.
    @param kernels those to try instead of the fastest */
export function serve(
  send: (answer: Answer) => void,
  kernels?: KernelKind[],
): (message: { file: ArrayBuffer } | Call) => void {
  let file: ArrayBuffer;
  let explainer: Explainer | null = null;
  return (message) => {
    if ('file' in message) {
      file = message.file;
      return;
    }
    try {
      explainer ??= new Explainer(file, new Heap(kernels));
      const method = explainer[message.method] as (...args: unknown[]) => unknown;
      send({ result: method.apply(explainer, message.args) });
    } catch (error) {
      send({ refusal: isRefused(error) ? error.message : outOf(error) });
    }
  };
}

/** Why a computation failed, as a sentence. */
const outOf = (error: unknown) =>
  error instanceof RangeError
    ? 'This browser has not enough memory for the model. Close other tabs, or use a smaller model.'
    : String(error instanceof Error ? error.message : error);
