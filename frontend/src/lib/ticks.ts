/* Words at the color bar: tick labels and units. */

import { lowOf, type Scale } from './numbers';
import { digitsOf, percent, signed, signedDigits, written } from './words';

const UNIFORM_TICKS = ['≤ ⅛ ×', '¼', '½', '1 ×', '2', '4', '≥ 8 ×'];

/** Tick marks of the color bar, [place 0..1, text]. */
export function ticksOf(scale: Scale): [number, string][] {
  if (scale.kind === 'uniform') return UNIFORM_TICKS.map((text, i) => [i / 6, text]);
  const quarters = [0, 0.25, 0.5, 0.75, 1];
  if (scale.kind === 'signed') {
    return quarters.map((t) => [t, signed((2 * t - 1) * scale.limit, signedDigits(scale))]);
  }
  const low = lowOf(scale);
  const step = (scale.limit - low) / 4;
  const valueAt = (t: number) => low + 4 * step * t;
  if (!scale.isWeight) return quarters.map((t) => [t, low ? written(valueAt(t) / scale.limit, 2) : String(t)]);
  const digits = scale.clips ? digitsOf(step) : digitsOfStep(step);
  return quarters.map((t) => [t, (t === 1 && scale.clips ? '≥ ' : '') + percent(valueAt(t), valueAt(t) ? digits : 0)]);
}

/** Decimals, 1 to 4, that print percentages a step apart differently. */
const digitsOfStep = (step: number) => [1, 2, 3].find((digits) => 100 * step >= 5 / 10 ** digits) ?? 4;

/** The quantity of the color bar. */
export function unitOf(scale: Scale) {
  if (scale.kind === 'signed' && scale.isCosine) return 'cosine similarity of text and patch';
  if (scale.kind === 'signed') return 'change of the logit; below 0 is against the class';
  if (scale.kind === 'uniform') return 'attention weight / uniform; 1 × is the same for all tokens';
  if (!scale.isWeight) return 'relative to the maximum of this map';
  if (!scale.clips) return 'attention weight, range of this map';
  return `attention weight, all ${scale.isOfMeans ? 'means' : 'heads'}`;
}
