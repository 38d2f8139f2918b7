/* Two sides and what they differ in: one scale, differences, and rank correlation; as `Comparison` in
   vitviz/attribution/comparison.py. Maps of different quantities are relative to their own maxima. */

import { uniqueNames } from '../explore/predictions';
import type { Grid } from '../lib/grid';
import { isFlat, largest, type Scale, type SignedScale } from '../lib/numbers';
import { alignedColors, colorsOf } from '../lib/patchColors';
import { unitOf } from '../lib/ticks';
import { counted, patchName, percent, written } from '../lib/words';
import { sameGrid } from './kinds';

type Unit = 'weights' | 'logits' | 'relative' | 'cosine' | 'colors';

export interface Side extends Grid {
  aspect: number; // width / height of the image
  title: string; // what the map shows
  quantity: string; // what the values measure; maps of the same quantity share a scale
  unit: Unit;
  values: Float32Array; // (N), none for features
  scores: Float32Array | null; // of features, (N, 3)
  kept: boolean[]; // whether each patch has a value
  tokens: number; // of the model
  layers: number;
  whyEmpty: string; // why a head has no map: "ablated" or "absent"
  labels: readonly string[];
  probabilities: readonly number[] | null; // null for a model that predicts no class
  /** What distinguishes the sides, in this order. */
  names: { model: string; image: string; snapshot: string; changes: string };
}

export const ATTENTION_WEIGHT = 'attention weight';

/** A scale and the quantity that its color bar names. */
export type NamedScale = Scale & { unit: string };

/** A side on the common scale; null for patches without a value. */
export interface ComparedMap extends Grid {
  name: string; // what distinguishes the side
  title: string;
  values: (number | null)[];
  colors: Uint32Array | null; // of features, which have no values
  aspect: number;
}

/** A class of both sides: its probabilities, and their difference in percentage points as printed. */
export interface ComparedClass {
  name: string;
  a: number;
  b: number;
  points: number;
}

export interface Compared {
  a: ComparedMap;
  b: ComparedMap;
  scale: NamedScale;
  hasSameQuantity: boolean;
  difference: (number | null)[] | null; // B minus A; null if the grids differ, or no patch has a value in both
  differenceScale: SignedScale & { unit: string };
  differenceUnit: string;
  mostChanged: number | null; // the patch of the largest difference
  correlation: number | null; // Spearman's, of the maps
  classes: ComparedClass[]; // the most probable first
  totalVariation: number | null; // of the probabilities; null if the labels differ
  headline: string;
  correlationSentence: string;
  predictionSentence: string;
  notes: string[]; // what is compared and what is not
}

const MIN_RANKED = 3; // patches; fewer have no meaningful rank correlation
const ALIGNED =
  'Red, green and blue are principal components; those of B are rotated onto those of A, so that colors agree.';

export function compareSides(a: Side, b: Side): Compared {
  const names = namesOf(a, b);
  const hasSameQuantity = a.quantity === b.quantity;
  const scale = scaleOf(a, b);
  const [first, second] = mapsOn(scale, a, b);
  const kept = sameGrid(a, b) ? a.kept.map((one, patch) => one && b.kept[patch]) : [];
  const hasDifference = kept.includes(true);
  const factor = scale.kind === 'linear' && scale.isWeight ? 100 : 1;
  const difference = hasDifference
    ? kept.map((one, patch) => (one ? factor * ((second[patch] ?? 0) - (first[patch] ?? 0)) : null))
    : null;
  const sizes = difference?.map((value) => Math.abs(value ?? 0)) ?? [];
  const limit = Math.max(0, ...sizes);
  const mostChanged = limit ? largest(sizes) : null;
  const differenceUnit = differenceUnitOf(a, scale, hasSameQuantity);
  const correlation = correlationOf(a, b, kept);
  const classes = classesOf(a, b);
  const isSameLabels = sameLabels(a, b);
  const mapOf = (side: Side, name: string, values: (number | null)[], colors: Uint32Array | null): ComparedMap => {
    const { rows, columns, aspect, title } = side;
    return { rows, columns, aspect, title, name, values, colors };
  };
  const colors = colorsOfBoth(a, b);
  return {
    a: mapOf(a, names[0], first, colors[0]),
    b: mapOf(b, names[1], second, colors[1]),
    scale,
    hasSameQuantity,
    difference,
    differenceScale: { kind: 'signed', limit: limit || 1, isWeight: false, unit: `B − A, ${differenceUnit}` },
    differenceUnit,
    mostChanged,
    correlation,
    classes,
    totalVariation:
      isSameLabels && classes.length ? classes.reduce((sum, one) => sum + Math.abs(one.b - one.a), 0) / 2 : null,
    headline: headlineOf(a, b, names, hasDifference, mostChanged, correlation),
    correlationSentence: correlationSentenceOf(a, b, kept, correlation),
    predictionSentence: predictionSentenceOf(a, b),
    notes: notesOf(a, b, scale, hasSameQuantity, classes.length),
  };
}

/** What distinguishes the sides: model, image, snapshot, ablation and title, where they differ. */
function namesOf(a: Side, b: Side): [string, string] {
  const named = ({ names, title }: Side): [string, string][] => [
    [names.model, 'a model'],
    [names.image, 'an image'],
    [names.snapshot, 'the final model'],
    [names.changes, 'unchanged'],
    [title, ''],
  ];
  const [first, second] = [named(a), named(b)];
  const differing = first.flatMap(([name, otherwise], k) =>
    name === second[k][0] ? [] : [[name || otherwise, second[k][0] || otherwise]],
  );
  if (!differing.length) return ['A', 'B'];
  return [0, 1].map((side) => differing.map((pair) => pair[side]).join(', ')) as [string, string];
}

// Maps

const magnitudeOf = ({ values, kept }: Side) =>
  values.reduce((most, value, patch) => (kept[patch] ? Math.max(most, Math.abs(value)) : most), 0);
const largestOf = (a: Side, b: Side) => Math.max(magnitudeOf(a), magnitudeOf(b)) || 1;

/** The scale of both maps. */
function scaleOf(a: Side, b: Side): NamedScale {
  const limit = largestOf(a, b);
  if (a.quantity !== b.quantity) {
    const unit = 'each map relative to its own largest magnitude';
    const isSigned = [a, b].some((side) => side.unit === 'logits' || side.unit === 'cosine');
    return { kind: isSigned ? 'signed' : 'linear', limit: 1, isWeight: false, unit };
  }
  const named = (scale: Scale): NamedScale => ({ ...scale, unit: unitOf(scale) });
  if (a.unit === 'logits') return named({ kind: 'signed', limit, isWeight: false });
  if (a.quantity === 'text_similarity')
    return named({ kind: 'signed', limit: limit > 1 ? 2 : 1, isWeight: false, isCosine: true });
  if (a.unit === 'cosine') return { kind: 'signed', limit: 1, isWeight: false, unit: 'cosine similarity of tokens' };
  if (a.unit !== 'weights')
    return { kind: 'linear', limit: 1, isWeight: false, unit: 'relative to the maximum of both maps' };
  if (a.tokens !== b.tokens) return named({ kind: 'uniform', uniform: 1, isWeight: true });
  return { kind: 'linear', limit, isWeight: true, unit: 'attention weight, one scale for both maps' };
}

/** Both maps on the scale. */
function mapsOn(scale: NamedScale, a: Side, b: Side): [(number | null)[], (number | null)[]] {
  const largest = largestOf(a, b);
  const on = (side: Side) => {
    const { values, kept } = side;
    const factor =
      a.quantity !== b.quantity
        ? 1 / (magnitudeOf(side) || 1)
        : a.unit === 'relative'
          ? 1 / largest
          : scale.kind === 'uniform'
            ? side.tokens
            : 1;
    return Array.from(values, (value, patch) => (kept[patch] ? factor * value : null));
  };
  return [on(a), on(b)];
}

const colorsOfBoth = (a: Side, b: Side): [Uint32Array | null, Uint32Array | null] =>
  a.scores && b.scores
    ? [colorsOf(a.scores), alignedColors({ scores: b.scores, grid: b }, { scores: a.scores, grid: a })]
    : [null, null];

function differenceUnitOf({ unit }: Side, scale: NamedScale, hasSameQuantity: boolean): string {
  if (!hasSameQuantity) return 'of maps relative to their own largest magnitude';
  if (scale.kind === 'uniform') return 'multiples of uniform attention';
  if (unit === 'weights') return 'percentage points';
  if (unit === 'logits') return 'logits';
  return unit === 'cosine' ? 'cosine similarity' : 'relative to the maximum of both maps';
}

/** Spearman's correlation over the patches with a value in both; null if a map ranks none, or too few are left. */
function correlationOf(a: Side, b: Side, kept: readonly boolean[]): number | null {
  const [first, second] = [a, b].map(({ values }) => values.filter((_, patch) => kept[patch]));
  if (first.length < MIN_RANKED || isFlat(first) || isFlat(second)) return null;
  return correlate(ranksOf(first), ranksOf(second));
}

/** Ranks from 0, with mean ranks for ties. */
export function ranksOf(values: Float32Array): number[] {
  const sorted = values.toSorted();
  return Array.from(values, (value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

function correlate(one: number[], other: number[]): number {
  const mean = (one.length - 1) / 2;
  const product = (x: number[], y: number[]) => x.reduce((sum, value, i) => sum + (value - mean) * (y[i] - mean), 0);
  return product(one, other) / Math.sqrt(product(one, one) * product(other, other));
}

// Predictions

const sameLabels = (a: Side, b: Side) => a.labels.join('\n') === b.labels.join('\n');

/** The classes of both sides by name. */
function classesOf(a: Side, b: Side): ComparedClass[] {
  const [first, second] = [a.probabilities, b.probabilities];
  if (!first || !second) return [];
  const isOnce = (label: string, { labels }: Side) => labels.indexOf(label) === labels.lastIndexOf(label);
  const shared = (label: string) => b.labels.includes(label) && isOnce(label, a) && isOnce(label, b);
  const isSame = sameLabels(a, b);
  const found = uniqueNames(a.labels).flatMap((name, i): ComparedClass[] => {
    if (!isSame && !shared(a.labels[i])) return [];
    const [p, q] = [first[i], second[isSame ? i : b.labels.indexOf(a.labels[i])]];
    return [{ name, a: p, b: q, points: (Math.floor(1000 * q + 0.5) - Math.floor(1000 * p + 0.5)) / 10 }];
  });
  return found.sort((one, other) => Math.max(other.a, other.b) - Math.max(one.a, one.b));
}

// Sentences

function headlineOf(
  a: Side,
  b: Side,
  [first, second]: [string, string],
  hasDifference: boolean,
  mostChanged: number | null,
  correlation: number | null,
): string {
  const name = `${a.title === b.title ? `${a.title}, ` : ''}${first} against ${second}`;
  if (!hasDifference) return `${name}: side by side`;
  if (mostChanged === null) return `${name}: the maps are equal`;
  const ranked = correlation === null ? '' : `rank correlation ${written(correlation, 2)}; `;
  return `${name}: ${ranked}largest difference at ${patchName(mostChanged, a)}`;
}

function correlationSentenceOf(a: Side, b: Side, kept: readonly boolean[], correlation: number | null): string {
  const count = kept.filter(Boolean).length;
  if (correlation !== null)
    return (
      `Rank correlation ${written(correlation, 2)} (Spearman, ${count} patches): 1 for the same order of the patches, ` +
      '0 for unrelated orders, −1 for the reverse.'
    );
  if (a.scores) return 'No difference and no rank correlation: colors have no order.';
  if (!sameGrid(a, b)) return 'No difference and no rank correlation: the grids differ.';
  if (!count) return 'No difference and no rank correlation: a head without output has no map.';
  if (count < MIN_RANKED) return `No rank correlation: it needs at least ${MIN_RANKED} patches.`;
  return 'No rank correlation: a map that has the same value for all patches ranks none.';
}

/** What both sides predict. */
function predictionSentenceOf(a: Side, b: Side): string {
  if (!a.probabilities || !b.probabilities) return 'Predictions are not compared.';
  const [k, l] = [largest(a.probabilities), largest(b.probabilities)];
  const [one, other] = [uniqueNames(a.labels)[k], uniqueNames(b.labels)[l]];
  const [p, q] = [percent(a.probabilities[k], 1), percent(b.probabilities[l], 1)];
  if (one === other) return `Both predict ${one}: A ${p}, B ${q}.`;
  return `A predicts ${one}, ${p}; B predicts ${other}, ${q}.`;
}

function notesOf(a: Side, b: Side, scale: NamedScale, hasSameQuantity: boolean, shared: number): string[] {
  const notes: string[] = [];
  if (a.scores) notes.push(ALIGNED);
  else if (!sameGrid(a, b)) {
    const sizes = [a, b].map(({ rows, columns }) => `${rows} × ${columns}`).join(' and ');
    notes.push(`The grids differ, ${sizes} patches: the maps are side by side, without difference and correlation.`);
  }
  if (a.layers !== b.layers && [a, b].some(({ quantity }) => quantity === ATTENTION_WEIGHT)) {
    const [first, second] = [a, b].map(({ title }) => title.charAt(0).toLowerCase() + title.slice(1));
    notes.push(`The models have ${a.layers} and ${b.layers} layers: ${first} of A, ${second} of B.`);
  }
  if (!hasSameQuantity) {
    notes.push(`${a.title} and ${b.title} measure different quantities: each map is relative to its own maximum.`);
  } else if (scale.kind === 'uniform') {
    notes.push(`The models have ${a.tokens} and ${b.tokens} tokens: weights are given relative to uniform.`);
  }
  for (const [letter, { title, whyEmpty }] of Object.entries({ A: a, B: b })) {
    if (whyEmpty) notes.push(`${title} is ${whyEmpty} in ${letter}: it has no map there.`);
  }
  const without = [a, b].find(({ probabilities }) => !probabilities);
  if (without) notes.push(`${without.names.model} predicts no class: predictions are not compared.`);
  else if (!shared) notes.push('The models have no class in common: predictions are not compared.');
  else if (!sameLabels(a, b)) {
    const [restA, restB] = [a, b].map(({ labels }) => labels.length - shared);
    const classes = counted(shared, 'class', 'classes');
    notes.push(`The models share ${classes}, which are compared; ${restA} of A and ${restB} of B are not.`);
  }
  return notes;
}
