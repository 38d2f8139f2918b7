/* The worked row of a head: from query, keys and values to weights and output, and where each number comes from. */

import type { Shape } from '../lib/numbers';
import type { LessonModel } from '../lib/routes';
import { percent, signed, tokenName, written } from '../lib/words';
import type { Head } from './learnPage.svelte';

export type WorkedRow = ReturnType<typeof workedRow>;

/** A row of a head with one of its keys, their products, and what the score has besides: the relative position bias.
    @param scaledWidth the square root of it divides the sum of the products */
export function workedRow(
  row: Pick<Head, 'query' | 'keys' | 'values' | 'size' | 'scores' | 'weights' | 'output'>,
  token: number,
  scaledWidth: number,
) {
  const { query, keys, size, scores } = row;
  const key = keys.subarray(token * size, (token + 1) * size);
  const products = key.map((value, i) => value * query[i]);
  const product = products.reduce((sum, value) => sum + value, 0);
  const scaled = product / Math.sqrt(scaledWidth);
  return { ...row, token, key, products, product, scaled, bias: scores[token] - scaled };
}

/** Probabilities of logits divided by a temperature. */
export function softmax(logits: ArrayLike<number>, temperature = 1): Float32Array {
  const largest = Math.max(...Array.from(logits));
  const powers = Float32Array.from(logits, (logit) => Math.exp((logit - largest) / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

export const precise = (value: number) => value.toPrecision(3);

/** The numbers of a row that are derived from one key, with their names. */
export const steps = ({ product, scaled, bias, scores, weights, token }: WorkedRow, model: LessonModel) => [
  { part: 'sum', name: 'Sum of products', text: signed(product) },
  { part: 'scaled', name: `Divided by √${model.scaled_width}`, text: signed(scaled) },
  ...(model.rel_pos_bias
    ? [
        { part: 'bias', name: 'Relative position bias', text: signed(bias) },
        { part: 'score', name: 'Their sum, the score', text: signed(scores[token]) },
      ]
    : []),
  { part: 'power', name: 'e to that power', text: precise(Math.exp(scores[token])) },
  { part: 'weight', name: `Weight among ${weights.length}`, text: percent(weights[token]) },
];

/** Where a number of the row comes from, as a sentence. */
export function derivationOf(part: string, index: number, row: WorkedRow, shape: Shape, model: LessonModel): string {
  const { query, key, products, product, scaled, scores, weights, token } = row;
  const number = index + 1;
  const rotated = model.rotary ? ', rotated by its position' : '';
  const bias = model.qkv_bias ? ' and a bias' : '';
  const normed = model.qk_norm ? ', then normalized with the other numbers of the head (QK norm)' : '';
  const projected = (name: string, from: number) =>
    `row ${number} of the ${name} weights of this head times ${tokenName(from, shape)} after the norm of the layer, ` +
    `${model.embed_dim} products${bias}${normed}${from >= shape.prefix ? rotated : ''}.`;
  switch (part) {
    case 'query':
      return `Number ${number} of q, ${signed(query[index])}: ${projected('query', 0)}`;
    case 'key':
      return `Number ${number} of k, ${signed(key[index])}: ${projected('key', token)}`;
    case 'product':
      return `Number ${number} of q × k: ${signed(query[index])} × ${signed(key[index])} = ${signed(products[index])}`;
    case 'sum': {
      const positive = products.reduce((sum, value) => sum + Math.max(0, value), 0);
      return `The ${products.length} numbers of q × k: ${signed(positive)} of positive ones, ${signed(product - positive)} of negative ones.`;
    }
    case 'scaled':
      return `${signed(product)} / √${model.scaled_width} = ${signed(product)} / ${written(Math.sqrt(model.scaled_width), 2)} = ${signed(scaled)}`;
    case 'bias':
      return `A learned number of this head for the place of ${tokenName(token, shape)} relative to the query, the same for every image.`;
    case 'score':
      return `${signed(scaled)} and ${signed(row.bias)} make ${signed(scores[token])}.`;
    case 'power':
      return `e to the power of ${signed(scores[token])} is ${precise(Math.exp(scores[token]))}: positive, whatever the score is.`;
    case 'weight': {
      const sum = scores.reduce((total, score) => total + Math.exp(score), 0);
      return `${precise(Math.exp(scores[token]))} / ${precise(sum)} = ${percent(weights[token])}. The divisor is the sum over all ${weights.length} keys.`;
    }
    case 'token':
      return `${percent(weights[index])} for ${tokenName(index, shape)}, whose score is ${signed(scores[index])}.`;
    default:
      return outputDerivation(index, row, shape);
  }
}

/** A number of the output as the sum of its largest terms and the others. */
function outputDerivation(index: number, { weights, values, output, query }: WorkedRow, shape: Shape) {
  const valueAt = (token: number) => values[token * query.length + index];
  const size = (token: number) => Math.abs(weights[token] * valueAt(token));
  const [first, second] = [...weights.keys()].sort((a, b) => size(b) - size(a));
  const term = (token: number) => `${percent(weights[token])} × ${signed(valueAt(token))} (${tokenName(token, shape)})`;
  const terms = [first, second].filter((token) => token !== undefined);
  const others = weights.length - terms.length;
  const rest = terms.reduce((sum, token) => sum - weights[token] * valueAt(token), output[index]);
  return `Number ${index + 1}, ${signed(output[index])}: ${terms.map(term).join(', ')}, and ${signed(rest)} from ${others} others.`;
}
