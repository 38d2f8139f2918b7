/* Words: pure functions from numbers to sentences. Screen text counts from 1, the state from 0. */

import type { Grid } from './grid';
import type { Direction, Scale, Shape, SignedScale } from './numbers';
import { isFlat, largest, MEAN, POOL, patchCount, removedFrom, sumOf, uniformWeight, weightOfLargest } from './numbers';
import type { Ablation, Head, Layer } from './view';

/** Text with bold parts. */
export type Line = readonly (string | { strong: string })[];

export const textOf = (line: Line) => line.map((part) => (typeof part === 'string' ? part : part.strong)).join('');

/** A head's map: the row of its query, what was asked, and the patch under the pointer (-1: none). */
export interface HeadView {
  row: Float32Array;
  query: readonly number[];
  direction: Direction;
  layer: Layer;
  head: Head;
  read: number;
}

/** How position embeddings started, and what follows for the similarity of neighbors. */
export const POSITION_START = {
  'sine-cosine': 'They started from 2-D sines and cosines, so that neighbors were similar before training.',
  unstructured: 'They started without any rows and columns: what neighbors have in common was learned.',
  unknown: 'Whether they started from random values or from sines and cosines is not known.',
};

/** What sentences need of an attribution method. */
export interface Method {
  key: string;
  name: string;
  unit: string;
  forClass: boolean;
}

/** Deletion scores by method (null for a flat map); mean and standard deviation of random orders. */
export interface Faithfulness {
  scores: Readonly<Record<string, number | null>>;
  random_baseline: readonly number[];
}

export const SPACE = '\u00a0'; // keeps a number and its unit on one line

/** A number with a true minus sign, omitted if the number rounds to zero. */
export const written = (value: number, digits: number) =>
  value
    .toFixed(digits)
    .replace(/^-(?=.*[1-9])/, '−')
    .replace(/^-/, '');

export function percent(fraction: number, digits?: number) {
  if (digits === undefined && fraction > 0 && fraction < 0.00005) return `under 0.01${SPACE}%`;
  const places = digits ?? (fraction > 0 && fraction < 0.00995 ? 2 : 1);
  return `${written(100 * fraction, places)}${SPACE}%`;
}

export const timesUniform = (ratio: number) => `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(1)}${SPACE}×`;

export const signed = (number: number, digits = 2) => written(number, digits).replace(/^(?=[\d.]*[1-9])/, '+');

/** Keeps "640 × 480" on one line. */
export const keepSizes = (text: string) => text.replaceAll(' × ', `${SPACE}×${SPACE}`);

/** A layer or head on screen. */
export const numberName = (index: Layer) => (typeof index === 'number' ? String(index + 1) : index);

export const capital = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

export const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export function patchName(patch: number, shape: Grid) {
  return `row ${Math.floor(patch / shape.columns) + 1}, column ${(patch % shape.columns) + 1}`;
}

/** "the class token", "the distillation token", "register 2", "row 2, column 3" */
export function tokenName(token: number, shape: Shape) {
  if (token >= shape.prefix) return patchName(token - shape.prefix, shape);
  const named = [shape.class_token && 'the class token', shape.distilled && 'the distillation token'].filter(Boolean);
  return named[token] || `register ${token - named.length + 1}`;
}

/** The prefix tokens after the class token: "2 registers", or the distillation token before them. */
export function otherPrefixTokens({ prefix, class_token, distilled }: Shape) {
  const registers = prefix - Number(class_token) - Number(distilled ?? false);
  return [distilled && 'the distillation token', registers && counted(registers, 'register', 'registers')]
    .filter(Boolean)
    .join(' and ');
}

/** The tokens before the patches: "the class token and 4 registers" */
export const prefixName = (shape: Shape) =>
  [shape.class_token && 'the class token', otherPrefixTokens(shape)].filter(Boolean).join(' and ');

/** The title of a head's map, equal to that of a saved figure (`View.title` in Python). */
export function mapName(layer: Layer, head: Head) {
  const ofLayer = layer === POOL ? 'Attention pooling' : layer === MEAN ? 'Mean of layers' : `Layer ${layer + 1}`;
  return `${ofLayer}, ${head === MEAN ? 'mean of heads' : `head ${head + 1}`}`;
}

/** The query: the class token (without one, the mean over all patches), one patch, or several. */
export function queryName(patches: readonly number[], shape: Shape, several = '') {
  if (patches.length === 0) return shape.class_token ? 'the class token' : 'the mean of the patches';
  return patches.length === 1 ? patchName(patches[0], shape) : `${several}${patches.length} patches`;
}

export const FLAT_WEIGHTS = 2 / 65535; // differences of attention weights within their precision, 16 bits

/** Whether a head's map is the same for all patches, so that none is the largest. */
export function isUniformMap(view: Pick<HeadView, 'row'>, shape: Shape) {
  const removed = removedFrom(shape);
  let [least, most] = [Infinity, -Infinity];
  for (let j = shape.prefix; j < view.row.length; j++) {
    if (removed.length && removed.includes(j - shape.prefix)) continue;
    least = Math.min(least, view.row[j]);
    most = Math.max(most, view.row[j]);
  }
  return most - least <= FLAT_WEIGHTS;
}

/** "Layer 5, head 3: the class token attends most to row 4, column 7" */
export function headHeadline(view: HeadView, shape: Shape) {
  const query = view.layer === POOL ? 'the pooling query' : queryName(view.query, shape, 'these ');
  const from = view.query.length > 1 ? `on average, ${query} attend` : `${query} attends`;
  const name = mapName(view.layer, view.head);
  const isFrom = view.direction === 'from';
  if (isUniformMap(view, shape)) {
    return isFrom ? `${name}: ${from} equally to all patches` : `${name}: all patches attend equally to ${query}`;
  }
  const best = patchName(largest(view.row, shape.prefix) - shape.prefix, shape);
  return isFrom ? `${name}: ${from} most to ${best}` : `${name}: ${best} attends most to ${query}`;
}

/** The status line of a head: the patch under the pointer, or the strongest patch and the concentration. */
export function headLine(view: HeadView, shape: Shape): Line {
  const isReading = view.read >= 0;
  const token = isReading ? shape.prefix + view.read : largest(view.row, shape.prefix);
  const isEvery = !isReading && isUniformMap(view, shape);
  const subject = isEvery ? 'Every patch' : capital(patchName(token - shape.prefix, shape));
  return [
    `${subject} ${view.direction === 'from' ? 'gets' : 'gives'} `,
    { strong: percent(view.row[token]) },
    ', ',
    { strong: (view.row[token] / uniformWeight(shape, view.layer)).toFixed(1) },
    ' times uniform.',
    ...(isReading ? [] : [` ${concentration(view, shape)}`]),
  ];
}

function concentration(view: HeadView, shape: Shape) {
  const patches = patchCount(shape) - removedFrom(shape).length;
  if (view.direction === 'to') {
    return `Each value belongs to a different query: the ${patches} values need not sum to 100${SPACE}%.`;
  }
  const few = Math.max(1, Math.round(patches / 10));
  const total = percent(weightOfLargest(view.row, shape.prefix, few), 0);
  return `The strongest ${few} of ${patches} patches get ${total} in total.`;
}

/** "largest 16.6 %, 10.8 × uniform" */
export function largestLine(row: ArrayLike<number>, shape: Shape, layer: Layer = MEAN) {
  const weight = row[largest(row, shape.prefix)];
  return `largest ${percent(weight)}, ${timesUniform(weight / uniformWeight(shape, layer))} uniform`;
}

/** The tokens outside of the map: class token and distillation token, if any, then registers. */
export function prefixLine(row: ArrayLike<number>, shape: Shape, direction: Direction) {
  const others = shape.prefix - Number(shape.class_token);
  const total = sumOf(row, Number(shape.class_token), shape.prefix);
  const [verb, preposition] = direction === 'from' ? ['goes ', 'to'] : ['given ', 'by'];
  const parts = shape.class_token ? [`${percent(row[0])} ${verb}${preposition} the class token`] : [];
  if (others) {
    const isMean = direction === 'to' && others > 1;
    const amount = isMean ? `on average ${percent(total / others)}` : percent(total);
    const each = isMean ? 'each of ' : '';
    parts.push(`${amount} ${parts.length ? '' : verb}${preposition} ${each}${otherPrefixTokens(shape)}`);
  }
  return parts.join(direction === 'from' ? ' and ' : ', ');
}

/** "cat", or "cat, not dog"; like a saved figure (`Explanation.title` in Python). */
export const targetTitle = (classes: readonly string[]) => classes.join(', not ');

/** "For class cat"; labels like "class 403" name themselves. */
export const classGroup = (classes: readonly string[]) =>
  `For ${classes[0].startsWith('class ') ? '' : 'class '}${targetTitle(classes)}`;

/** "Relevance for cat, not dog" */
export const methodTitle = (method: Method, classes: readonly string[]) =>
  method.forClass ? `${method.name} for ${targetTitle(classes)}` : method.name;

export function methodHeadline(method: Method, classes: readonly string[], values: ArrayLike<number>, shape: Grid) {
  if (isFlat(values)) return `${methodTitle(method, classes)}: all patches have the same value`;
  const finding = method.key === 'random' ? 'comes first in this order, which explains nothing' : 'ranks highest';
  return `${methodTitle(method, classes)}: ${patchName(largest(values), shape)} ${finding}`;
}

/** Value and remark at the pointer of a method's map. */
export function methodNumber(value: number, scale: Scale, shape: Shape): [string, string] {
  if (scale.isWeight) return headNumber(value, shape);
  if (scale.kind === 'signed') {
    const unit = scale.isCosine ? 'cosine' : value < 0 ? 'against the class' : 'for the class';
    return [signed(value, signedDigits(scale)), unit];
  }
  return [(scale.kind === 'linear' ? value / scale.limit : Number.NaN).toFixed(2), 'of the maximum'];
}

/** Value and remark at the pointer of a head's map. */
export const headNumber = (weight: number, shape: Shape, layer: Layer = MEAN): [string, string] => [
  percent(weight),
  `${timesUniform(weight / uniformWeight(shape, layer))} uniform`,
];

/** Decimals that print a fraction as a percentage without rounding, at most 3. */
export function digitsOf(fraction: number) {
  const isWhole = (value: number) => Math.abs(value - Math.round(value)) < 1e-6;
  return [0, 1, 2].find((digits) => isWhole(fraction * 100 * 10 ** digits)) ?? 3;
}

/** Decimals that print half of a signed scale's limit with two significant digits. */
export const signedDigits = ({ limit }: Pick<SignedScale, 'limit'>) =>
  Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(limit / 2))));

/** "3 heads ablated (mean), 1 patch removed" */
export function changesLine({ heads, patches, mode, patch_mode }: Ablation) {
  const how = patch_mode === 'gray' ? 'painted gray' : 'removed';
  const parts = [
    heads.length && `${counted(heads.length, 'head', 'heads')} ablated${mode === 'mean' ? ' (mean)' : ''}`,
    patches.length && `${counted(patches.length, 'patch', 'patches')} ${how}`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** The modes of an ablation as options. */
export const MODES = [
  ['zero', 'Zero ablation'],
  ['mean', 'Mean ablation'],
] as const;
export const PATCH_MODES = [
  ['drop', 'tokens dropped'],
  ['gray', 'painted gray'],
] as const;

/** Indices, counted from 1, as options. */
export const numbered = (count: number) => Array.from({ length: count }, (_, k) => [String(k), String(k + 1)] as const);
