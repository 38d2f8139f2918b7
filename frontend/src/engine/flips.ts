/* The fewest removed patches that are found to change the predicted class, as `flips` in vitviz/attribution/lesson.py. */

import { largest } from '../lib/numbers';
import type { Flips } from '../lib/routes';

const FLIP_STEP = 8; // beginnings of an order that are tried at once

/** Computes probabilities without sets of patches. */
type Without = (sets: number[][]) => Promise<Float32Array[]>;

/** @param rankings orders of the patches to try
    @param random random orders */
export async function findFlips(
  without: Without,
  predicted: number,
  patches: number,
  rankings: number[][],
  random: number[][],
): Promise<Flips> {
  const margins = async (sets: number[][]) =>
    (await without(sets)).map((probabilities) => {
      const logs = probabilities.map((value) => Math.log(value + 1e-30));
      const own = logs[predicted];
      logs[predicted] = -Infinity;
      return own - Math.max(...logs);
    });

  /** The shortest beginning of an order whose removal changes the class. */
  async function firstFlip(order: number[]): Promise<number[] | null> {
    for (let start = 1; start < order.length; start += FLIP_STEP) {
      const count = Math.min(FLIP_STEP, order.length - start);
      const sets = Array.from({ length: count }, (_, k) => order.slice(0, start + k));
      const changed = (await margins(sets)).findIndex((margin) => margin < 0);
      if (changed >= 0) return sets[changed];
    }
    return null;
  }

  /** Remove the patch that lowers the margin most, again and again. */
  async function greedyFlip(): Promise<number[] | null> {
    const removed: number[] = [];
    for (;;) {
      const left = [...Array(patches).keys()].filter((patch) => !removed.includes(patch));
      if (left.length < 2) return null;
      const found = await margins(left.map((patch) => [...removed, patch]));
      const best = largest(found.map((margin) => -margin));
      removed.push(left[best]);
      if (found[best] < 0) return removed;
    }
  }

  /** Put back patches, those that matter least first, as long as the prediction stays changed. */
  async function putBack(all: number[]): Promise<number[]> {
    let removed = all;
    while (removed.length > 1) {
      const fewer = removed.map((back) => removed.filter((patch) => patch !== back));
      const found = await margins(fewer);
      const best = largest(found.map((margin) => -margin));
      if (found[best] >= 0) break;
      removed = fewer[best];
    }
    return removed;
  }

  const tried = [await greedyFlip()];
  for (const ranking of rankings) tried.push(await firstFlip(ranking));
  const changing = tried.filter((one) => one !== null);
  const best = changing.reduce<number[] | null>(
    (least, one) => (!least || one.length < least.length ? one : least),
    null,
  );
  const counts: (number | null)[] = [];
  for (const order of random) counts.push((await firstFlip(order))?.length ?? null);
  return { best: best && (await putBack(best)), random: counts };
}
