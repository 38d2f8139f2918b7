import { largest } from '../lib/numbers';

export function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Index of the smallest value. */
export const smallest = (values: number[]): number => largest(values.map((value) => -value));
