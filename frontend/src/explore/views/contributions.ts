/* Direct contributions to a logit: what each layer and head wrote, as steps of a sum. Pure functions. */

import { floatsOf } from '../../lib/base64';
import { largest, MEAN, type Shape, tokenCount } from '../../lib/numbers';
import type { Contributions as Reply } from '../../lib/routes';
import type { Head, Layer } from '../../lib/view';
import { type Line, otherPrefixTokens, patchName, queryName, signed, targetTitle } from '../../lib/words';
import { indicesOf } from '../../session/ablation';

export type Part = 'embedding' | 'attention' | 'mlp' | 'bias';

/** A summand of the logit, and the sum before and after it; `layer` is MEAN outside of the layers. */
export interface Step {
  part: Part;
  layer: Layer;
  value: number;
  start: number;
  end: number;
}

export interface Contributions {
  /** In the order of the forward pass; the last one ends at the logit. */
  steps: Step[];
  /** Of each head from each token, (L, A, T). */
  heads: Float32Array;
  /** Of the biases in each attention layer. */
  attentionBias: number[];
  logit: number;
  /** Of all partial sums, and 0. */
  low: number;
  high: number;
  /** The largest absolute contribution of a head. */
  headLimit: number;
}

/** What the ledger points at: a step, a head, or the sum of all. */
export interface Place {
  row: number; // of `rowsOf`
  column: number; // 0: the bar, from 1 on the heads
}

/** The name of a head's narrow column: every second number where all would touch. */
export function headLabel(head: number, heads: number) {
  if (head === 0 && heads <= 7) return 'head 1';
  return heads <= 18 || head % 2 === 0 ? String(head + 1) : '';
}

export function contributionsOf(reply: Reply, shape: Shape): Contributions {
  const heads = floatsOf(reply.heads);
  const { layers } = shape;
  const steps: Step[] = [];
  let sum = 0;
  const add = (part: Part, layer: Layer, value: number) => {
    steps.push({ part, layer, value, start: sum, end: sum + value });
    sum += value;
  };
  add('embedding', MEAN, reply.embedding);
  for (let layer = 0; layer < layers; layer++) {
    add('attention', layer, contributionOf(heads, shape, layer, MEAN) + reply.attention_bias[layer]);
    add('mlp', layer, reply.mlp[layer]);
  }
  add('bias', MEAN, reply.bias);
  const sums = steps.map(({ end }) => end);
  const every = Array.from({ length: layers * shape.heads }, (_, k) =>
    Math.abs(contributionOf(heads, shape, Math.floor(k / shape.heads), k % shape.heads)),
  );
  return {
    steps,
    heads,
    attentionBias: reply.attention_bias,
    logit: reply.logit,
    low: Math.min(0, ...sums),
    high: Math.max(0, ...sums),
    headLimit: Math.max(...every) || 1,
  };
}

/** Sum over the heads of a layer, of a column, or of one head, by token (T). */
export function tokenValues(heads: Float32Array, shape: Shape, layer: Layer, head: Head): Float32Array {
  const tokens = tokenCount(shape);
  const sum = new Float32Array(tokens);
  for (const l of indicesOf(layer, shape.layers)) {
    for (const h of indicesOf(head, shape.heads)) {
      const first = (l * shape.heads + h) * tokens;
      for (let j = 0; j < tokens; j++) sum[j] += heads[first + j];
    }
  }
  return sum;
}

/** Contribution of a head, or a sum of heads: from all tokens, or from some patches. */
export function contributionOf(
  heads: Float32Array,
  shape: Shape,
  layer: Layer,
  head: Head,
  patches: readonly number[] = [],
): number {
  const values = tokenValues(heads, shape, layer, head);
  const chosen = patches.length ? patches.map((patch) => values[shape.prefix + patch]) : [...values];
  return chosen.reduce((sum, value) => sum + value, 0);
}

/** "Layer 5, head 2", "Layer 5, all heads" */
export function headsName(layer: Layer, head: Head) {
  if (typeof layer !== 'number') return head === MEAN ? 'All heads' : `Head ${head + 1} of all layers`;
  return `Layer ${layer + 1}, ${head === MEAN ? 'all heads' : `head ${head + 1}`}`;
}

const PARTS: Record<Part, string> = {
  embedding: 'Embedding',
  attention: 'attention',
  mlp: 'MLP',
  bias: 'Biases of the classification head',
};

/** "Layer 5, MLP" */
export const stepName = ({ part, layer }: Step) =>
  typeof layer !== 'number' ? PARTS[part] : `Layer ${layer + 1}, ${PARTS[part]}`;

/** "the logit of cat", or of a contrast "the logit of cat minus that of dog" */
export const logitName = (classes: readonly string[]) =>
  `the logit of ${classes.length > 1 ? `${classes[0]} minus that of ${classes[1]}` : classes[0]}`;

/** "Layer 5, head 2 adds 0.42 to the logit of cat, more via row 3, column 3 than via other patches" */
export function headline(values: Float32Array, layer: Layer, head: Head, classes: readonly string[], shape: Shape) {
  const sum = values.reduce((total, value) => total + value, 0);
  const amount = Math.abs(sum).toFixed(2);
  const isZero = Number(amount) === 0;
  const verb = sum < 0 && !isZero ? 'takes' : 'adds';
  const direction = verb === 'takes' ? 'from' : 'to';
  const ordered = sum < 0 ? values.map((value) => -value) : values;
  const best = largest(ordered, shape.prefix) - shape.prefix;
  const plural = head === MEAN ? verb.replace(/s$/, '') : verb;
  const via = isZero ? '' : `, more via ${patchName(best, shape)} than via other patches`;
  return `${headsName(layer, head)} ${plural} ${amount} ${direction} ${logitName(classes)}${via}`;
}

const sumOfParts = ({ steps }: Contributions, ...parts: Part[]) =>
  steps.reduce((sum, step) => sum + (parts.includes(step.part) ? step.value : 0), 0);

/** The sum in one line: "+0.12 embedding, +3.20 attention, +5.01 MLPs, -0.03 biases = 8.30" */
export function sumLine(data: Contributions, classes: readonly string[]): Line {
  const part = (name: string, ...parts: Part[]) => `${signed(sumOfParts(data, ...parts))} ${name}`;
  return [
    `${part('embedding', 'embedding')}, ${part('attention', 'attention')}, ${part('MLPs', 'mlp')}, ${part('biases', 'bias')} make `,
    { strong: signed(data.logit) },
    `, ${logitName(classes)}.`,
  ];
}

/** What a head, or a sum of heads, wrote; with query patches, what it took from them. */
export function headLine(
  data: Contributions,
  shape: Shape,
  layer: Layer,
  head: Head,
  patches: readonly number[],
): Line {
  const value = contributionOf(data.heads, shape, layer, head, patches);
  const from = patches.length ? ` from ${queryName(patches, shape)}` : '';
  return [`${headsName(layer, head)}: `, { strong: signed(value) }, `${from}.`];
}

/** A step; that of an attention layer with the part of its biases. */
export function stepLine(step: Step, { attentionBias }: Contributions): Line {
  const bias = step.part === 'attention' && attentionBias[step.layer as number];
  const rest = bias ? ` (biases ${signed(bias)})` : '';
  return [`${stepName(step)}: `, { strong: signed(step.value) }, `${rest}; the sum so far is ${signed(step.end)}.`];
}

/** What a head, or a sum of heads, contributes via a patch. */
export const patchLine = (value: number, patch: number, layer: Layer, head: Head, shape: Shape): Line => [
  `${headsName(layer, head)} ${head === MEAN ? 'contribute' : 'contributes'} `,
  { strong: signed(value) },
  ` via ${patchName(patch, shape)}.`,
];

/** What comes from outside of the patches: "+0.12 from the class token" */
export function prefixNote(values: Float32Array, shape: Shape) {
  const first = shape.class_token ? `${signed(values[0])} from the class token` : '';
  const rest = values.slice(Number(shape.class_token), shape.prefix).reduce((sum, value) => sum + value, 0);
  const others = otherPrefixTokens(shape) && `${signed(rest)} from ${otherPrefixTokens(shape)}`;
  return [first, others].filter(Boolean).join(', ');
}

/** "colors from −0.43 to +0.43" */
export const colorRange = (limit: number) => `colors from ${signed(-limit)} to ${signed(limit)}`;

/** What the cells are. */
export const cellsNote = (patches: readonly number[], limit: number, shape: Shape) =>
  patches.length
    ? `Cells: what each head took from ${queryName(patches, shape)}, ${colorRange(limit)}.`
    : `Bars sum to the logit; cells: each head, ${colorRange(limit)}.`;

/** What the figure does not show. */
export const caution = (shape: Shape) =>
  `This shows what was added to the ${shape.class_token ? 'class token' : 'tokens that the classification head reads'}, not what an image region caused: early heads also act through later layers, whose bars count that effect.`;

/** Title of the column: "Contributions to cat, not dog" */
export const columnTitle = (classes: readonly string[]) => `Contributions to ${targetTitle(classes)}`;

/** The place that a key of the grid moves to. Rows: the steps, then the sum; attention layers have heads, too. */
export function nextPlace({ row, column }: Place, key: string, layers: number, heads: number): Place {
  const last = 2 * layers + 2;
  const layer = layerOf(row, layers);
  const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  if (column > 0) {
    if (key === 'ArrowLeft') return { row, column: column - 1 };
    if (key === 'ArrowRight') return { row, column: Math.min(heads, column + 1) };
    const to = { ArrowUp: row - 2, ArrowDown: row + 2, PageUp: 1, PageDown: 2 * layers - 1 }[key];
    if (to !== undefined) return { row: clamp(to, 1, 2 * layers - 1), column };
    return { row, column: key === 'Home' ? 0 : heads };
  }
  if (key === 'ArrowRight' || key === 'End') {
    return typeof layer !== 'number' ? { row, column } : { row: 1 + 2 * layer, column: key === 'End' ? heads : 1 };
  }
  const to = { ArrowUp: row - 1, ArrowDown: row + 1, PageUp: 0, PageDown: last }[key] ?? row;
  return { row: clamp(to, 0, last), column };
}

/** The layer of a row, MEAN for embedding, biases and sum. */
export const layerOf = (row: number, layers: number): Head =>
  row >= 1 && row <= 2 * layers ? Math.floor((row - 1) / 2) : MEAN;
