/* The worked row of a head: from query, keys and values to weights and output. */

import type { Head } from './state.svelte';

export function attentionOf({ query, keys, values, size }: Head, token: number) {
  const count = keys.length / size;
  const keyOf = (index: number) => keys.subarray(index * size, (index + 1) * size);
  const dot = (index: number) => keyOf(index).reduce((sum, value, i) => sum + value * query[i], 0);
  const scores = Float32Array.from({ length: count }, (_, index) => dot(index) / Math.sqrt(size));
  const weights = softmax(scores);
  const output = new Float32Array(size);
  for (let index = 0; index < count; index++)
    for (let i = 0; i < size; i++) output[i] += weights[index] * values[index * size + i];
  const key = keyOf(token);
  const products = key.map((value, i) => value * query[i]);
  return { token, query, key, products, product: dot(token), scores, weights, output };
}

/** Probabilities of logits divided by a temperature. */
export function softmax(logits: ArrayLike<number>, temperature = 1): Float32Array {
  const largest = Math.max(...Array.from(logits));
  const powers = Float32Array.from(logits, (logit) => Math.exp((logit - largest) / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
