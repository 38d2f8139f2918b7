import { mountOf } from '../lib/lazy';

/** Mount the lesson. */
export const mount = mountOf(() => import('./lesson'));
