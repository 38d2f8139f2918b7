/* The terms that have a help; what they mean is in the glossary. */

import type { Scale } from './numbers';

/** The terms that have a help. */
export type Term =
  | 'attention weight'
  | 'uniform attention'
  | 'deletion score'
  | 'random baseline'
  | 'logit'
  | 'contribution'
  | 'recovered difference'
  | 'cosine similarity'
  | 'tuned lens'
  | 'relative value';

/** The term that explains the unit of a scale. */
export function termOf(scale: Scale): Term {
  if (scale.kind === 'signed') return scale.isCosine ? 'cosine similarity' : 'logit';
  if (scale.kind === 'uniform') return 'uniform attention';
  return scale.isWeight ? 'attention weight' : 'relative value';
}
