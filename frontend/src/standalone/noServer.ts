/* What stands for `lib/server.ts` in a saved file and a notebook, which have none: nothing is sent. */

import { RefusedError } from '../lib/refused';

async function refuse(): Promise<never> {
  throw new RefusedError('This needs a running vitviz.');
}

export { refuse as post, refuse as stream, refuse as upload };
