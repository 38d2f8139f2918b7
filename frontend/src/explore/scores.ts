/* Deletion scores at the attribution methods. */

import type { ScoresReply } from '../lib/api';
import { scoreText } from '../lib/words';

/** The score of a method; a flat map has none. */
export function scoreLabel(faithfulness: ScoresReply | null, key: string): string {
  if (!faithfulness) return '…';
  const score = faithfulness.scores[key];
  return score == null ? '–' : scoreText(score);
}

/** The score of a random order. Two minus signs leave no room for the word; the note above names it. */
export function baselineLabel(faithfulness: ScoresReply | null): string {
  if (!faithfulness) return '';
  const [mean] = faithfulness.random_baseline;
  return `${mean < 0 ? '' : 'random '}${scoreText(mean)}`;
}

/** A score's place on its track, as a style. */
export const placeOf = (score: number) => `${100 * Math.min(1, Math.max(0, score))}%`;
