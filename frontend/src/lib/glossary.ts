/* What the words of the field mean: for the help where they appear, and for the lesson. */

import entries from '../text/glossary.json';
import type { Term } from './terms';

/** In symbols and formulas "_" starts an index of one character; words of the lesson have them and a step. */
export interface Entry {
  term: string;
  meaning: string;
  symbol?: string;
  formula?: string;
  step?: string;
}

export const GLOSSARY: readonly Entry[] = entries;

export const meaningOf = (term: Term) => GLOSSARY.find((entry) => entry.term.toLowerCase() === term)?.meaning ?? '';

/** "x_0" -> ["x", "0"]: every second part is an index. */
export const indexed = (text: string) => text.split(/_(.)/);
