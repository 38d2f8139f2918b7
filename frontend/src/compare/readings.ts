/* Sentences that read out a comparison; rows and columns count from 1. */

import type { Grid } from '../lib/grid';
import type { Scale } from '../lib/numbers';
import { capital, patchName, percent, SPACE, signed, signedDigits, written } from '../lib/words';
import type { Compared } from './compared';

export type Place = 'a' | 'b' | 'difference';

/** The patch of another grid that contains the center of a patch. */
export function samePlace(patch: number, from: Grid, to: Grid): number {
  if (patch < 0) return -1;
  const row = Math.floor(((Math.floor(patch / from.columns) + 0.5) / from.rows) * to.rows);
  const column = Math.floor((((patch % from.columns) + 0.5) / from.columns) * to.columns);
  return row * to.columns + column;
}

/** The patch of A and the patch of B at a place that is read on one of them. */
export function patchesAt(reply: Compared, place: Place, patch: number): [a: number, b: number] {
  if (place === 'b') return [samePlace(patch, reply.b, reply.a), patch];
  return [patch, samePlace(patch, reply.a, reply.b)];
}

/** A value of a map in its unit: "3.2 %", "+0.42", "0.42", "2.1 ×". */
export function valueText(value: number | null, scale: Scale): string {
  if (value === null) return 'no value';
  if (scale.kind === 'uniform') return `${written(value, 2)}${SPACE}×${SPACE}uniform`;
  if (scale.kind === 'signed') return signed(value, signedDigits(scale));
  return scale.isWeight ? percent(value) : written(value, 2);
}

/** "+2.1 percentage points" */
export function differenceText(
  value: number,
  { differenceScale: scale, differenceUnit: unit }: Pick<Compared, 'differenceScale' | 'differenceUnit'>,
): string {
  const digits = unit === 'percentage points' ? Math.max(1, signedDigits(scale) - 1) : signedDigits(scale);
  return `${signed(value, digits)} ${unit}`;
}

/** Both values at a patch and their difference, as a sentence. */
export const readingSentence = (reply: Compared, place: Place, patch: number) => capital(reading(reply, place, patch));

function reading(reply: Compared, place: Place, patch: number): string {
  const [inA, inB] = patchesAt(reply, place, patch);
  const { a, b, scale, difference } = reply;
  if (a.colors) return `${patchName(inA, a)} of A, ${patchName(inB, b)} of B: the same place of the image.`;
  const [first, second] = [valueText(a.values[inA], scale), valueText(b.values[inB], scale)];
  if (a.rows !== b.rows || a.columns !== b.columns)
    return `A, ${patchName(inA, a)}: ${first}. The same place in B, ${patchName(inB, b)}: ${second}.`;
  const values = `${patchName(inA, a)}: A ${first}, B ${second}`;
  const change = difference?.[inA];
  return change === null || change === undefined
    ? `${values}.`
    : `${values}, difference ${differenceText(change, reply)}.`;
}

/** What is read out while nothing is pointed at. */
export function restingSentence(reply: Compared): string {
  const { mostChanged: patch } = reply;
  return patch === null ? 'Point at a patch to read both maps.' : `Largest difference: ${reading(reply, 'a', patch)}`;
}

/** Whether the colors of both maps mean the same values. */
export const scaleSentence = ({ a, hasSameQuantity: isShared }: Pick<Compared, 'a' | 'hasSameQuantity'>) =>
  a.colors
    ? 'Equal colors mean alike features, as far as a rotation can align both.'
    : isShared
      ? 'Both maps have one scale.'
      : 'Each map is relative to its own largest magnitude.';

/** A text alternative of a map: where it is largest and smallest. */
export function mapLabel(
  name: string,
  values: readonly (number | null)[],
  shape: Grid,
  format: (value: number) => string,
): string {
  let [most, least] = [-1, -1];
  for (const [k, value] of values.entries()) {
    if (value === null) continue;
    if (most < 0 || value > (values[most] ?? 0)) most = k;
    if (least < 0 || value < (values[least] ?? 0)) least = k;
  }
  if (most < 0) return `${name}: no values.`;
  const [high, low] = [format(values[most] ?? 0), format(values[least] ?? 0)];
  return `${name}: largest at ${patchName(most, shape)}, ${high}; smallest at ${patchName(least, shape)}, ${low}.`;
}
