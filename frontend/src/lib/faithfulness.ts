/* Words about the deletion scores of attribution maps. */

import type { Scale, Shape } from './numbers';
import { isFlat } from './numbers';
import {
  capital,
  type Faithfulness,
  type Line,
  type Method,
  methodNumber,
  patchName,
  percent,
  SPACE,
  written,
} from './words';

/** The status line of a method: the patch under the pointer, or the faithfulness of the map. */
export function methodLine(
  method: Method,
  values: ArrayLike<number>,
  read: number,
  scale: Scale,
  faithfulness: Faithfulness | null,
  className: string,
  shape: Shape,
): Line {
  if (read >= 0) {
    const [number] = methodNumber(values[read], scale, shape);
    return [`${capital(patchName(read, shape))} has `, { strong: number }, ` ${UNITS[method.unit]}.`];
  }
  if (!className) return ['Deletion scores measure the probability of a class: this model has no classification head.'];
  if (isFlat(values)) return ['This map has the same value for all patches, so it has no ranking to score.'];
  if (!faithfulness) return ['Computing the deletion score…'];
  const drop = faithfulness.scores[method.key] ?? 0;
  const [random] = faithfulness.random_baseline;
  const size = Math.abs(drop) > 10 ? `over 1,000${SPACE}%` : percent(Math.abs(drop), 0); // relative to a very small probability
  const verb = (value: number) => (value < 0 ? 'raises' : 'lowers');
  const baseline = `${verb(random) === verb(drop) ? '' : `${verb(random)} it `}by ${percent(Math.abs(random), 0)}`;
  return [
    `Masking the highest-ranked patches first ${verb(drop)} the probability of ${className} by `,
    { strong: size },
    ` on average, a random order ${baseline}: ${FINDINGS[compareToRandom(drop, faithfulness, method.key)]}.${greedySentence(method.key, drop, faithfulness)}`,
  ];
}

/** " That is 74 % of the way from random to the greedy order." Empty without the score of the greedy order. */
export function greedySentence(key: string, score: number, { scores, random_baseline }: Faithfulness) {
  const { greedy } = scores;
  const [random] = random_baseline;
  if (key === 'greedy' || greedy == null || greedy <= random || score < random) return '';
  return ` That is ${percent((score - random) / (greedy - random), 0)} of the way from random to the greedy order.`;
}

export type Comparison = 'below' | 'near' | 'above' | 'one order';

/** A score against those of random orders; within two standard deviations it is no better or worse. The numbers are
    those that are printed, so that a reader comes to the same result. */
export function compareToRandom(score: number, { random_baseline }: Faithfulness, key: string): Comparison {
  if (key === 'random') return 'one order';
  const [value, mean, deviation] = [score, ...random_baseline].map((number) => Math.round(100 * number));
  if (Math.abs(value - mean) <= 2 * deviation) return 'near';
  return value < mean ? 'below' : 'above';
}

const FINDINGS: Record<Comparison, string> = {
  below: 'worse than random',
  near: 'no clear difference',
  above: 'better than random',
  'one order': 'a difference by chance',
};

export const COMPARISONS: Record<Comparison, string> = {
  below: 'below random',
  near: 'no better or worse than random',
  above: 'above random',
  'one order': 'one order',
};

/** Short forms of `COMPARISONS`. */
export const COMPARISON_SIGNS: Record<Comparison, string> = {
  below: '< random',
  near: '≈ random',
  above: '> random',
  'one order': 'one order',
};

/** "Rollout: deletion score 0.36, below random (0.64 ± 0.07)." */
export function scoreSentence({ key, name }: Pick<Method, 'key' | 'name'>, faithfulness: Faithfulness | null) {
  const score = faithfulness?.scores[key];
  if (!faithfulness || score === undefined) return `${name}: the deletion score is being computed.`;
  if (score === null) return `${name} has no deletion score: all patches have the same value.`;
  const [mean, deviation] = faithfulness.random_baseline;
  const words = COMPARISONS[compareToRandom(score, faithfulness, key)];
  return `${name}: deletion score ${scoreText(score)}, ${words} (${scoreText(mean)} ± ${deviation.toFixed(2)}).`;
}

const UNITS: Record<string, string> = {
  weights: 'of the attention',
  relative: 'of the maximum',
  logits: 'of the logit',
  cosine: 'cosine similarity',
};

/** A score; for a class of very small probability it may be far below zero. */
export const scoreText = (score: number) => (score <= -10 ? '< −10' : written(score, 2));

const RANDOM_ORDERS = 20; // `N_RANDOM` in Python

export function scoreNote(faithfulness: Faithfulness | null, className: string) {
  const definition = `Deletion score: mean drop of the probability of ${className} as the highest-ranked patches are masked`;
  if (!faithfulness) return `${definition}.`;
  const [mean, deviation] = faithfulness.random_baseline;
  return `${definition}. Mark: ${RANDOM_ORDERS} random orders, ${scoreText(mean)} ± ${deviation.toFixed(2)} (SD); ≈ is within 2 SD.`;
}
