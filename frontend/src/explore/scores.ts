/* Deletion scores at the attribution methods. */

import { type Comparison, compareToRandom, scoreText } from '../lib/faithfulness';
import type { Scores } from '../lib/routes';

/** The score of a method; a flat map has none. */
export function scoreLabel(faithfulness: Scores | null, key: string): string {
  if (!faithfulness) return '…';
  const score = faithfulness.scores[key];
  return score == null ? '–' : scoreText(score);
}

/** How the score of a method compares to random orders; null without a score. */
export function comparisonOf(faithfulness: Scores | null, key: string): Comparison | null {
  const score = faithfulness?.scores[key];
  return faithfulness && score != null ? compareToRandom(score, faithfulness, key) : null;
}

/** A score's place on its track, as a style. */
export const placeOf = (score: number) => `${100 * Math.min(1, Math.max(0, score))}%`;
