/* The words of the game: change the prediction by removing as few patches as possible. */

import { largest, median } from '../lib/numbers';
import type { Flips } from '../lib/routes';
import { counted, percent } from '../lib/words';

const patches = (count: number) => counted(count, 'patch', 'patches');

/** Whether the predicted class is another one without the removed patches. */
export const flipped = (before: readonly number[], without: readonly number[] | null) =>
  without !== null && largest(without) !== largest(before);

/** What the reader's removed patches do. */
export function tryLine(
  { classes, probabilities }: { classes: readonly string[]; probabilities: readonly number[] },
  count: number,
  without: readonly number[] | null,
): string {
  if (!count) return 'Click patches to remove them. How few change the prediction?';
  if (!without) return `${patches(count)} removed.`;
  const [before, now] = [largest(probabilities), largest(without)];
  if (before !== now) return `Changed with ${patches(count)}: ${classes[before]} becomes ${classes[now]}.`;
  return `${patches(count)} removed: still ${classes[now]}, ${percent(without[now], 1)}.`;
}

/** The best known set, random orders, and how the reader compares.
    @param own the fewest patches with which the reader changed the prediction, 0 for none */
export function flipLines({ best, random }: Flips, own: number): string[] {
  if (!best) return ['No order changes the prediction as long as a patch is left.'];
  const changed = random.filter((count) => count !== null);
  const middle = changed.length ? median(changed) : Number.POSITIVE_INFINITY;
  const chance = changed.length
    ? `${changed.length} of ${random.length} random orders change it, with ${middle} patches (median).`
    : `None of ${random.length} random orders changes it.`;
  return [`Best known: ${patches(best.length)}. A smaller set may exist.`, chance, verdict(own, best.length, middle)];
}

function verdict(own: number, best: number, random: number) {
  if (!own) return 'You have not changed it yet.';
  if (own < best) return `You needed ${patches(own)}: better than the best known set!`;
  if (own === best) return 'You needed as few as the best known set.';
  return `You needed ${patches(own)}, ${own - best} more${own < random ? '' : ': no better than random'}.`;
}
