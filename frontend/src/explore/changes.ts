/* What can be changed below the prediction: the effect of an ablation, and the words that are the classes. */

import { largest } from '../lib/numbers';
import { percent } from '../lib/words';

/** The change of a probability in percentage points, between the numbers as printed, so that the difference adds up. */
export function pointsBetween(old: number, now: number): number {
  const rounded = (probability: number) => Math.round(1000 * probability) / 10;
  return rounded(now) - rounded(old);
}

/** "for cat, from 97.3 %. The model now predicts dog, 61.0 %." */
export function effectSentence(k: number, classes: readonly string[], old: readonly number[], now: readonly number[]) {
  const winner = largest(now);
  const change =
    winner === largest(old) ? '' : `. The model now predicts ${classes[winner]}, ${percent(now[winner], 1)}.`;
  return `for ${classes[k]}, from ${percent(old[k], 1)}${change}`;
}

/** The phrases of a text, which commas or lines separate. */
export const phrasesOf = (text: string) =>
  [...new Set(text.split(/[,\n]/).map((phrase) => phrase.trim()))].filter(Boolean);
