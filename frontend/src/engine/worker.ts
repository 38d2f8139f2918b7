/* A worker with a model. The first message is its file; each other one is a call of `Explainer`, whose result, or why
   there is none, is sent back. */

import { isRefused } from '../lib/refused';
import { Explainer } from './explainer';
import type { KernelKind } from './heap';

export interface Call {
  id: number;
  method: keyof Explainer;
  args: unknown[];
}

/** The answer to a call. */
export type Answer = { id: number; result: unknown } | { id: number; refusal: string };

/** Answer the messages of a worker.
    @param kernels those to try instead of the fastest */
export function serve(
  send: (answer: Answer) => void,
  kernels?: KernelKind[],
): (message: { file: ArrayBuffer } | Call) => void {
  let explainer: Explainer | null = null;
  let problem = '';
  return (message) => {
    try {
      if ('file' in message) {
        explainer = new Explainer(message.file, kernels);
        return;
      }
      if (!explainer) throw new Error(problem);
      const method = explainer[message.method] as (...args: unknown[]) => unknown;
      send({ id: message.id, result: method.apply(explainer, message.args) });
    } catch (error) {
      problem = isRefused(error) ? error.message : outOf(error);
      if ('id' in message) send({ id: message.id, refusal: problem });
    }
  };
}

/** Why a computation failed, as a sentence. */
const outOf = (error: unknown) =>
  error instanceof RangeError
    ? 'This browser has not enough memory for the model. Close other tabs, or use a smaller model.'
    : String(error instanceof Error ? error.message : error);
