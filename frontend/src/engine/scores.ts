/* Faithfulness of maps, as `method_scores` in vitviz/attribution/serialize.py and `score` in faithfulness.py: areas under
   curves of the class's probability while patches are painted in the mean color. */

import { isFlat, meanOf } from '../lib/numbers';
import type { Scores } from '../lib/routes';
import { roundEven } from './resample';

const STEPS = 16;
export const RANDOM_ORDERS = 10; // each also in reverse

/** The number of removed patches at each step. */
export function deletionSteps(patches: number): number[] {
  const steps = STEPS - (patches % 2);
  const at = (step: number) => roundEven((step * patches) / steps);
  const first = Array.from({ length: Math.floor(steps / 2) + 1 }, (_, step) => at(step));
  const last = first.slice(0, steps - Math.floor(steps / 2)).map((removed) => patches - removed);
  return [...first, ...last.reverse()];
}

export interface Rankings {
  keys: string[]; // methods whose maps are not flat
  rankings: number[][]; // their rankings, the random orders, and the reverses of all
}

/** @param orders the order of ties, and the random orders */
export function rankingsOf(maps: Record<string, number[]>, [ties, ...random]: number[][]): Rankings {
  const keys = Object.keys(maps).filter((key) => !isFlat(maps[key]));
  const rankings = keys.map((key) => ties.toSorted((i, j) => maps[key][j] - maps[key][i]));
  const all = [...rankings, ...random];
  return { keys, rankings: [...all, ...all.map((ranking) => ranking.toReversed())] };
}

/** The patches that are removed in each forward pass: of all rankings and steps, then none and all. */
export function masksOf({ rankings }: Rankings, patches: number): number[][] {
  const steps = deletionSteps(patches).slice(1, -1);
  const between = rankings.flatMap((ranking) => steps.map((count) => ranking.slice(0, count)));
  return [...between, [], [...Array(patches).keys()]];
}

/** @param maps all methods
    @param probabilities of the class with each of the masks */
export function scoresOf(keys: string[], maps: string[], probabilities: number[]): Scores {
  const [whole, empty] = probabilities.slice(-2);
  const between = probabilities.slice(0, -2);
  const count = 2 * (keys.length + RANDOM_ORDERS);
  const steps = between.length / count;
  const drops = Array.from({ length: count }, (_, i) => {
    const curve = between.slice(i * steps, (i + 1) * steps);
    const area = (curve.reduce((sum, value) => sum + value, 0) + (whole + empty) / 2) / (steps + 1);
    return whole ? 1 - area / whole : 0;
  });
  const half = count / 2;
  const random = [...drops.slice(keys.length, half), ...drops.slice(half + keys.length)];
  const mean = meanOf(random);
  const deviation = Math.sqrt(meanOf(random.map((value) => (value - mean) ** 2)));
  const scores = Object.fromEntries(maps.map((key) => [key, keys.includes(key) ? drops[keys.indexOf(key)] : null]));
  return { scores, random_baseline: [mean, deviation] };
}
