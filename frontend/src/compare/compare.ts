import { mountOf } from '../lib/lazy';

/** Mount the comparison. */
export const mount = mountOf(() => import('./comparison'));
