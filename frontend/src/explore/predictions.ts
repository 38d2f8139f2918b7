/* What the Prediction column shows. */

import { largest } from '../lib/numbers';
import { percent } from '../lib/words';

export const LISTED = 5; // rows of classes

/** The classes with a row: the four most likely for the unchanged image, whose order stays fixed under ablations, and the
    most likely of the others. */
export function listedClasses(old: readonly number[], now: readonly number[], count = LISTED): number[] {
  const order = old.map((_, k) => k).sort((a, b) => old[b] - old[a]);
  const others = order.splice(count - 1).sort((a, b) => now[b] - now[a]);
  return [...order, ...others.slice(0, 1)];
}

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
