/* Why there is no reply. */

import type { Refusal } from './routes';

export const NO_RESPONSE = 'The server did not respond. Check that vitviz is still running, then try again.';

/** The reason why a request has no reply, as a sentence. */
export class RefusedError extends Error {
  /** The field of the request that is refused, or empty. */
  readonly field: string;
  readonly isBusy: boolean;

  constructor(sentence: string = NO_RESPONSE, { field = '', busy = false }: Partial<Refusal> = {}) {
    super(sentence);
    this.field = field;
    this.isBusy = busy;
  }

  /** Whether the server was not reached. */
  get isUnreachable() {
    return this.message === NO_RESPONSE;
  }
}

export const isRefused = (error: unknown): error is RefusedError => error instanceof RefusedError;

/** The refusal that a request failed with, for `catch`; other errors are thrown. */
export function refusalOf(error: unknown): RefusedError {
  if (!isRefused(error)) throw error;
  return error;
}
