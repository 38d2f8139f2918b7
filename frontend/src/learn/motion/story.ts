/* The numbers of the motion: those of the replies, and what is sorted and summed of them. */

import { floatsOf } from '../../lib/base64';
import { type LinearScale, largest, roundLimit, type SignedScale, smallest } from '../../lib/numbers';
import { percent, tokenName } from '../../lib/words';
import type { Motion, Pass } from '../learnPage.svelte';
import type { Moment } from './timeline';

const BARS = 65; // weights that are drawn one by one, the largest
const CLASSES = 10;

export type Story = ReturnType<typeof storyOf>;

export function storyOf(pass: Pass, motion: Motion) {
  const { explanation, lesson } = pass;
  const { shape, reply } = explanation;
  const { head, patch, followed } = motion;
  const { weights, values, scores, size } = head;
  const order = [...weights.keys()].sort((a, b) => weights[b] - weights[a]);
  const sums = [0]; // of the largest weights
  const mixed = [new Float32Array(size)]; // of their values
  for (const token of order) {
    sums.push(sums[sums.length - 1] + weights[token]);
    mixed.push(mixed[mixed.length - 1].map((sum, i) => sum + weights[token] * values[token * size + i]));
  }
  const tokens = floatsOf(lesson.tokens);
  const numbers = patch.products.length; // of a token that are drawn
  const followedToken = shape.prefix + followed;
  const row = nearest(lesson.rows, followedToken, shape.prefix); // of the patch that is followed, which joins the others
  const tokenAt = (layer: number, at: number) => {
    const first = (layer * lesson.rows.length + at) * numbers;
    return at === row
      ? patch.tokens.subarray(layer * numbers, (layer + 1) * numbers)
      : tokens.subarray(first, first + numbers);
  };
  const rows = lesson.rows.with(row, followedToken);
  const count = weights.length;
  return {
    pass,
    block: head,
    layer: head.layer,
    head: head.head,
    patch,
    followed,
    rows, // tokens that are drawn
    shape,
    model: lesson.model,
    order,
    inputName: `${tokenName(head.token, shape)} ${head.layer ? `after layer ${head.layer}` : 'before layer 1'}`,
    weightCount: count, // of all tokens
    readsClassToken: lesson.patch_predictions !== null, // the classifier head, and no other token
    sums,
    mixed,
    bars: order.slice(0, BARS),
    rank: Int32Array.from(order.keys()).map((_, token) => order.indexOf(token)),
    numbers,
    tokenAt,
    row,
    rest: patch.rest === null ? null : tokenAt(0, row).map((value, i) => value - patch.products[i]),
    inputs: byPixel(patch.pixels),
    filter: byPixel(patch.weights),
    /** The row of a head: of the query in the layer that is magnified, elsewhere of the default query. */
    rowOf: (layer: number, k: number) => {
      const [from, first] =
        layer === head.layer ? [head.head_weights, k] : [explanation.defaultRows, layer * shape.heads + k];
      return from.subarray(first * count, (first + 1) * count);
    },
    classes: [...reply.probabilities.keys()]
      .sort((a, b) => reply.probabilities[b] - reply.probabilities[a])
      .slice(0, CLASSES),
    scales: {
      numbers: stretched(tokens),
      scores: { kind: 'signed' as const, limit: roundLimit(Math.max(...scores.map(Math.abs))) } satisfies SignedScale,
      weights: {
        kind: 'linear' as const,
        limit: weights[largest(weights, shape.prefix)],
        isWeight: true,
        clips: true,
      } satisfies LinearScale,
    },
  };
}

/** Keys whose score is known: slowly at first. */
export const scannedAt = ({ weightCount }: Story, m: Moment) =>
  m.after('weights') >= 0 ? weightCount : Math.floor(weightCount * m.lin('scores', 0.3, 4.4) ** 2.1);

/** The key that is compared, and afterwards that of the patch. */
export function keyAt(story: Story, m: Moment) {
  const known = scannedAt(story, m);
  return known < story.weightCount ? known : story.shape.prefix + story.followed;
}

/** Values that have arrived in their sum: slowly at first. */
export const arrivedAt = ({ weightCount }: Story, m: Moment) =>
  Math.floor(weightCount * m.lin('values', ...ARRIVING) ** SLOW + 1e-9);

/** When the value of the n-th largest weight arrives, in seconds of its beat. */
export const arrivalOf = ({ weightCount }: Story, n: number) =>
  ARRIVING[0] + (ARRIVING[1] - ARRIVING[0]) * ((n + 1) / weightCount) ** (1 / SLOW);
const [ARRIVING, SLOW] = [[1.8, 4.4] as const, 2.6];

/** Layers that have run. */
export const playheadAt = ({ shape }: Story, m: Moment) => shape.layers * m.lin('layers', 1.2, 4.5);

/** The place of a patch among some tokens, or of the one nearest to it. */
const nearest = (rows: readonly number[], token: number, first: number) =>
  first + smallest(rows.slice(first).map((row) => Math.abs(row - token)));

/** Channels (3, h, w) as red, green and blue of each pixel. */
const byPixel = (channels: Float32Array) =>
  channels.map((_, i) => channels[(i % 3) * (channels.length / 3) + Math.floor(i / 3)]);

/** The scale of all lists of numbers, stretched near 0. */
function stretched(values: Float32Array) {
  const sizes = values.map(Math.abs).sort();
  const [knee, limit] = [0.5, 0.999].map((part) => sizes[Math.floor(part * (sizes.length - 1))]);
  const round = Math.max(roundLimit(limit), 1e-6);
  const bend = (x: number) => Math.asinh(x / Math.max(knee, 1e-6));
  return { limit: round, place: (x: number) => 0.5 + (0.5 * bend(Math.min(round, Math.max(-round, x)))) / bend(round) };
}

/** "dog 72 %, horse 5 %": the most probable classes */
export const readings = (probabilities: readonly number[], classes: readonly string[], count: number) =>
  [...probabilities.keys()]
    .sort((a, b) => probabilities[b] - probabilities[a])
    .slice(0, count)
    .map((k) => `${classes[k]} ${percent(probabilities[k], probabilities[k] < 0.1 ? 1 : 0)}`)
    .join(', ');

export const lengthOf = (...vectors: Float32Array[]) =>
  Math.sqrt(vectors[0].reduce((sum, _, i) => sum + vectors.reduce((all, one) => all + one[i], 0) ** 2, 0));
