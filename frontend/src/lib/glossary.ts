/* What the words of the field mean: for the help where they appear, and for the lesson. */

import entries from '../text/glossary.json';
import type { Scale } from './numbers';

/** In symbols and formulas "_" starts an index of one character; words of the lesson have them and a step. */
export interface Entry {
  term: string;
  meaning: string;
  symbol?: string;
  formula?: string;
  step?: string;
}

export const GLOSSARY: readonly Entry[] = entries;

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
  | 'relative value';

export const meaningOf = (term: Term) => GLOSSARY.find((entry) => entry.term.toLowerCase() === term)?.meaning ?? '';

/** The term that explains the unit of a scale. */
export function termOf(scale: Scale): Term {
  if (scale.kind === 'signed') return 'logit';
  if (scale.kind === 'uniform') return 'uniform attention';
  return scale.isWeight ? 'attention weight' : 'relative value';
}

/** "x_0" -> ["x", "0"]: every second part is an index. */
export const indexed = (text: string) => text.split(/_(.)/);
