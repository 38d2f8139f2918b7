/* What the page says about a fit. Pure functions. */

import { floatsOf } from '../lib/base64';
import { largest, type Shape, sumOf, tokenCount } from '../lib/numbers';
import type { Contributions, CrossValidation } from '../lib/routes';
import { counted, percent, SPACE } from '../lib/words';
import { type Classes, countOf, type Example, filled, sizeText, type TaughtClass } from './classes.svelte';

export const MAX_BARS = 5;

/** A row of the predictions: a class, or all the others together. */
export interface Bar {
  name: string;
  index: number; // -1 for the others
  probability: number;
  heldOut: number | null;
}

/** Up to five classes in their order; of more the four most probable ones, and the others together. */
export function barsOf(names: readonly string[], now: readonly number[], heldOut: readonly number[] | null): Bar[] {
  const bar = (index: number) => ({
    name: names[index],
    index,
    probability: now[index],
    heldOut: heldOut?.[index] ?? null,
  });
  if (names.length <= MAX_BARS) return names.map((_, k) => bar(k));
  const order = [...names.keys()].sort((a, b) => now[b] - now[a]);
  const [listed, others] = [order.slice(0, MAX_BARS - 1), order.slice(MAX_BARS - 1)];
  const sum = (values: readonly number[]) => others.reduce((total, k) => total + values[k], 0);
  return [
    ...listed.map(bar),
    {
      name: `${others.length} other classes together`,
      index: -1,
      probability: sum(now),
      heldOut: heldOut && sum(heldOut),
    },
  ];
}

/** A training image with its class, and the prediction for it while it was held out, if it was. */
export interface Tested {
  example: Example;
  label: number;
  probabilities: number[] | null;
  predicted: number; // -1 if it was not held out
}

/** The training images in the order of the request. */
export function testedOf(classes: Classes, validation: CrossValidation | null): Tested[] {
  const values = validation ? floatsOf(validation.probabilities) : null;
  let first = 0;
  return classes.flatMap(({ examples }, label) =>
    examples.map((example) => {
      const row = values ? [...values.subarray(first, first + classes.length)] : null;
      first += classes.length;
      const isTested = row !== null && !Number.isNaN(row[0]);
      return { example, label, probabilities: isTested ? row : null, predicted: isTested ? largest(row) : -1 };
    }),
  );
}

/** Number of held-out images by class and prediction. */
export function confusionOf(tested: readonly Tested[], classes: number): number[][] {
  const counts = Array.from({ length: classes }, () => Array<number>(classes).fill(0));
  for (const { label, predicted } of tested) if (predicted >= 0) counts[label][predicted]++;
  return counts;
}

/** "53 to 89 %" */
export const intervalText = ([low, high]: readonly [number, number]) =>
  `${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)}${SPACE}%`;

/** What the count means: what was held out, and what could not be. */
export function validationNote(validation: CrossValidation, classes: Classes): string {
  const { total, untestable, is_optimistic: isOptimistic } = validation;
  if (isOptimistic) {
    return 'Optimistic: each class is one recording or one picture, so nearly the same images were in the training. Add a second recording of each class, from another place.';
  }
  const names = untestable.slice(0, 3).map((k) => `“${classes[k].name}”`);
  const more = untestable.length > 3 ? ` and ${untestable.length - 3} more` : '';
  const left = names.length
    ? ` Not tested: ${names.join(', ')}${more}, with one source each. Add images from elsewhere.`
    : '';
  return `Each of ${counted(total, 'image', 'images')} was predicted without it and all images of its recording or that look nearly the same.${left}`;
}

/** The first line of the page. */
export function headlineOf(classes: Classes, validation: CrossValidation | null): string {
  if (!countOf(classes)) return 'Teach your own classes';
  const taught = filled(classes);
  if (taught.length < 2)
    return `“${taught[0].name}” has ${counted(countOf(classes), 'image', 'images')}. Add images to a second class`;
  if (!validation) return sizeText(classes);
  return `${sizeText(classes)}: ${validation.correct} of ${validation.total} right when held out`;
}

/** "person, 52.8 %" */
export const predictionText = (names: readonly string[], probabilities: readonly number[]) => {
  const best = largest(probabilities);
  return `${names[best]}, ${percent(probabilities[best], 1)}`;
};

/** The parts of a logit, which add up to it, and the part of each patch. */
export interface Evidence {
  patches: number[];
  parts: { name: string; value: number }[];
  logit: number;
}

export function evidenceOf(reply: Contributions, shape: Shape): Evidence {
  const [heads, tokens] = [floatsOf(reply.heads), tokenCount(shape)];
  const byToken = Array.from({ length: tokens }, (_, t) => {
    let sum = 0;
    for (let k = t; k < heads.length; k += tokens) sum += heads[k];
    return sum;
  });
  const patches = byToken.slice(shape.prefix);
  const total = (values: number[]) => sumOf(values, 0, values.length);
  return {
    patches,
    parts: [
      { name: 'Patches, through attention', value: total(patches) },
      {
        name: 'Class token, through attention',
        value: total(byToken.slice(0, shape.prefix)) + total(reply.attention_bias),
      },
      { name: 'MLPs', value: total(reply.mlp) },
      { name: 'Embedding, and biases of norm and head', value: reply.embedding + reply.bias },
    ],
    logit: reply.logit,
  };
}

/** The mean over the heads of the last layer, (N), of the attention of the class token. */
export function lastAttention(rows: Float32Array, shape: Shape): number[] {
  const [tokens, { heads, layers, prefix }] = [tokenCount(shape), shape];
  const first = (layers - 1) * heads * tokens;
  return Array.from({ length: tokens - prefix }, (_, patch) => {
    let sum = 0;
    for (let head = 0; head < heads; head++) sum += rows[first + head * tokens + prefix + patch];
    return sum / heads;
  });
}

/** The class that a number key names, or undefined. */
export const classOfKey = (classes: Classes, key: string): TaughtClass | undefined =>
  /^[1-9]$/.test(key) ? classes[Number(key) - 1] : undefined;
